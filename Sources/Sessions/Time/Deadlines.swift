/// Which deadlines are set, and when the next one falls: the pure half of ``DeadlineTimer``.
///
/// Time is cut into ticks, and what falls into one tick is due together: ten thousand polls that end in the same
/// second are a handful of wake-ups. A deadline is at most one tick late and never early.
struct Deadlines<Entry: Sendable> {
    let tick: Duration
    private var ticks: [Int64: [UInt64: Entry]] = [:]
    private var last: UInt64 = 0
    private var earliest: Int64?

    init(tick: Duration) { self.tick = tick }

    /// When to look again: no later than the earliest deadline, and nil only where there is none.
    var next: Duration? { earliest.map { tick * Int($0) } }

    mutating func add(_ entry: Entry, at time: Duration) -> DeadlineKey {
        // Whole numbers: a quotient of floating point may come out below a time that lies just behind a tick.
        let index = Int64((time.attoseconds + tick.attoseconds - 1) / tick.attoseconds)
        last += 1
        ticks[index, default: [:]][last] = entry
        earliest = min(earliest ?? index, index)
        return DeadlineKey(tick: index, number: last)
    }

    mutating func remove(_ key: DeadlineKey) {
        ticks[key.tick]?.removeValue(forKey: key.number)
        if ticks[key.tick]?.isEmpty == true { ticks.removeValue(forKey: key.tick) }
    }

    /// Takes out what is due.
    mutating func due(at time: Duration) -> [Entry] {
        let passed = ticks.keys.filter { tick * Int($0) <= time }.sorted()
        defer { earliest = ticks.keys.min() }
        return passed.flatMap { index in
            (ticks.removeValue(forKey: index) ?? [:]).sorted { $0.key < $1.key }.map(\.value)
        }
    }
}

/// What a deadline is forgotten by.
struct DeadlineKey: Sendable {
    let tick: Int64
    let number: UInt64
}
