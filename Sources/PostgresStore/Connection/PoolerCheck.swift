/// Tells a pooler by transactions, as PgBouncer is with `pool_mode = transaction`, from a server.
///
/// Behind one, a connection of the server serves many in turn: settings, prepared statements, locks and LISTEN, which a store
/// needs, are then whoever's was served last. Nothing is set to find that out, since a pooler would give it to others.
///
/// It is run at the start, and, because it takes a connection more, later only where there is a suspicion (``PoolerSuspicion``).
enum PoolerCheck {
    /// Which of the server's processes serves a connection at the moment.
    typealias Process = () throws(PostgresFailure) -> Int64

    /// Makes two connections, each of which has one of the server's to itself.
    ///
    /// - Throws: ``PostgresFailure``, also where a pooler by transactions was found.
    static func connect(
        _ target: Target, _ suspicion: PoolerSuspicion? = nil
    ) throws(PostgresFailure) -> (Connection, Connection) {
        let first = try Connection(target, commands: "", suspicion)
        let second = try Connection(target, commands: "", suspicion)
        try run { () throws(PostgresFailure) in
            try process(of: first)
        } and: { () throws(PostgresFailure) in
            try process(of: second)
        }
        return (first, second)
    }

    /// Asks by turns, and each twice in a row: a pooler gives the connection of the server that was used last, which the other
    /// had, or one after the other, which is another each time.
    static func run(_ first: Process, and second: Process) throws(PostgresFailure) {
        var (ofFirst, ofSecond): (Set<Int64>, Set<Int64>) = ([], [])
        for _ in 0..<rounds {
            for _ in 0..<2 { ofFirst.insert(try first()) }
            for _ in 0..<2 { ofSecond.insert(try second()) }
        }
        guard ofFirst.count == 1, ofSecond.count == 1, ofFirst != ofSecond else {
            throw PostgresFailure(.refused, message: complaint)
        }
    }

    /// What an operator is told.
    static let complaint =
        "a pooler by transactions stands before the server: connect to the server itself, "
        + "or let the pooler give each client a connection of its own (pool_mode = session)"

    /// With others at work a pooler may give each the same one for a while.
    private static let rounds = 4

    private static func process(of connection: Connection) throws(PostgresFailure) -> Int64 {
        try connection.ask("SELECT pg_backend_pid()").integer(0, 0)
    }
}
