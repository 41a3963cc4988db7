import Foundation
import Sessions
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Outcomes that a Bindery of the second schema stored")
struct EarlierOutcomesTests {
    /// The SHA-256 of the path, a zero byte and the body of ``request(in:body:)``, as that Bindery stored it.
    private static let digest = "298a5c1af9fbbdc3d7f70767b69c93255d9ddfb7ae17612f547cf806291dbbb0"
    private static let own = SessionID(rawValue: String(repeating: "0123456789abcdef", count: 4))

    private func request(in id: SessionID, body: String = #"{"password":"secret"}"#) -> IdempotentRequest {
        IdempotentRequest(
            key: "order-7", in: id, token: id == .public ? nil : .random(), path: "/login/validate",
            body: Array(body.utf8)
        ) { _ in IdempotentRequest.Answer(status: 0, entityTag: "", contentType: "", body: []) }
    }

    private func prepare(_ bench: Bench, _ statements: String = "") throws {
        let fixture = try #require(Bundle.module.url(forResource: "Fixtures/version-2", withExtension: "sql"))
        let connection = try bench.connection()
        try connection.execute(String(contentsOf: fixture, encoding: .utf8))
        for session in [1, 2] { try connection.execute(Self.insertion(number: 6, session)) }
        try connection.execute(statements)
    }

    private static func insertion(number: Int, _ session: Int, status: Int = 200) -> String {
        """
        INSERT INTO outcomes VALUES
        (\(session), \(number), 'order-7', '\(digest)', \(status), '"e.1"', 'application/json', CAST('[1]' AS BLOB));
        """
    }

    @Test(
        "still answer their retries, for an hour, or in the public session for ten minutes",
        arguments: [(own, 3600), (.public, 600)] as [(SessionID, Int64)])
    func retried(id: SessionID, seconds: Int64) async throws {
        try await withBench { bench in
            try prepare(bench)
            let store = try bench.open()
            let request = request(in: id)
            let outcome = try #require(try await store.outcome(of: request.key, in: id))
            #expect(request.isOf(outcome))
            #expect(!self.request(in: id, body: "{}").isOf(outcome))
            #expect(outcome.body == Array("[1]".utf8))
            #expect((outcome.status, outcome.entityTag, outcome.contentType) == (200, "\"e.1\"", "application/json"))
            #expect(outcome.end == bench.timeOfDay.after(seconds))
            bench.timeOfDay.advance(by: seconds)
            #expect(try await store.outcome(of: request.key, in: id) == nil)
            await store.close()
        }
    }

    @Test("leave neither key nor plain digest in the file")
    func nothingLeft() async throws {
        try await withBench { bench in
            // More than a page of them, so that pages become free.
            try prepare(bench, (7..<200).map { Self.insertion(number: $0, 2) }.joined())
            try await bench.open().close()
            let file = try #require(try bench.contents()["bindery.db"])
            for trace in ["order-7", Self.digest] { #expect(file.range(of: Data(trace.utf8)) == nil) }
        }
    }

    @Test("are taken over also where that Bindery had the file in between; of a key used twice, the latest")
    func inBetween() async throws {
        try await withBench { bench in
            try prepare(bench)
            try await bench.open().close()
            try bench.connection().execute(
                Self.insertion(number: 1, 2, status: 409) + Self.insertion(number: 2, 2, status: 201))
            let store = try bench.open()
            let key = KeyDigest(of: "order-7", in: Self.own)
            #expect(try await store.outcome(of: key, in: Self.own)?.status == 201)
            await store.close()
            #expect(try bench.connection().integer("SELECT count(*) FROM outcomes") == 0)
        }
    }

    @Test("go with their file to this schema, which that Bindery can go on with, as the operator is told")
    func wayBack() async throws {
        try await withBench { bench in
            try prepare(bench)
            try await bench.open().close()
            let version = try #require(try DatabaseHeader.read(bench.path)?.version)
            #expect(version.schema == 4)
            #expect(version.isReadable(by: 2))
            #expect(bench.told.first?.contains("the Bindery from before can go on with the file") == true)
        }
    }
}
