import Entities
import Foundation
import HTTP
import Locking
import Samples
import Testing
import ViewModels

@testable import Service

@Suite("The listener for operators")
struct AdminServiceTests {
    private static let here = BinderyServer.Options.Address(host: "127.0.0.1", port: 0)

    private static func run(
        _ store: (any EntityStore)? = nil, timer: (any Timing)? = nil,
        _ test: (TestServer, TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run(store: store, timer: timer, options: { $0.admin = here }) { server in
            let url = try #require(server.server.adminURL.flatMap { URL(string: $0) })
            let port = try #require(url.port)
            try await test(server, TestServer(server: server.server, log: server.log, port: UInt16(port)))
        }
    }

    @Test("GET /version names the build and the program")
    func version() async throws {
        try await Self.run { _, admin in
            let reply = try await admin.ask("GET", "/version")
            #expect(reply.status == 200)
            #expect(try reply.string("version") == Version.current)
            #expect(try reply.string("program") == "Bindery")
        }
    }

    @Test("GET /metrics has the requests of the server, and not those of the listener itself")
    func metrics() async throws {
        try await Self.run { server, admin in
            _ = try await server.ask("POST", "/counter/increment")
            _ = try await admin.ask("GET", "/version")
            let expected =
                #"bindery_requests_total{route="/counter/increment",method="POST",status="200",problem=""} 1"#
            var page = try await admin.ask("GET", "/metrics")
            // The server counts a request after its answer.
            while !page.text.contains(expected) { page = try await admin.ask("GET", "/metrics") }
            #expect(page["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
            #expect(!page.text.contains("/version") && !page.text.contains("/metrics"))
            for line in ["bindery_store_up 1", "bindery_draining 0", "bindery_sessions_in_memory 1"] {
                #expect(page.text.contains("\n\(line)\n"), "\(line)")
            }
            let memory = page.text.firstMatch(of: /\nprocess_resident_memory_bytes (\d+)\n/)
            #expect(memory.flatMap { Int($0.1) } ?? 0 > 1_000_000)
            let families = page.text.matches(of: /# TYPE (\S+)/).map(\.1)
            #expect(Set(families).count == families.count)
        }
    }

    @Test("a store that does not answer is down after two seconds, and the page comes all the same")
    func storeDown() async throws {
        let (store, timer) = (SilentStore(), ManualTime())
        try await Self.run(store, timer: timer) { _, admin in
            async let page = admin.ask("GET", "/metrics")
            while !store.isAsked { await Task.yield() }
            timer.advance(by: .seconds(3))
            let text = try await page.text
            #expect(text.contains("\nbindery_store_up 0\n"))
        }
    }

    @Test("the probes are those of the server", arguments: ["/livez", "/readyz"])
    func probes(path: String) async throws {
        try await Self.run { server, admin in
            let before = try await admin.ask("GET", path).status
            #expect(before == 200)
            #expect(server.server.service.leave())
            let after = try await admin.ask("GET", path).status
            #expect(after == (path == "/readyz" ? 503 : 200))
        }
    }

    @Test("a page under another name cannot read it", arguments: ["/metrics", "/version", "/readyz"])
    func host(path: String) async throws {
        try await Self.run { _, admin in
            let reply = try await admin.ask("GET", path, "Host: evil.example")
            #expect(reply.status == 421)
        }
    }

    @Test("it has no sessions")
    func sessions() async throws {
        try await Self.run { _, admin in
            let reply = try await admin.ask("GET", "/sessions")
            #expect(reply.status == 404)
        }
    }

    @Test("an error names the option of the listener that cannot start")
    func taken() async throws {
        try await TestServer.run { server in
            var options = BinderyServer.Options()
            options.admin = .init(host: "127.0.0.1", port: server.port)
            let other = try BinderyServer(viewModels: .samples, store: MemoryStore { .zero }, options: options)
            let error = try #require(#expect(throws: StartError.self) { try other.start() })
            let words = "the listener for operators, is taken; choose another (admin; --admin), or 0 for a free one"
            #expect("\(error)" == "port \(server.port) of 127.0.0.1, \(words)")
            await other.stop()
        }
    }
}

/// A store that never says whether it is ready.
private final class SilentStore: EntityStore {
    private let store = MemoryStore { .zero }
    private let asked = Lock(false)

    var isAsked: Bool { asked.withLock { $0 } }
    var isShared: Bool { false }

    func isReady(then done: @escaping @Sendable (Bool) -> Void) { asked.withLock { $0 = true } }
    func submit(_ commit: Commit, then done: @escaping @Sendable (CommitResult) -> Void) {
        store.submit(commit, then: done)
    }
    func load(_ id: EntityID, then done: @escaping @Sendable (LoadResult) -> Void) { store.load(id, then: done) }
    func head(of id: EntityID, then done: @escaping @Sendable (HeadResult) -> Void) { store.head(of: id, then: done) }
    func lookUp(_ key: KeyDigest, in id: EntityID, then done: @escaping @Sendable (KeyResult) -> Void) {
        store.lookUp(key, in: id, then: done)
    }
    func end(_ id: EntityID, base: Stamp?, then done: @escaping @Sendable (CommitResult) -> Void) {
        store.end(id, base: base, then: done)
    }
    func touch(_ ids: [EntityID]) { store.touch(ids) }
    func expire(unusedFor ttl: Duration, limit: Int, then done: @escaping @Sendable (Expired) -> Void) {
        store.expire(unusedFor: ttl, limit: limit, then: done)
    }
    func observe(_ moved: @escaping @Sendable (EntityID?) -> Void) { store.observe(moved) }
    func close(then done: @escaping @Sendable () -> Void) { store.close(then: done) }
}
