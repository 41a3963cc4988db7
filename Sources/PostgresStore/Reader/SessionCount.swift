import Locking
import Sessions
import StoreParts

/// How many sessions there are: counted by the server, which reads all of them, and kept for a while.
///
/// Each session that begins asks for it. Meanwhile what is begun and ended here is added to it; of what others do it hears by
/// the next count, a second later, or twenty times as long as a count takes.
final class SessionCount: Sendable {
    private typealias Waiter = @Sendable (Result<Int, StoreFailure>) -> Void

    private struct State {
        var counted: Int?
        /// What ``Database/sessionsBegun`` was when that began.
        var begunBefore = 0
        /// Until when it is kept.
        var end = ContinuousClock.now
        /// Who wait for a count that is under way.
        var waiters: [Waiter] = []
    }

    private let database: Database
    private let housekeeper: Readers
    private let state = Lock(State())

    init(_ database: Database, _ housekeeper: Readers) { (self.database, self.housekeeper) = (database, housekeeper) }

    /// Whether the server is counting.
    ///
    /// What begins meanwhile may be counted by it and added to it as well, until the next one.
    var isUnderWay: Bool { state.withLock { !$0.waiters.isEmpty } }

    /// The number, or after a second without an answer the one from before, so that nobody waits for a server that stands still.
    ///
    /// - Throws: what one who reads is told.
    func now() async throws(StoreFailure) -> Int {
        let begun = database.sessionsBegun.load(ordering: .relaxed)
        let (kept, isFresh) = state.withLock { state in
            (state.counted.map { $0 + begun - state.begunBefore }, state.waiters.isEmpty && .now < state.end)
        }
        if let kept, isFresh { return kept }
        let result = await FirstOutcome.within(
            kept == nil ? .seconds(5) : .seconds(1), otherwise: kept.map { .success($0) } ?? .failure(.notSent)
        ) { told in
            let isFirst = state.withLock { state in
                state.waiters.append(told)
                return state.waiters.count == 1
            }
            if isFirst { count(begun) }
        }
        return try result.get()
    }

    private func count(_ begun: Int) {
        let begin = ContinuousClock.now
        housekeeper.submit(
            .other { [self] (reader) throws(PostgresFailure) in
                let counted = Int(try reader.run(\.count, []).integer(0, 0))
                let now = ContinuousClock.now
                end(.success(counted), begun, keptUntil: now + max(database.settings.countInterval, (now - begin) * 20))
            } failed: { [self] in
                end(.failure($0), begun, keptUntil: .now)
            })
    }

    private func end(
        _ result: Result<Int, StoreFailure>, _ begunBefore: Int, keptUntil end: ContinuousClock.Instant
    ) {
        let waiters = state.withLock { state in
            if case .success(let counted) = result { (state.counted, state.begunBefore) = (counted, begunBefore) }
            state.end = end
            defer { state.waiters = [] }
            return state.waiters
        }
        for told in waiters { told(result) }
    }
}
