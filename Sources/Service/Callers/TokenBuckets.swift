/// How often each of many may do something: a bucket for each that holds a minute's worth and fills evenly.
///
/// Bounded: it remembers whoever came within the last minute or two, at most twice `capacity` of them. Older buckets
/// are full again and need no memory; only where more come than fit are some forgotten early.
struct TokenBuckets<Key: Hashable & Sendable>: Sendable {
    private let capacity: Int
    /// How long a token takes to come.
    private let interval: Duration
    /// When each bucket is full again, from which follows how much is in it: times are exact, where parts of tokens would
    /// not be.
    private var recent: [Key: Duration] = [:]
    /// Those who have not come since `recent` was begun.
    private var older: [Key: Duration] = [:]
    private var begun = Duration.zero

    init(perMinute: Int, capacity: Int = 16_384) {
        self.capacity = capacity
        interval = .seconds(60) / perMinute
    }

    /// Takes a token.
    ///
    /// - Returns: nil where there was one, else the seconds after which there is.
    mutating func take(for key: Key, at now: Duration) -> Int? {
        turn(at: now)
        let full = max(now, recent[key] ?? older[key] ?? now)
        let wait = full + interval - now - .seconds(60)
        recent[key] = wait <= .zero ? full + interval : full
        return wait <= .zero ? nil : Int(wait.components.seconds) + (wait.components.attoseconds > 0 ? 1 : 0)
    }

    /// Gives a token back that was taken for nothing.
    mutating func giveBack(for key: Key) {
        // Of a bucket that was forgotten meanwhile nothing is missing.
        guard let full = recent[key] ?? older[key] else { return }
        recent[key] = full - interval
    }

    private mutating func turn(at now: Duration) {
        let age = now - begun
        guard age >= .seconds(60) || recent.count >= capacity else { return }
        older = age < .seconds(120) ? recent : [:]
        recent = [:]
        begun = now
    }

    /// How many are remembered.
    var count: Int { recent.count + older.count }
}
