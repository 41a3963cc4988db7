package import Events
import Locking

extension Event.Kind {
    /// The store cannot be written or read any more: what needs that is answered with 503 and tried again each time, or waits.
    package static let storeLost = Event.Kind("store-lost", .error, ["path", "access", "reason"])
    /// It can be again.
    package static let storeBack = Event.Kind("store-back", .info, ["path", "access", "milliseconds", "failures"])

    /// The kinds of every store that can be lost.
    package static let ofStores = [storeLost, storeBack]
}

/// Tells the log when something that is tried again and again begins to fail or hangs, and when it works again.
///
/// One thread works; another looks on, which one that hangs cannot do itself (``StoreWatchdog``). Safe from any thread.
package final class StoreHealth: Sendable {
    package typealias Instant = ContinuousClock.Instant

    /// How long things may take.
    package struct Bounds: Sendable {
        /// How long a group of commits, or a read, may be under way before the store counts as lost.
        package var hang = Duration.seconds(2)
        /// How long it has to work without a failure before it counts as back: on a disk that is nearly full it fails and
        /// works a thousand times a second.
        package var calm = Duration.seconds(2)

        package init() {}
    }

    private struct State {
        var lostSince: Instant?
        /// The failures that were told since, without the numbers in them, which differ each time.
        var told: Set<String> = []
        /// Since when it has worked again without a failure.
        var worksSince: Instant?
        var failures = 0
        var busySince: Instant?
        /// Whether what is under way was found to hang.
        var hangs = false

        /// What was under way is over.
        ///
        /// - Returns: whether it was found to hang.
        @discardableResult
        mutating func end() -> Bool {
            busySince = nil
            defer { hangs = false }
            return hangs
        }
    }

    private let path: String
    private let access: String
    private let bounds: Bounds
    private let log: (any EventLog)?
    private let state = Lock(State())

    /// Nothing has failed yet.
    ///
    /// - Parameter access: what fails: `write` or `read`.
    package init(_ path: String, _ access: String, _ bounds: Bounds = Bounds(), log: (any EventLog)?) {
        (self.path, self.access, self.bounds, self.log) = (path, access, bounds, log)
    }

    /// It begins with a group, or with a read.
    ///
    /// One of the next two has to follow.
    package func begin(at now: Instant = .now) { state.withLock { $0.busySince = now } }

    /// It worked, and is over.
    package func noteSuccess(at now: Instant = .now) {
        tell {
            $0.end()
            guard $0.lostSince != nil else { return nil }
            $0.worksSince = $0.worksSince ?? now
            return backIfCalm(&$0, at: now)
        }
    }

    /// It failed, and is over.
    package func noteFailure(_ reason: String, at now: Instant = .now) {
        tell {
            // One that is known to hang is counted.
            if !$0.end() || $0.lostSince == nil { $0.failures += 1 }
            $0.worksSince = nil
            $0.lostSince = $0.lostSince ?? now
            // What comes after the first may be the true cause: a server that is back, and does not take the password.
            guard $0.told.count < Self.mostReasons, $0.told.insert(reason.filter { !$0.isNumber }).inserted else {
                return nil
            }
            return lost(because: reason)
        }
    }

    /// Tells why what is under way hangs, or has failed: of another thread that has found it out.
    package func noteCause(_ reason: String) {
        tell {
            guard $0.lostSince != nil, $0.told.count < Self.mostReasons, $0.told.insert(reason).inserted else {
                return nil
            }
            return lost(because: reason)
        }
    }

    /// How many failures are told of one loss.
    private static let mostReasons = 8

    /// Looks whether it hangs, or has worked again for long enough; to be called now and then.
    package func look(at now: Instant = .now) {
        tell {
            guard let since = $0.busySince, now - since >= bounds.hang else { return backIfCalm(&$0, at: now) }
            guard !$0.hangs else { return nil }
            $0.hangs = true
            $0.failures += 1
            $0.worksSince = nil
            guard $0.lostSince == nil else { return nil }
            $0.lostSince = since
            let what = access == "write" ? "a group of commits" : "a read"
            return lost(because: "\(what) has been under way for \((now - since).components.seconds) s")
        }
    }

    /// How long it has been at what is under way; nil where nothing is.
    package func busyTime(at now: Instant = .now) -> Duration? { state.withLock { $0.busySince.map { now - $0 } } }

    private func tell(_ note: (inout State) -> Event?) {
        if let event = state.withLock({ note(&$0) }) { log?.record(event) }
    }

    private func lost(because reason: String) -> Event {
        Event(.storeLost, ["path": .text(path), "access": .text(access), "reason": .text(reason)])
    }

    private func backIfCalm(_ state: inout State, at now: Instant) -> Event? {
        guard let lost = state.lostSince, let since = state.worksSince, now - since >= bounds.calm else { return nil }
        defer {
            (state.lostSince, state.worksSince, state.told, state.failures) = (nil, nil, [], 0)
        }
        return Event(
            .storeBack,
            [
                "path": .text(path), "access": .text(access), "milliseconds": .number((since - lost).milliseconds),
                "failures": .number(state.failures),
            ])
    }
}
