import BinderyTesting
import Foundation
import TestSupport
import Testing
import ViewModels

@testable import BinderyClient
@testable import BinderyKit
@testable import bindery

/// Protects the commands with which people look at a server.
@Suite("bindery watch and call")
struct TerminalTests {
    @Test("a change is a line of fields, in columns on a terminal alone, and a JSON object with --json")
    func lines() throws {
        let text =
            "{\"kind\":\"delta\",\"cursor\":\"43.x\",\"changes\":[{\"seq\":43,\"viewModel\":\"counter\","
            + "\"output\":\"text\",\"value\":\"1\u{9b}31m\"}]}"
        let change = try #require(try RemoteUpdate(Array(text.utf8)).changes.first)
        let time = Date(timeIntervalSince1970: 0.125)
        let clock = ChangeLines.time(time)
        #expect(clock.wholeMatch(of: /\d\d:\d\d:\d\d\.125/) != nil)
        var plain = ChangeLines(isJSON: false, isTerminal: false)
        #expect(plain.line(change, at: time) == #"\#(clock) #43 counter.text "1\u009b31m""#)
        var terminal = ChangeLines(isJSON: false, isTerminal: true)
        #expect(terminal.line(change, at: time) == #"\#(clock)  #43  counter.text      "1\u009b31m""#)
        var json = ChangeLines(isJSON: true, isTerminal: true)
        #expect(
            json.line(change, at: time)
                == #"{"seq":43,"viewModel":"counter","output":"text","value":"1\u009b31m"}"#)
    }

    /// Runs the program until it has said so many lines.
    private func lines(_ count: Int, of words: String...) async throws -> [String] {
        try await onThread {
            let child = try Child(Child.path(ofPackage: "bindery"), words)
            return (0..<count).compactMap { _ in child.line() }
        }
    }

    @Test("watch prints what changes, not what was there, one entry a line; call prints the new state")
    func watching() async throws {
        try await withServer(Bindery.self) { server in
            let url = server.url.absoluteString
            async let changes = lines(1, of: "watch", url, "--topics", "counter", "--json")
            // Its stream is there once its ping is due.
            try await server.clock.deadline(in: .seconds(10) ... .seconds(15))
            let said = try await lines(1, of: "call", url, "counter/increment")
            #expect(said == [#"{"text":"1","enabled":true,"alpha":1}"#])
            #expect(try await changes == [#"{"seq":1,"viewModel":"counter","output":"text","value":"1"}"#])
        }
    }

    @Test("watch prints the first state with --snapshot")
    func snapshot() async throws {
        try await withServer(Bindery.self) { server in
            let url = server.url.absoluteString
            let said = try await lines(1, of: "watch", url, "--topics=profile/card", "--snapshot", "--json")
            #expect(said == [#"{"seq":0,"viewModel":"profile","output":"paramB","value":""}"#])
        }
    }

    @Test("call asks with a body and a key, in the session of BINDERY_TOKEN")
    func calling() async throws {
        try await withServer(Bindery.self) { server in
            let session = try await server.session()
            let environment = ["BINDERY_TOKEN": try #require(session.token)]
            let place = try ServerPlace(server.url.absoluteString, environment: environment)
            let body = Array(#"{"paramA":7}"#.utf8)
            for _ in 0..<2 {
                let answer = try await place.asking {
                    try await $0.act("load", of: "profile", json: body, key: "k")
                }
                #expect(String(decoding: answer.body, as: UTF8.self) == #"{"paramA":7,"paramB":""}"#)
            }
            let shown = try await session.show().body
            #expect(String(decoding: shown, as: UTF8.self).contains(#""paramA":7"#))
        }
    }

    @Test(
        "call refuses what is no action or no URL",
        arguments: [
            (
                ["increment"],
                "increment is not an action such as counter/increment or orders/7f3c/pay; give a body with --body"
            ),
            (
                ["example.org", "counter/increment"],
                "example.org is not the URL of a server such as http://127.0.0.1:8080"
            ),
        ])
    func usage(words: [String], message: String) async {
        #expect(await complaint { try await Bindery.run(["call"] + words, [:]) } == message)
    }

    @Test("a refusal ends call with the problem, and a wrong token says where it is from")
    func refused() async throws {
        try await withServer(Bindery.self) { server in
            let words = ["call", server.url.absoluteString, "counter/decrement"]
            let said = await complaint { try await Bindery.run(words, [:]) }
            #expect(said?.contains("409 action-disabled: The counter is at zero; increment it first.") == true)
            let wrong = try ServerPlace(server.url.absoluteString, environment: ["BINDERY_TOKEN": "wrong"])
            let refusal = await complaint { _ = try await wrong.asking { try await $0.show() } }
            #expect(refusal?.hasSuffix("The token comes from BINDERY_TOKEN.") == true)
        }
    }
}
