import Events

/// An event that becomes a line.
struct LogNote: Sendable {
    let event: Event
    /// The number of events that the line stands for.
    let count: Int
    /// Milliseconds since 1970-01-01T00:00:00Z.
    let time: Int
}

/// Limits the lines of each kind of event, so that an attack cannot fill the disk.
///
/// In a second, the first ten events of a kind are a line each. Of the rest, the last one becomes a line when the second is over,
/// with the number of events that it stands for.
struct LogLimit: Sendable {
    /// How many lines of a kind a second may have, besides the one at its end.
    static let linesPerSecond = 10

    private struct Window: Sendable {
        let second: Int
        var lines = 0
        /// The last event that is held back, and the number of events that it stands for.
        var held: (event: Event, time: Int, count: Int)?

        /// Takes out what is held back.
        mutating func release() -> LogNote? {
            held.take().map { LogNote(event: $0.event, count: $0.count, time: $0.time) }
        }
    }

    /// By the name of the kind.
    private var windows: [String: Window] = [:]

    /// Takes an event.
    ///
    /// - Returns: the lines to write now, and whether the event is the first one that this second holds back.
    mutating func take(_ event: Event, at time: Int) -> (notes: [LogNote], beginsHolding: Bool) {
        var window = windows[event.kind.name] ?? Window(second: time / 1000)
        defer { windows[event.kind.name] = window }
        let earlier = window.second == time / 1000 ? nil : window.release()
        if window.second != time / 1000 { window = Window(second: time / 1000) }
        guard window.lines < Self.linesPerSecond else {
            window.held = (event, time, (window.held?.count ?? 0) + 1)
            return ([], window.held?.count == 1)
        }
        window.lines += 1
        return ([earlier, LogNote(event: event, count: 1, time: time)].compactMap(\.self), false)
    }

    /// Takes out the lines of seconds that are over; all that are held back where `time` is nil.
    mutating func takeHeld(before time: Int?) -> [LogNote] {
        windows.keys.sorted().compactMap { name in
            windows[name]?.second == time.map { $0 / 1000 } ? nil : windows[name]?.release()
        }
    }
}
