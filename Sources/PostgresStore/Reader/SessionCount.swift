import Locking
import Sessions

/// How many sessions there are: counted by the server, which reads all of them, and kept for a while.
///
/// Each session that begins asks for it. Meanwhile what is begun and ended here is added to it; of what others do it hears by
/// the next count, a second later, or twenty times as long as a count takes.
final class SessionCount: Sendable {
    private typealias Waiter = @Sendable (Result<Int, StoreFailure>) -> Void

    private struct State {
        var counted = 0
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

    /// - Throws: what one who reads is told.
    func now() async throws(StoreFailure) -> Int {
        let result = await withCheckedContinuation { continuation in ask { continuation.resume(returning: $0) } }
        return try result.get()
    }

    private func ask(_ told: @escaping Waiter) {
        let (begin, begun) = (ContinuousClock.now, database.sessionsBegun.load(ordering: .relaxed))
        let (known, isFirst) = state.withLock { state -> (Int?, Bool) in
            if state.waiters.isEmpty, begin < state.end { return (state.counted + begun - state.begunBefore, false) }
            state.waiters.append(told)
            return (nil, state.waiters.count == 1)
        }
        if let known { return told(.success(known)) }
        guard isFirst else { return }
        housekeeper.submit(
            .other { [self] (reader) throws(PostgresFailure) in
                let counted = Int(try reader.run(\.count, []).integer(0, 0))
                let now = ContinuousClock.now
                end(.success(counted), begun, keptUntil: now + max(.seconds(1), (now - begin) * 20))
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
