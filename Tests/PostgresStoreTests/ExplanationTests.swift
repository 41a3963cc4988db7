import TestSupport
import Testing

@testable import PostgresStore

@Suite("What an operator is told where the server's words say little")
struct ExplanationTests {
    @Test("a pooler that gives each statement another connection of the server is named")
    func pooler() async throws {
        let server = try await PostgresServer.ready()
        try await onThread {
            let connection = try Connection(Target(server.uri()), commands: "")
            let statement = PreparedStatement("commit", "SELECT 1")
            _ = try connection.run(statement, [], within: .seconds(5))
            // As it is for a client that is at another's connection.
            try connection.execute("DEALLOCATE ALL")
            let failure = #expect(throws: PostgresFailure.self) {
                try connection.run(statement, [], within: .seconds(5))
            }
            #expect(failure?.explanation.contains("a pooler by transactions stands before the server") == true)
            #expect(failure?.endsConnection == true)
        }
    }

    @Test("tables that lack a column are called what they are when they are opened")
    func tables() async throws {
        try await withReplicas { one, other in
            await one.store.close()
            await other.store.close()
            try one.server.run("ALTER TABLE \(one.schema).store DROP filling_from")
            let error = #expect(throws: PostgresStoreError.self) {
                try PostgresStore(uri: one.server.uri(), schema: #require(SchemaName(one.schema)))
            }
            let words = error?.description ?? ""
            #expect(words.contains("\"filling_from\"") && words.contains("a build between two releases made them"))
        }
    }
}
