/// The connection of one thread: opened when needed, and opened again after a loss.
struct Link {
    private let target: Target
    private let patience: Duration
    private var connection: Connection?
    /// The last failure to connect, and the earliest time of the next attempt.
    private var away: (failure: PostgresFailure, until: ContinuousClock.Instant)?

    /// - Parameter patience: how long the link waits after a failure before it connects again.
    init(_ target: Target, patience: Duration) { (self.target, self.patience) = (target, patience) }

    /// Runs a statement.
    ///
    /// - Throws: ``PostgresFailure/Kind/notConnected`` if nothing was sent; else as ``Connection/run(_:within:_:)`` does.
    mutating func run(
        _ statement: String, within time: Duration, _ fill: (inout Parameters) -> Void
    ) throws(PostgresFailure) -> Answer {
        let connection = try connected()
        do throws(PostgresFailure) {
            return try connection.run(statement, within: time, fill)
        } catch {
            if error.endsConnection { self.connection = nil }
            throw error
        }
    }

    private mutating func connected() throws(PostgresFailure) -> Connection {
        if let connection, connection.isAlive { return connection }
        connection = nil
        if let away, away.until > .now { throw away.failure }
        do throws(PostgresFailure) {
            let new = try Connection(target)
            (connection, away) = (new, nil)
            return new
        } catch {
            away = (error, .now + patience)
            throw error
        }
    }
}
