import Events
import Sessions
import Synchronization

/// The time of day as the server has it: one clock for all replicas, of which each may have another wrong.
///
/// Between two answers of the server the machine's time since its start is added, which nobody sets.
final class ServerClock: Sendable {
    /// The server's time of day when this machine's ``ContinuousClock`` was at `origin`, in milliseconds.
    private let timeAtOrigin = Atomic<Int64>(0)
    private let origin = ContinuousClock.now
    /// By how many seconds the machine's own time of day is ahead.
    private let offset = Atomic<Int64>(0)
    private let path: String
    private let settings: Settings
    private let isToldOff = Atomic(false)
    /// So many seconds are told of.
    private static let tolerance: Int64 = 5

    init(_ target: Target, _ settings: Settings) { (path, self.settings) = (target.description, settings) }

    /// Asks the server.
    func read(_ connection: Connection) throws(PostgresFailure) {
        let answer = try connection.run(Self.statement, [], within: settings.statementTimeout)
        set(answer.integer(0, 0))
    }

    /// What the server's clock shows now.
    var now: TimeOfDay {
        TimeOfDay(secondsSince1970: (timeAtOrigin.load(ordering: .relaxed) + sinceOrigin) / 1000)
    }

    /// By how many seconds this machine's own time of day is ahead of it, as last seen.
    var secondsAhead: Int { Int(offset.load(ordering: .relaxed)) }

    private func set(_ milliseconds: Int64) {
        timeAtOrigin.store(milliseconds - sinceOrigin, ordering: .relaxed)
        let ahead = settings.machineTime().secondsSince1970 - milliseconds / 1000
        offset.store(ahead, ordering: .relaxed)
        let isOff = abs(ahead) >= Self.tolerance
        guard isToldOff.exchange(isOff, ordering: .relaxed) != isOff, isOff else { return }
        settings.log?.record(Event(.storeClockOff, ["path": .text(path), "seconds": .number(Int(ahead))]))
    }

    private var sinceOrigin: Int64 { Int64((ContinuousClock.now - origin) / .milliseconds(1)) }

    private static let statement = PreparedStatement(
        "clock", "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
}
