import Entities
import Foundation
import HTTP
import Samples
import TestSupport
import Testing
import ViewModels

@testable import Service

/// Protects probes and metrics of operators.
@Suite("The listener for operators")
struct AdminServiceTests {
    private static let here = BinderyServer.Options.Address(host: "127.0.0.1", port: 0)

    private static func run(
        _ test: (TestServer, TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run(options: { $0.admin = here }) { server in
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
            // The server counts a request after its answer.
            #expect(try await eventually { try await admin.ask("GET", "/metrics").text.contains(expected) })
            let page = try await admin.ask("GET", "/metrics")
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

    @Test("the probes are those of the server", arguments: ["/livez", "/readyz"])
    func probes(path: String) async throws {
        try await Self.run { server, admin in
            let before = try await admin.ask("GET", path).status
            #expect(before == 200)
            server.server.service.leave()
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

    @Test("an error names the port of the listener that cannot start")
    func taken() async throws {
        try await TestServer.run { server in
            var options = BinderyServer.Options()
            options.admin = .init(host: "127.0.0.1", port: server.port)
            let other = try BinderyServer(viewModels: .samples, options: options) { _ in MemoryStore { .zero } }
            let error = try #require(#expect(throws: StartError.self) { try other.start() })
            #expect("\(error)".hasPrefix("port \(server.port) of 127.0.0.1 is taken"))
            await other.stop()
        }
    }
}
