import CPostgres
import Events
import Locking
import Sessions
import Synchronization

/// The database, as all connections of a store know it.
final class Database: Sendable {
    let target: Target
    let settings: Settings
    let statements = Statements()
    let counts = ReplicaCounts()
    /// Whether the server has refused commits since it was last seen to take one like them (``Statements/trial``).
    let isRefusing = Atomic(false)
    private let known: Lock<Standing>

    /// Connects for the first time, and sees to it that the tables are there.
    ///
    /// - Throws: ``PostgresStoreError``.
    init(_ target: Target, _ settings: Settings) throws(PostgresStoreError) {
        (self.target, self.settings) = (target, settings)
        do throws(PostgresFailure) {
            let first = try Connection(target, commands: Self.commands(settings, isToLast: true))
            try Schema(settings.schema).prepare(first, timeToLive: settings.timeToLive)
            // Anew: what the tables are is part of it.
            let second = try Connection(target, commands: Self.commands(settings, isToLast: true))
            known = Lock(second.standing)
            try tellConnected(second)
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
        let connection = try Connection(target, commands: Self.commands(settings, isToLast: isToLast))
        let (isBehind, isAnother) = known.withLock { known in
            guard !connection.standing.isBehind(known) else { return (true, false) }
            defer { known = connection.standing }
            return (false, connection.standing != known)
        }
        if isAnother {
            settings.log?.record(
                Event(
                    .storeChanged,
                    [
                        "path": .text(target.description), "host": .text(connection.host),
                        "timeline": .text(connection.standing.timeline),
                    ]))
        }
        guard !isBehind else {
            throw PostgresFailure(
                .notConnected,
                message: "the server is on an earlier timeline than the one that was written to: a primary of the past")
        }
        counts.noteConnect()
        return connection
    }

    /// Whether a connection is to the server as it now stands: others may have found another one meanwhile.
    func isCurrent(_ connection: Connection) -> Bool { connection.standing.incarnation == incarnation }

    private static func commands(_ settings: Settings, isToLast: Bool) -> String {
        """
        SET statement_timeout = \(settings.statementTimeout / .milliseconds(1));
        SET lock_timeout = \(settings.lockTimeout / .milliseconds(1));
        SET idle_in_transaction_session_timeout = \(settings.statementTimeout / .milliseconds(1));
        SET search_path = \(settings.schema.quoted);
        SET client_encoding = 'UTF8';
        \(isToLast ? "" : "SET synchronous_commit = off;")
        """
    }
}

/// Which server it is, and what it holds: another wherever it may have lost commits, or never had them.
///
/// A restored copy of a data directory has the identifier and, if it is recovered to a point in time, another timeline; a
/// standby that is promoted has another timeline; a server that starts has another time of its start; tables that were restored
/// from a dump are others.
struct Standing: Equatable, Sendable {
    let system: String
    let timeline: String
    let incarnation: UInt64

    init(_ handle: OpaquePointer) throws(PostgresFailure) {
        let answer = Answer(
            PQexecParams(
                handle,
                """
                SELECT system, timeline, hashtextextended(concat_ws(' ', system, timeline, pg_postmaster_start_time(),
                    (SELECT oid FROM pg_database WHERE datname = current_database()), sessions::oid,
                    pg_relation_filenode(sessions)), 0)
                FROM (SELECT (pg_control_system()).system_identifier::text AS system,
                    left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline,
                    to_regclass('sessions') AS sessions) AS server
                """, 0, nil, nil, nil, nil, 1))
        if let failure = answer.failure { throw failure }
        (system, timeline) = (answer.text(0, 0), answer.text(0, 1))
        incarnation = max(1, UInt64(bitPattern: answer.integer(0, 2)))
    }

    /// Whether the server was left behind by the one that is known.
    func isBehind(_ known: Standing) -> Bool { system == known.system && timeline < known.timeline }
}
