/// How many actions a second a session may ask for, as a token bucket that holds one second's worth.
struct ActionLimit: Sendable {
    private var tokens: Double?
    private var filled: Duration = .zero

    /// Takes a token.
    ///
    /// - Returns: nil where the action may go on, else after how many seconds it may.
    mutating func take(at now: Duration, perSecond rate: Int) -> Int? {
        let capacity = Double(rate)
        let available = min(capacity, (tokens ?? capacity) + (now - filled) / .seconds(1) * capacity)
        filled = now
        guard available >= 1 else {
            tokens = available
            return Int(((1 - available) / capacity).rounded(.up))
        }
        tokens = available - 1
        return nil
    }
}
