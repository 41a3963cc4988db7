import Locking
import Sessions
import StoreParts
import TestSupport
import Testing

@testable import PostgresStore

@Suite("Connections that end", .serialized)
struct ConnectionTests {
    private let steps = Steps()

    @Test("an idle connection that the server has ended, and said so, is not taken for one that lives")
    func ended() async throws {
        let server = try await PostgresServer.started()
        let database = try Database.open(Target(server.uri()), Settings()).database
        let connection = try database.connect()
        #expect(connection.isAlive)
        // Returns when the process behind the connection is gone: all that it says has been sent.
        let ended = try server.run(
            "SELECT bool_and(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity WHERE application_name = 'bindery'"
        )
        #expect(ended == "t")
        #expect(!connection.isAlive)
    }

    @Test("a connection that is taken and then stands still is given up, and it is said what that may be")
    func silent() async throws {
        let server = try SilentServer()
        defer { server.stop() }
        let error = try await onThread {
            #expect(throws: PostgresStoreError.self) { try PostgresStore(uri: server.uri) }
        }
        #expect(error?.code == .notConnected)
        #expect(error?.description.contains("a pooler whose pool is full") == true)
    }

    @Test("what a commit does can be tried also where a role's texts take a backslash for an escape")
    func texts() async throws {
        try await withReplicas { one, _ in
            let options = "&options=-c%20standard_conforming_strings%3Doff%20-c%20escape_string_warning%3Doff"
            let name = try #require(SchemaName(one.schema))
            let database = try Database.open(Target(one.server.uri() + options), Settings(schema: name)).database
            let connection = try database.connect()
            #expect(throws: Never.self) { try connection.run(database.statements.trial, [], within: .seconds(5)) }
        }
    }

    @Test("a statement whose preparation was given up is run when the server answers again")
    func preparedLate() async throws {
        let server = try await PostgresServer.ready()
        try await onThread {
            let connection = try Connection(Target(server.uri()), commands: "SELECT")
            let statement = PreparedStatement("slow", "SELECT 7::bigint")
            let failure = #expect(throws: PostgresFailure.self) { try connection.run(statement, [], within: .zero) }
            #expect(failure?.kind == .timedOut)
            while try !connection.waitForAnswer(upTo: .milliseconds(50)) {}
            #expect(try connection.run(statement, [], within: .seconds(30)).integer(0, 0) == 7)
        }
    }

    @Test(
        "a statement has another name on each connection: a pooler that mixes them up finds none, not another program's"
    )
    func namesOfItsOwn() async throws {
        let server = try await PostgresServer.ready()
        try await onThread {
            let names = try (1...2).map { _ in
                let connection = try Connection(Target(server.uri()), commands: "SELECT")
                let statement = PreparedStatement(
                    "names", "SELECT name FROM pg_prepared_statements WHERE name LIKE 'names%'")
                return try connection.run(statement, [], within: .seconds(30)).text(0, 0)
            }
            #expect(names[0] != names[1])
        }
    }

    @Test("all who ask in one go are told where the connection breaks, whatever they ask")
    func toldAll() async throws {
        let server = try await PostgresServer.started()
        let database = try Database.open(Target(server.uri()), Settings()).database
        let reader = Reader(try database.connect(), database)
        try server.stop()
        let told = Lock<[String]>([])
        let failure = reader.answer([
            .load(steps.id, unless: nil) { _ in told.withLock { $0.append("load") } },
            .outcome(KeyDigest(of: "key", in: steps.id), steps.id) { _ in told.withLock { $0.append("outcome") } },
            .other { (reader) throws(PostgresFailure) in
                _ = try reader.run(\.count, [])
            } failed: { _ in
                told.withLock { $0.append("other") }
            },
        ])
        #expect(failure != nil)
        #expect(told.withLock { $0.sorted() } == ["load", "other", "outcome"])
    }

    @Test("a line of which a part was taken gives all the rest")
    func line() {
        let line = Line<Int>()
        for number in 0..<5 { _ = line.append(number) }
        #expect(line.take(upTo: 2) == [0, 1])
        #expect(line.take(upTo: .max, sleeps: false) == [2, 3, 4])
        #expect(line.take(upTo: .max, sleeps: false) == [])
    }
}
