/// The connection of one thread: made when it is needed, and made anew after it was lost.
struct Link {
    private let target: Target
    private let patience: Duration
    private var connection: Connection?
    /// The last failure to connect; until that time nobody tries again.
    private var away: (failure: PostgresFailure, until: ContinuousClock.Instant)?

    /// Makes a link without a connection.
    ///
    /// - Parameter patience: how long after a failure the link does not try again.
    init(_ target: Target, patience: Duration) { (self.target, self.patience) = (target, patience) }

    /// Runs a statement.
    ///
    /// - Throws: ``PostgresFailure/Kind/notConnected`` where nothing was sent, and as ``Connection/run(_:within:_:)`` does.
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
