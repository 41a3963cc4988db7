import Locking
import Sessions

/// Which sessions change by themselves in this process, and which are to: kept in the database by a beat each second.
///
/// Who has not beaten for ``Settings/leaseTime`` is taken for dead, by the clock of the database; it takes itself for dead a second
/// earlier, by its own. Where no session asks, nothing is written.
final class Leases: Sendable {
    fileprivate struct Asked {
        var isHeld = false
        /// Of whom the first is told: mostly one, and two for a moment where a session left memory and is there anew.
        var askers: [(number: UInt64, isHeld: @Sendable (Bool) -> Void)] = []
    }

    fileprivate struct State {
        var asked: [SessionID: Asked] = [:]
        /// To be deleted with the next beat.
        var released: Set<SessionID> = []
        var latest: UInt64 = 0
        /// When the latest beat that came through was sent.
        var lastBeat: ContinuousClock.Instant?
        /// The incarnation of the database that it came to: another one may know of no lease.
        var incarnation: UInt64 = 0
        var isBeating = false
        var isToBeatAgain = false
        /// The held ones that are to be compared with what is stored, some with each beat.
        var unchecked: [SessionID] = []
    }

    private let database: Database
    private let submit: @Sendable (Readers.Request) -> Void
    private let replica = Int64.random(in: 1...Int64.max)
    private let state = Lock(State())

    /// - Parameter submit: has something read or written, by a thread that may do so.
    init(_ database: Database, submit: @escaping @Sendable (Readers.Request) -> Void) {
        (self.database, self.submit) = (database, submit)
    }

    /// Asks for the lease of a session until what comes back is released.
    func ask(_ id: SessionID, _ isHeld: @escaping @Sendable (Bool) -> Void) -> StoreHandle {
        let number = state.withLock { state in
            state.latest += 1
            state.released.remove(id)
            state.asked[id, default: Asked()].askers.append((state.latest, isHeld))
            return state.latest
        }
        beat()
        return StoreHandle { [weak self] in self?.release(id, number) }
    }

    private func release(_ id: SessionID, _ number: UInt64) {
        let next = state.withLock { state -> (@Sendable (Bool) -> Void)? in
            guard var asked = state.asked[id] else { return nil }
            let wasFirst = asked.askers.first?.number == number
            asked.askers.removeAll { $0.number == number }
            state.asked[id] = asked.askers.isEmpty ? nil : asked
            if asked.askers.isEmpty, asked.isHeld { state.released.insert(id) }
            return wasFirst && asked.isHeld ? asked.askers.first?.isHeld : nil
        }
        next?(true)
    }

    /// Tells that this process lives, asks for what is asked for, and lets go of what was released; now and each second.
    func beat() {
        let now = ContinuousClock.now
        tellLost(state.withLock { $0.lost(at: now, database) })
        let beat = state.withLock { state -> Beat? in
            if state.isBeating { state.isToBeatAgain = true }
            guard !state.isBeating, !state.asked.isEmpty || !state.released.isEmpty else { return nil }
            state.isBeating = true
            return state.nextBeat(at: now, database)
        }
        guard let beat else { return }
        submit(
            .other { [self] (reader) throws(PostgresFailure) in
                let answer = try reader.run(
                    \.beat,
                    [
                        .integer(replica), .bytes(beat.wanted.map(\.bytea)), .bytes(beat.released.map(\.bytea)),
                        .bytes(beat.checked.map(\.bytea)),
                        .integer(Int64(database.settings.leaseTime / .milliseconds(1))),
                    ])
                end(beat, answer)
            } failed: { [self] _ in
                state.withLock { state in
                    state.isBeating = false
                    state.released.formUnion(beat.released.filter { state.asked[$0] == nil })
                }
            })
    }

    /// Notes what a beat has come to.
    private func end(_ beat: Beat, _ answer: Answer) {
        var (taken, lost): ([SessionID], [SessionID]) = ([], [])
        for row in 0..<answer.count {
            let id = answer.sessionID(row, 0)
            if answer.bool(row, 1) { taken.append(id) } else { lost.append(id) }
            if answer.bool(row, 2) { database.counts.noteTakeover() }
        }
        // What it says may be over by now: the next beat asks for it again.
        let isInTime = ContinuousClock.now < beat.time + database.settings.leaseTime - .seconds(1)
        let (told, lostHere, isToBeatAgain) = state.withLock { state in
            state.isBeating = false
            state.lastBeat = beat.time
            state.incarnation = beat.incarnation
            defer { state.isToBeatAgain = false }
            return (isInTime ? state.take(taken) : [], state.lose(lost), state.isToBeatAgain)
        }
        for isHeld in told { isHeld(true) }
        tellLost(lostHere)
        if isToBeatAgain { self.beat() }
    }

    private func tellLost(_ lost: [@Sendable (Bool) -> Void]) {
        for isHeld in lost { isHeld(false) }
        database.counts.noteLostLeases(lost.count)
    }

    /// How many leases are held here.
    var count: Int { state.withLock { $0.asked.values.count { $0.isHeld } } }

    /// Lets go of all, so that others need not wait until this process is taken for dead.
    func releaseAll(_ reader: Reader) throws(PostgresFailure) {
        guard state.withLock({ $0.lastBeat != nil }) else { return }
        _ = try reader.run(\.releaseLeases, [.integer(replica)])
    }
}

/// What one beat says.
private struct Beat {
    let time: ContinuousClock.Instant
    let incarnation: UInt64
    /// Those that are asked for and not held.
    let wanted: [SessionID]
    let released: [SessionID]
    /// Those of which it is asked whether they are still held.
    let checked: [SessionID]
}

extension Leases.State {
    /// So many of the held leases are compared with what is stored by one beat: all of them in time, and no beat grows.
    private static let checks = 512

    fileprivate mutating func nextBeat(at now: ContinuousClock.Instant, _ database: Database) -> Beat {
        if unchecked.isEmpty { unchecked = asked.filter(\.value.isHeld).map(\.key) }
        let checked = unchecked.suffix(Self.checks).filter { asked[$0]?.isHeld == true }
        unchecked.removeLast(min(Self.checks, unchecked.count))
        defer { released = [] }
        return Beat(
            time: now, incarnation: database.incarnation, wanted: asked.filter { !$0.value.isHeld }.map(\.key),
            released: Array(released), checked: checked)
    }

    /// Takes what others may hold by now for lost: where no beat came through for so long, or only to another database.
    ///
    /// - Returns: who is to be told.
    fileprivate mutating func lost(
        at now: ContinuousClock.Instant, _ database: Database
    ) -> [@Sendable (Bool) -> Void] {
        let end = lastBeat.map { $0 + database.settings.leaseTime - .seconds(1) }
        guard let end, now >= end || incarnation != database.incarnation else { return [] }
        return lose(Array(asked.keys))
    }

    /// - Returns: who is to be told.
    fileprivate mutating func lose(_ ids: [SessionID]) -> [@Sendable (Bool) -> Void] {
        ids.compactMap { id in
            guard asked[id]?.isHeld == true else { return nil }
            asked[id]?.isHeld = false
            return asked[id]?.askers.first?.isHeld
        }
    }

    /// - Returns: who is to be told.
    fileprivate mutating func take(_ ids: [SessionID]) -> [@Sendable (Bool) -> Void] {
        ids.compactMap { id in
            guard let known = asked[id] else {
                // Nobody asks for it any more.
                released.insert(id)
                return nil
            }
            asked[id]?.isHeld = true
            return known.isHeld ? nil : known.askers.first?.isHeld
        }
    }
}
