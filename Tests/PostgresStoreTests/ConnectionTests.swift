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
