import Entities
import Foundation
import HTTP
import Samples
import TestSupport
import Testing
import ViewModels

@testable import Service

/// Protects the index, static files, the drain, and what one unreadable view model leaves to the others.
@Suite("The server around the sessions")
struct ServerTests {
    @Test("GET / is the index, or the page for clients that ask for HTML first, whatever the query")
    func index() async throws {
        try await TestServer.run { server in
            let index = try await server.ask("GET", "/")
            #expect(index["content-type"] == "application/json" && index["vary"] == "Accept")
            #expect(index.text.contains(#""viewModels":[{"name":"counter","path":"/counter","methods":["GET""#))
            #expect(index.text.contains(#""path":"/login/validate","methods":["POST"]"#))
            let page = try await server.ask("GET", "/?fbclid=x", "Accept: text/html, */*;q=0.8")
            #expect(page.status == 200 && page["content-type"] == "text/html; charset=utf-8")
            let tag = try #require(page["etag"])
            #expect(try await server.ask("GET", "/", "Accept: text/html", "If-None-Match: \(tag)").status == 304)
            #expect(try await server.ask("GET", "/bindery.js").status == 200)
        }
    }

    @Test("Every kind of problem has a page")
    func problemPages() async throws {
        try await TestServer.run([.hosting(Counter.self)]) { server in
            for type in ProblemType.allCases {
                let page = try await server.ask("GET", "/problems/\(type.slug)")
                #expect(try page.status == 200 && page.string("title") == type.row.title)
                #expect(page.text.contains("\"status\":\(type.row.status)"))
            }
            #expect(try await server.ask("GET", "/problems/none").problem == "not-found")
        }
    }

    @Test("Files of the host's own are served, but none outside, with a dot, or in place of a route")
    func staticFiles() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        let files = ["index.html": "own", "a/index.html": "in a", "b.css": "b", ".hidden": "no", "counter": "no"]
        for (name, text) in files {
            let file = directory.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        try FileManager.default.createSymbolicLink(
            at: directory.appending(path: "out"), withDestinationURL: URL(filePath: "/etc/passwd"))
        defer { try? FileManager.default.removeItem(at: directory) }
        try await TestServer.run(options: { $0.service.staticFiles = directory.path }) { server in
            #expect(try await server.ask("GET", "/", "Accept: text/html").text == "own")
            #expect(try await server.ask("GET", "/a/").text == "in a")
            let file = try await server.ask("GET", "/b.css")
            #expect(file.text == "b" && file["content-type"] == "text/css; charset=utf-8")
            #expect(try await server.ask("GET", "/b.css", "If-None-Match: \(file["etag"] ?? "")").status == 304)
            for path in ["/.hidden", "/out", "/a/..%2Fb.css", "/%2e%2e/b.css", "/x"] {
                #expect(try await server.ask("GET", path).problem == "not-found")
            }
            #expect(try await server.ask("GET", "/counter").text.contains("alpha"))
        }
    }

    @Test("A stop answers polls and streams and refuses later actions; running ones finish")
    func drains() async throws {
        let gate = Gate()
        try await TestServer.run([.hosting(Counter.self), .hosting(Tried.self, with: gate)]) { server in
            #expect(try await server.ask("GET", "/readyz").text == #"{"status":"ready"}"#)
            let cursor = try await server.ask("GET", "/session").string("cursor")
            let (poll, stream) = (try Connection(server.port), try Connection(server.port))
            try poll.send("GET", "/changes?since=\(cursor)")
            try stream.send("GET", "/changes", [StreamTests.accept])
            _ = try await (stream.reply(), stream.event())
            let (late, probe) = (try Connection(server.port), try Connection(server.port))
            async let action = server.ask("POST", "/tried/wait")
            await gate.arrivals(1)
            #expect(await eventually { server.server.server.gauges.parked == 3 })
            async let stopped: Void = server.server.stop()
            let idle = try await poll.reply()
            #expect(try idle.string("kind") == "idle" && idle["connection"] == "close")
            #expect(idle.text.contains(#""retryAfter":"#))
            #expect(try await stream.event().name == "ping")
            try late.send("POST", "/counter/increment")
            #expect(try await late.reply().problem == "draining")
            try probe.send("GET", "/readyz")
            #expect(try await probe.reply().problem == "draining")
            await gate.open()
            #expect(try await action.status == 200)
            await stopped
        }
    }

    @Test("A view model that another build stored is 500 model-unreadable; the others work")
    func unreadable() async throws {
        let store = MemoryStore { .zero }
        let row = StoredPart(
            name: "counter", version: 9, state: Array("{}".utf8), stamp: Stamp(seq: 1, nonce: 1))
        let entity = StoredEntity(
            id: .publicSession, head: Stamp(seq: 1, nonce: 1), ring: [], language: "ja", parts: [row])
        let host = try CatalogueHost.kinds(of: Catalogue(.samples), languages: Languages(.japanese, .english)).session
            .host
        let state = EntityState(entity, of: EntityKind(host))
        store.submit(Commit(id: .publicSession, base: nil, state: state)) { _ in }
        try await TestServer.run(store: store) { server in
            for request in ["GET /counter", "POST /counter/increment", "GET /session", "GET /changes"] {
                let words = request.split(separator: " ").map(String.init)
                let reply = try await server.ask(words[0], words[1])
                #expect(reply.status == 500 && reply.problem == "model-unreadable")
                #expect(try reply.string("viewModel") == "counter")
            }
            #expect(try await server.ask("POST", "/greeting/increase-title").status == 200)
            #expect(try await server.ask("GET", "/changes?topics=greeting").status == 200)
            #expect(server.log.events.count { $0.kind.name == "model-unreadable" } == 1)
        }
    }

    @Test("A view model may not have a name of the server, nor a refusal the type of its problems")
    func reserved() {
        #expect(throws: DeclarationFault.self) {
            try BinderyServer(viewModels: [.hosting(Session.self)]) { _ in MemoryStore { .zero } }
        }
    }
}

private struct Session: ViewModel {
    var count = 0
    static let interface = Interface<Session>("session") { Output("count", \.count) }
}
