import CPostgres
import Locking
import Sessions
import Synchronization

/// The database, as all connections of a store know it.
final class Database: Sendable {
    let target: Target
    let settings: Settings
    let statements = Statements()
    let counts = ReplicaCounts()
    let clock: ServerClock
    private let suspicion = PoolerSuspicion()
    /// Whether the server has refused commits since it was last seen to take one like them (``Statements/trial``).
    let isRefusing = Atomic(false)
    /// Whether the time to live was changed, as far as is known, and not all ends have been moved.
    let mayHaveEndsToMove = Atomic(true)
    /// Whether the tables know this process's time to live, or another's that started later.
    let isTimeToLiveNoted: Atomic<Bool>
    /// How many sessions more were begun than ended by this process.
    let sessionsBegun = Atomic(0)
    /// What is at stake, as last told (``ServerSettings/risks``).
    let risks = Lock<[String]>([])
    private let known: Lock<Standing>

    private init(_ target: Target, _ settings: Settings, _ standing: Standing) {
        (self.target, self.settings) = (target, settings)
        known = Lock(standing)
        isTimeToLiveNoted = Atomic(settings.timeToLive == nil)
        clock = ServerClock(target, settings)
    }

    /// Connects for the first time, and sees to it that the tables are there.
    ///
    /// - Returns: the database, and a connection that marks the tables as open, to be kept until the writer's does.
    /// - Throws: ``PostgresStoreError``.
    static func open(
        _ target: Target, _ settings: Settings
    ) throws(PostgresStoreError) -> (database: Database, holder: Connection) {
        do throws(PostgresFailure) {
            // Before anything is set or locked: behind a pooler that would be another client's from then on.
            let (holder, other) = try PoolerCheck.connect(target)
            for connection in [holder, other] { try connection.execute(commands(settings, isToLast: true)) }
            let schema = Schema(settings.schema)
            if settings.purpose == .source { try schema.requireTables(holder) }
            try schema.prepare(holder, timeToLive: settings.timeToLive, isAlone: settings.isAlone)
            try schema.settle(holder, for: settings.purpose)
            try other.execute(Schema.markLifetime)
            let statements = Statements()
            let standing = try other.readStanding(statements.standing, within: settings.statementTimeout)
            let database = Database(target, settings, standing)
            try database.tellConnected(other)
            try database.clock.read(other)
            return (database, holder)
        } catch {
            throw PostgresStoreError(target, error)
        }
    }

    /// What the server holds: what ``SessionStore/incarnation`` says.
    var incarnation: UInt64 { known.withLock { $0.incarnation } }

    /// Makes a connection.
    ///
    /// - Parameter isToLast: whether its commits are on disks, and on a synchronous standby's, before they are acknowledged.
    /// - Throws: ``PostgresFailure``; also where the server has fallen behind the one that was known: a primary that was
    ///   left behind when its standby was promoted.
    func connect(isToLast: Bool = true) throws(PostgresFailure) -> Connection {
        let connection = try checkedConnection()
        try connection.execute(Self.commands(settings, isToLast: isToLast) + Schema.markLifetime)
        let standing = try connection.readStanding(statements.standing, within: settings.statementTimeout)
        let (isBehind, isAnother) = known.withLock { known in
            guard !standing.isBehind(known) else { return (true, false) }
            defer { known = standing }
            return (false, standing != known)
        }
        if isAnother {
            try clock.read(connection)
            try tellChanged(connection, standing)
        }
        guard !isBehind else {
            let place = "the server at \(connection.host) is on an earlier timeline than the one that was written to"
            throw PostgresFailure(.notConnected, message: "\(place): a primary of the past")
        }
        counts.noteConnect()
        return connection
    }

    /// One on which nothing has been set, and, where there is a suspicion, behind no pooler by transactions.
    private func checkedConnection() throws(PostgresFailure) -> Connection {
        let latest = suspicion.latest
        guard suspicion.isAny else { return try Connection(target, commands: "", suspicion) }
        let (connection, _) = try PoolerCheck.connect(target, suspicion)
        suspicion.dispel(upTo: latest)
        return connection
    }

    /// The time of day, by which ends are told.
    var now: TimeOfDay { settings.now?() ?? clock.now }

    /// Whether a connection is to the server as it now stands, and no pooler between them: others may have found another one
    /// meanwhile.
    func isCurrent(_ connection: Connection) -> Bool {
        connection.standing?.incarnation == incarnation && connection.isUnsuspected
    }

    /// Marks the tables as open as long as the connection is: who is alone with them, and who shares them, keep each other out.
    ///
    /// The writer's connection does so: whoever cannot write does no harm, and one that was cut off while another was alone
    /// has to ask before it writes again.
    func hold(_ connection: Connection) throws(PostgresFailure) {
        let isFree = try connection.run(
            settings.isAlone ? statements.lockAlone : statements.lockShared,
            [.bytes(Array(settings.schema.rawValue.utf8))], within: settings.statementTimeout)
        guard isFree.bool(0, 0) else { throw Schema.inUse(isAlone: settings.isAlone) }
    }

    /// The server's end of the connection is to go as soon as this one's machine has: its locks go with it.
    private static func commands(_ settings: Settings, isToLast: Bool) -> String {
        """
        SET statement_timeout = \(settings.statementTimeout / .milliseconds(1));
        SET lock_timeout = \(settings.lockTimeout / .milliseconds(1));
        SET idle_in_transaction_session_timeout = \(settings.statementTimeout / .milliseconds(1));
        SET search_path = \(settings.schema.quoted);
        SET client_encoding = 'UTF8';
        SET standard_conforming_strings = on;
        SET tcp_keepalives_idle = 5;
        SET tcp_keepalives_interval = 2;
        SET tcp_keepalives_count = 3;
        SET tcp_user_timeout = 10000;
        \(isToLast ? "" : "SET synchronous_commit = off;")
        """
    }
}

/// Which server it is, and what it holds: another wherever it may have lost commits, or never had them.
///
/// A restored copy of a data directory has the identifier and, if it is recovered to a point in time, another timeline; a
/// standby that is promoted has another timeline; a server that starts has another time of its start; one that went on after a
/// crash of one of its processes has lost the mark that is not logged; tables that were restored from a dump are others, and
/// rows that were have another mark once a replica has started alone.
struct Standing: Equatable, Sendable {
    let system: String
    let timeline: String
    let incarnation: UInt64
    /// The object identifier of the table of sessions.
    let tables: Int64

    /// Reads the row of ``Statements/standing``.
    init(_ answer: Answer) {
        (system, timeline) = (answer.text(0, 0), answer.text(0, 1))
        incarnation = max(1, UInt64(bitPattern: answer.integer(0, 2)))
        tables = answer.integer(0, 4)
    }

    /// Whether the server was left behind by the one that is known.
    func isBehind(_ known: Standing) -> Bool { system == known.system && timeline < known.timeline }
}
