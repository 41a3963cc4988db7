import Locking

/// Tells a log of what may come by the thousand, of the same at most once a second: whoever is over a bound must not fill the
/// disk as well.
///
/// Safe from any thread.
package final class EventPace: Sendable {
    /// The second after an event was told, in which others like it are counted and not told.
    private struct Silence: Sendable {
        /// Tells this silence from a later one of the same.
        let number: Int
        /// Ends the silence when its time has come.
        let timer: Task<Void, Never>
        /// The latest, which was not told; nil where none came.
        var heldBack: Event?
        var count = 0

        var told: Event? { heldBack?.counted(count) }
    }

    private struct State: Sendable {
        var silences: [String: Silence] = [:]
        var lastNumber = 0
    }

    private static let interval = Duration.seconds(1)

    /// The log that is told.
    package let log: (any EventLog)?
    private let now: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let state = Lock(State())

    /// Tells this log.
    ///
    /// - Parameters:
    ///   - now: the time since some fixed moment; it never goes back.
    ///   - sleep: returns at a time, or throws where the task is cancelled first.
    package init(
        log: (any EventLog)?, now: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (_ until: Duration) async throws -> Void
    ) {
        self.log = log
        self.now = now
        self.sleep = sleep
    }

    /// Notes an event, whose kind has a field `count`: how often the like came since it was told last, this one included.
    ///
    /// The first is told at once; of those in the second that follows the latest is told, at its end.
    ///
    /// - Parameter key: what events of this kind have in common that are alike, as the bound that was reached; one of a few
    ///   words, never what a client wrote.
    package func tell(_ event: Event, alike key: String = "") {
        guard let log else { return }
        let key = "\(event.kind.name) \(key)"
        let isFirst = state.withLock { state in
            guard state.silences[key] != nil else {
                beginSilence(of: key, &state)
                return true
            }
            state.silences[key]?.heldBack = event
            state.silences[key]?.count += 1
            return false
        }
        if isFirst { log.record(event.counted(1)) }
    }

    /// Tells what is held back, as at the end of a server: nobody waits for the second to pass.
    package func tellAll() {
        let silences = state.withLock { state in
            defer { state.silences = [:] }
            return state.silences.sorted { $0.key < $1.key }.map(\.value)
        }
        for silence in silences {
            silence.timer.cancel()
            if let event = silence.told { log?.record(event) }
        }
    }

    /// Under the lock.
    private func beginSilence(of key: String, _ state: inout State) {
        state.lastNumber += 1
        let (number, end) = (state.lastNumber, now() + Self.interval)
        let timer = Task { [sleep, weak self] in
            // Cancelled where all was told already.
            guard (try? await sleep(end)) != nil else { return }
            self?.endSilence(number, of: key)
        }
        state.silences[key] = Silence(number: number, timer: timer)
    }

    /// Tells what was held back, which begins the next silence.
    private func endSilence(_ number: Int, of key: String) {
        let event: Event? = state.withLock { state in
            guard let silence = state.silences[key], silence.number == number else { return nil }
            state.silences[key] = nil
            if silence.heldBack != nil { beginSilence(of: key, &state) }
            return silence.told
        }
        if let event { log?.record(event) }
    }
}

extension Event {
    fileprivate func counted(_ count: Int) -> Event {
        var event = self
        event.add("count", .number(count))
        return event
    }
}
