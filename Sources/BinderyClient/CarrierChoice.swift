/// Which carrier is next, where the client chooses.
struct CarrierChoice: Sendable {
    /// How long a stream that was answered with 200 may be without its first event, which a server sends at once.
    static let firstEvent = Duration.seconds(5)
    /// How long it is polled before a stream is tried again.
    static let pollingTime = Duration.seconds(300)

    private let carrier: RemoteChanges.Carrier
    private let clock: any Clock<Duration>
    /// How many streams in a row were held back.
    private var heldBack = 0
    /// For how long it has been polled; nil where it is not.
    private var polling: (@Sendable () -> Duration)?

    init(_ carrier: RemoteChanges.Carrier, clock: any Clock<Duration>) { (self.carrier, self.clock) = (carrier, clock) }

    mutating func next() -> RemoteChanges.Carrier {
        guard carrier == .automatic else { return carrier }
        if let polling {
            if polling() < Self.pollingTime { return .polls }
            self.polling = nil
        }
        return .stream
    }

    /// A stream was answered with 200, and brought no event in its time.
    ///
    /// Twice, and it is polled; after that one such stream is enough.
    mutating func wasHeldBack() {
        heldBack += 1
        if heldBack >= 2 { polling = clock.stopwatch() }
    }

    /// A stream brought an event.
    mutating func wasHeard() { heldBack = 0 }
}
