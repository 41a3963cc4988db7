import Foundation
import TestSupport
import Testing
import ViewModels

@testable import BinderyClient
@testable import BinderyKit
@testable import bindery

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The terminal as a client")
struct TerminalTests {
    /// A server of its own, which may be killed and begun again.
    private final class Server {
        private let store: String
        private(set) var url = "http://127.0.0.1:0"
        private var child: Child?

        init(in directory: String) throws {
            store = "sqlite:\(directory)/sessions.db"
            try begin()
        }

        func begin() throws {
            let port = URL(string: url)?.port ?? 0
            let child = try TerminalTests.shell(
                "exec \(try Child.path(ofPackage: "bindery")) serve --port \(port) --store \(store) --log json 2>&1")
            self.child = child
            while let line = child.line() {
                guard let place = line.firstMatch(of: /"url":"([^"]*)"/) else { continue }
                return url = String(place.1)
            }
            Issue.record("The server did not start.")
        }

        func kill() { child?.kill() }
    }

    private static func shell(_ script: String) throws -> Child {
        try Child("/usr/bin/env", ["-u", "BINDERY_TOKEN", "bash", "-c", script])
    }

    /// Types a command of `bindery`, which `URL` is put into.
    ///
    /// - Parameter before: what stands before it in the shell.
    /// - Returns: what it says on both, and how it ended.
    private func bindery(
        _ words: String, before: String = "exec"
    ) async throws -> (lines: [String], status: Int32) {
        try await onThread {
            let child = try Self.shell("\(before) '\(try Child.path(ofPackage: "bindery"))' \(words) 2>&1")
            // As a shell has it (wait(2)).
            return (child.lines(), child.wait() >> 8)
        }
    }

    private func served(_ test: (Server) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let server = try Server(in: directory)
        defer { server.kill() }
        try await test(server)
    }

    /// The next line that has a text in it.
    private func line(of child: Child, with text: String) throws -> String {
        while let line = child.line() { if line.contains(text) { return line } }
        Issue.record("No line has \(text) in it.")
        return ""
    }

    @Test("watch prints each change, goes on over kill -9 and a restart, says so, and ends well on Ctrl-C")
    func watch() async throws {
        try await served { server in
            let watch = try Self.shell(
                "exec \(try Child.path(ofPackage: "bindery")) watch \(server.url) --topics counter 2>&1")
            #expect(try #require(watch.line()).wholeMatch(of: /\d\d:\d\d:\d\d\.\d\d\d #\d+ counter\.text "0"/) != nil)
            #expect(try await bindery("call \(server.url) counter/increment").status == 0)
            _ = try line(of: watch, with: #"counter.text "1""#)
            server.kill()
            _ = try line(of: watch, with: "connection lost, trying again until it is there (")
            try server.begin()
            #expect(
                try await bindery("call counter/increment \(server.url)").lines
                    == [#"{"text":"2","enabled":true,"alpha":1}"#])
            _ = try line(of: watch, with: #"counter.text "2""#)
            kill(watch.identifier, SIGINT)
            #expect(watch.wait() == 0)
        }
    }

    @Test("watch --json prints each entry as the feed says it")
    func watchJSON() async throws {
        try await served { server in
            let watch = try Self.shell(
                "exec \(try Child.path(ofPackage: "bindery")) watch \(server.url) --topics counter --json")
            let first = (0..<3).map { _ in watch.line() }
            #expect(first.first == #"{"seq":0,"viewModel":"counter","output":"text","value":"0"}"#)
            _ = try await bindery("call \(server.url) counter/increment")
            #expect(watch.line() == #"{"seq":1,"viewModel":"counter","output":"text","value":"1"}"#)
            kill(watch.identifier, SIGINT)
            #expect(watch.wait() == 0)
        }
    }

    @Test("watch says what is wrong with its topics, and ends with 1")
    func topics() async throws {
        try await served { server in
            let (lines, status) = try await bindery("watch \(server.url) --topics countre")
            #expect(status == 1 && lines.last?.hasPrefix("bindery: GET /changes: 400 ") == true)
        }
    }

    @Test("call prints the state; a refusal goes to standard error, with status 1; and one key is one action")
    func call() async throws {
        try await served { server in
            // A comment has no standard error of its own.
            let refused = try await bindery("call \(server.url) counter/decrement 2>&1 >/dev/null #")
            #expect(refused.status == 1)
            #expect(
                refused.lines == [
                    "bindery: POST /counter/decrement: 409 action-disabled: The counter is at zero; increment it first."
                ])
            for _ in 0..<2 {
                let (lines, status) = try await bindery("call \(server.url) counter/increment --key once")
                #expect(lines == [#"{"text":"1","enabled":true,"alpha":1}"#] && status == 0)
            }
            let body = #"{"paramA":7}"#
            let shown = [#"{"paramA":7,"paramB":""}"#]
            #expect(try await bindery("call \(server.url) profile/load --body '\(body)'").lines == shown)
            #expect(
                try await bindery("call \(server.url) profile/load --body -", before: "echo '\(body)' |").lines == shown
            )
        }
    }

    @Test("session begins one's own, whose token is in a file for oneself alone, shows it, and ends it")
    func session() async throws {
        try await served { server in
            let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
            defer { try? FileManager.default.removeItem(atPath: file) }
            let begun = try await bindery("session begin \(server.url) --token-file \(file)", before: "umask 0; exec")
            #expect(begun.status == 0 && begun.lines.first?.hasSuffix("; its token is in \(file)") == true)
            let again = try await bindery("session begin \(server.url) --token-file \(file)")
            #expect(again.status == 1 && again.lines.first?.hasPrefix("bindery: \(file) is there already, ") == true)
            #expect(try await bindery("call \(server.url) counter/increment --token-file \(file)").status == 0)
            let shown = try await bindery("session show \(server.url) --token-file \(file)")
            #expect(shown.lines.first?.contains(#""counter":{"text":"1""#) == true)
            let open = try await bindery(
                "session show \(server.url) --token-file \(file)", before: "chmod 644 \(file); exec")
            #expect(open.status == 1)
            #expect(open.lines == ["bindery: others may read the token in \(file): chmod 600 \(file), as its owner"])
            let ended = try await bindery(
                "session end \(server.url) --token-file \(file)", before: "chmod 600 \(file); exec")
            #expect(ended.lines == ["the session has ended"] && ended.status == 0)
            let gone = try await bindery("session show \(server.url) --token-file \(file)")
            #expect(gone.status == 1 && gone.lines.first?.contains("401 session-unknown") == true)
            #expect(gone.lines.first?.hasSuffix(" The token is from \(file); session begin makes a new one.") == true)
        }
    }

    @Test("a token file that is a pipe is none, and not waited for")
    func pipe() async throws {
        let pipe = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: pipe) }
        let (lines, status) = try await bindery(
            "session show --token-file \(pipe)", before: "mkfifo -m 600 \(pipe); timeout 60")
        #expect(lines == ["bindery: \(pipe) is no file"] && status == 1)
    }

    @Test(
        "what cannot be printed is no success",
        arguments: ["watch URL", "call URL counter/increment", "session begin URL", "session show URL"])
    func full(words: String) async throws {
        try await served { server in
            let words = words.replacing("URL", with: server.url)
            let (lines, status) = try await bindery("\(words) 2>&1 >/dev/full #", before: "exec timeout 60")
            #expect(lines == ["bindery: standard output cannot be written: No space left on device"] && status == 1)
        }
    }

    @Test("watch ends well once nobody reads, though nothing changes")
    func head() async throws {
        try await served { server in
            let program = try Child.path(ofPackage: "bindery")
            let script =
                "timeout 60 '\(program)' watch \(server.url) --topics counter | head -3; echo ${PIPESTATUS[0]}"
            let lines = try await onThread { try Self.shell(script).lines() }
            #expect(lines.count == 4 && lines.last == "0")
        }
    }

    @Test("a connection that is lost is told once for each reason, and when it is there again")
    func status() {
        let request = URLRequest(url: URL(filePath: "/changes"))
        let lost = RemoteFailure.lost(request)
        let refused = RemoteFailure.lost(request, URLError(.cannotConnectToHost))
        let status = ConnectionStatus()
        func told(_ connections: RemoteConnection...) -> [String?] {
            connections.map { status.line(for: $0).map { String($0.prefix { $0 != "," }) } }
        }
        #expect(
            told(
                .waiting(.zero, after: refused), .waiting(.zero, after: refused), .live(.stream), .live(.polls),
                .waiting(.zero, after: lost), .waiting(.zero, after: refused), .waiting(.zero, after: lost),
                .live(.stream), .waiting(.zero, after: lost))
                == [
                    "no connection", nil, "connected", nil, "connection lost", "no connection", nil, "connected again",
                    "connection lost",
                ])
    }

    @Test("nothing of what a server says in an error is obeyed by a terminal")
    func obeyed() async throws {
        let place = try ServerPlace(nil, tokenFile: nil, environment: [:])
        let failure = await #expect(throws: CommandFailure.self) {
            try await place.asking { throw RemoteFailure(foreign: "a\u{1B}[31mb") }
        }
        #expect(failure?.description == #"a\u001b[31mb"#)
    }

    @Test(
        "a word in the wrong place is told where it belongs",
        arguments: [
            ("watch 127.0.0.1:8080", "127.0.0.1:8080 is no server's URL"),
            ("call 127.0.0.1:8080 counter/increment", "127.0.0.1:8080 is no server's URL"),
            ("session show localhost", "localhost is no server's URL"),
            ("watch counter", "; topics stand behind --topics"),
            ("call http://127.0.0.1 login/validate '{}'", "; a body stands behind --body"),
            ("session begin --token-file ''", "--token-file takes the path of a file"),
        ])
    func misplaced(words: String, told: String) async throws {
        let (lines, status) = try await bindery(words)
        #expect(status == 64 && lines.count == 1 && lines[0].contains(told))
    }

    @Test("a token is taken from the environment")
    func environment() async throws {
        try await served { server in
            let token = try #require(try await bindery("session begin \(server.url)").lines.first)
            let set = "export BINDERY_TOKEN=\(token); exec"
            #expect(try await bindery("call \(server.url) counter/increment", before: set).status == 0)
            #expect(try await bindery("session show \(server.url)", before: set).lines[0].contains(#""text":"1""#))
            #expect(try await bindery("session show \(server.url)").lines[0].contains(#""public":true"#))
            #expect(try await bindery("session end \(server.url)", before: set).status == 0)
            // As where the session could not be begun.
            let (lines, status) = try await bindery(
                "call \(server.url) counter/increment 2>&1 #", before: "export BINDERY_TOKEN=; exec")
            #expect(status == 1 && lines == ["bindery: BINDERY_TOKEN has no token in it, as session begin prints one"])
        }
    }

    @Test(
        "a wrong command line is 64, and no token is taken from one",
        arguments: [
            "call", "call counter", "call counter/increment login/validate",
            "call http://127.0.0.1 counter/increment/now",
            "call counter/increment --key ''", "watch localhost:8080", "watch ftp://127.0.0.1", "watch --token x",
            "watch http://user:secret@127.0.0.1", "session", "session end", "session begin --token x",
        ])
    func usage(words: String) async throws {
        let (lines, status) = try await bindery(words)
        #expect(status == 64 && lines.count == 1 && !lines[0].contains("secret"))
    }

    @Test("a change is a line: in columns on a terminal, and nothing of it is obeyed by one")
    func lines() throws {
        let text = #"{"seq":7,"viewModel":"counter","output":"text","value":"a\u009b31mb\u202ec"}"#
        let change = try JSON.decode(RemoteChange.self, from: Array(text.utf8))
        let time = Date(timeIntervalSinceReferenceDate: 0.25)
        var plain = ChangeLines(isJSON: false, isTerminal: false)
        #expect(plain.line(change, at: time) == #"\#(ChangeLines.time(time)) #7 counter.text "a\u009b31mb\u202ec""#)
        var object = ChangeLines(isJSON: true, isTerminal: false)
        #expect(object.line(change, at: time) == text)
        var terminal = ChangeLines(isJSON: false, isTerminal: true)
        let line = terminal.line(change, at: time)
        #expect(line.contains("\u{1B}[1mcounter.text    \u{1B}[0m  \"a"))
        #expect(ChangeLines.time(time).hasSuffix(".250"))
    }

    @Test("a time is said in seconds")
    func spans() {
        #expect([0.04, 0.5, 0.96, 2.4].map { Words.span(.seconds($0)) } == ["0.0 s", "0.5 s", "1 s", "2 s"])
    }
}
