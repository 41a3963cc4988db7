import HTTP
import Sessions
import TestSupport
import Testing
import ViewModels

@testable import Service

@Suite("The listener for operators")
struct AdminTests {
    /// A service with a listener for operators.
    private func withAdmin(
        over store: any SessionStore = MemoryStore(), _ change: (inout BinderyServer.Options) -> Void = { _ in },
        _ test: (LiveService) async throws -> Void
    ) async throws {
        func options(_ options: inout BinderyServer.Options) {
            options.admin = BinderyServer.Options.Address(host: "127.0.0.1", port: 0)
            change(&options)
        }
        try await withService(over: store, options, test)
    }

    private static let local = "Host: localhost"

    private func ask(_ service: LiveService, _ path: String, _ host: String = local) async throws -> ReceivedResponse {
        try await service.operate().get(path, host)
    }

    @Test("is there where it is asked for, and nowhere else")
    func off() async throws {
        try await withService { service in
            let status = try await service.get("/metrics").status
            #expect(service.server.adminURL == nil)
            #expect(status == 404)
        }
        try await withAdmin { service in
            let statuses = [
                try await ask(service, "/livez").status, try await ask(service, "/counter").status,
                try await service.get("/metrics").status,
            ]
            #expect(statuses == [200, 404, 404])
        }
    }

    @Test("answers though the server is full")
    func full() async throws {
        try await withAdmin {
            $0.server.connections = 1
        } _: { service in
            let cursor = try await service.cursor()
            #expect(await eventually { service.gauges.connections == 0 })
            let poll = try await service.poll("wait=25&since=\(cursor)")
            await service.waits(1)
            #expect(try await service.get("/livez").status == 503)
            for path in ["/livez", "/readyz", "/metrics"] { #expect(try await ask(service, path).status == 200) }
            poll.raw.close()
        }
    }

    @Test("says what is in the way of being ready")
    func readiness() async throws {
        try await withAdmin { service in
            #expect(try await ask(service, "/readyz").text == #"{"status":"ready"}"#)
            service.store.isAway = true
            let away = try await ask(service, "/readyz")
            #expect(away.status == 503)
            #expect(away.text == #"{"status":"not-ready","reasons":["the store takes no commits"]}"#)
            let line = try #require(await service.log.lines(of: away).first)
            #expect(line.contains(#""problem":"not-ready""#))
            #expect(line.contains(#""cause":"the store takes no commits""#))
            service.server.service.leave()
            let leaving = try await ask(service, "/readyz")
            #expect(
                leaving.text
                    == #"{"status":"not-ready","reasons":["the server is about to stop","the store takes no commits"]}"#
            )
        }
    }

    @Test("does not wait for a store that hangs")
    func hungStore() async throws {
        let store = HungStore()
        defer { store.gate.open() }
        try await withAdmin(over: store) { service in
            let admin = try await service.operate()
            try await admin.send("GET", "/readyz", [Self.local])
            try await service.timeline.sleeper(until: .seconds(2))
            service.timeline.advance(by: .seconds(2))
            let answer = try await admin.answer()
            #expect(answer.text == #"{"status":"not-ready","reasons":["the store does not answer"]}"#)
            store.gate.open()
        }
    }

    @Test("is asked under the names of this machine alone, where it listens there, and with no query")
    func hosts() async throws {
        try await withAdmin { service in
            let rebound = try await ask(service, "/metrics", "Host: evil.example")
            let withQuery = try await ask(service, "/metrics?all")
            #expect((rebound.status, withQuery.status) == (421, 400))
        }
    }

    @Test("names the program and the build")
    func version() async throws {
        try await withAdmin { service in
            let version = try JSONValue(try await ask(service, "/version").body)
            #expect(version["program"] == "Bindery")
            #expect(version["programVersion"] == .string(Version.current))
            #expect(version["version"] == .string(Version.current))
            #expect(version["bindery"] == .string(Version.current))
            let metrics = try await ask(service, "/metrics").text
            let info = metrics.split(separator: "\n").filter { $0.hasPrefix("bindery_build_info{") }
            #expect(info.count == 1)
            #expect(info.first?.contains(#",program="Bindery",program_version="\#(Version.current)"} 1"#) == true)
            #expect(version["build"]?.string?.wholeMatch(of: /[0-9a-f]{16,128}/) != nil)
        }
    }
}

/// A store whose disk does not answer.
private final class HungStore: SessionStore {
    private let behind = MemoryStore()
    let gate = Gate()

    var incarnation: UInt64 { behind.incarnation }
    var isShared: Bool { false }
    func load(_ id: SessionID) async throws(StoreFailure) -> SessionRecord? { behind.load(id) }
    func outcome(of key: KeyDigest, in id: SessionID) async throws(StoreFailure) -> RememberedOutcome? { nil }
    func submit(_ commit: Commit, then done: @escaping @Sendable (StoreFailure?) -> Void) {
        behind.submit(commit, then: done)
    }
    func delete(_ id: SessionID, at version: CommitVersion) async throws(StoreFailure) {}
    func touch(_ ends: [SessionID: TimeOfDay]) async throws(StoreFailure) {}
    func deleteEnded(by now: TimeOfDay, limit: Int) async throws(StoreFailure) -> [SessionID] { [] }
    func deleteEndedOutcomes(by now: TimeOfDay, limit: Int) async throws(StoreFailure) -> Int { 0 }
    func sessions(after place: Int64, limit: Int) async throws(StoreFailure) -> [SessionSummary] { [] }
    func count() async throws(StoreFailure) -> Int { 0 }
    func isReady() async -> Bool {
        await gate.pass()
        return true
    }
    func close() async {}
}
