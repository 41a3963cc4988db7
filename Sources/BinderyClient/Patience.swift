/// How long something is tried again, and after what pauses.
struct Patience: Sendable {
    /// What is tried.
    enum Attempt {
        /// An action, which is never asked for again after a 4xx or a 500.
        case action
        /// Changes, which the server may tell to come later (429), and a proxy of a server that was there may have a page for.
        case changes(isKnown: Bool)
    }

    /// How long a stream has to be there, and be heard, before its end counts as the first failure: a server that accepts and
    /// closes is left alone for longer each time.
    static let goodLife = Duration.seconds(10)

    private let options: BinderyClient.Options
    private let limit: Duration?
    private var next: Duration?
    private var elapsed: @Sendable () -> Duration
    /// How many pauses there were since all was well.
    private(set) var pauses = 0
    /// Whether it may be tried again, but the next try would have come after its time.
    private(set) var isOver = false

    init(_ options: BinderyClient.Options, for limit: Duration?) {
        (self.options, self.limit) = (options, limit)
        elapsed = options.clock.stopwatch()
    }

    /// There was an answer: the time that is left begins anew.
    mutating func hear() { elapsed = options.clock.stopwatch() }

    /// All is well: a failure from here on is the first.
    mutating func reset() {
        (next, pauses) = (nil, 0)
        hear()
    }

    /// For how long it has been tried, in whole seconds.
    var spent: Duration { .seconds(elapsed().components.seconds) }

    /// Whether it is too late for another try, as after a pause in which the process slept: the key may be forgotten by then.
    var isLate: Bool { limit.map { elapsed() >= $0 + options.answerTime } ?? false }

    /// How long to wait where the server says so: not at all where the client has pauses of its own.
    func obeyed(_ wish: Duration?) -> Duration { options.firstPause == nil ? wish ?? .zero : .zero }

    /// How long to wait before the next try; nil where there is to be none.
    ///
    /// - Parameter wish: how long the server wants to be left alone after a lost connection.
    mutating func pause(after error: any Error, of attempt: Attempt, wish: Duration? = nil) -> Duration? {
        switch error {
        case let problem as RemoteProblem:
            var isPassing = problem.isPassing
            if case .changes = attempt, problem.status == 429 { isPassing = true }
            return isPassing ? nextPause(wish: wish, atLeast: problem.retryAfter) : nil
        case let failure as RemoteFailure:
            var isPassing = [.connectionLost, .timedOut].contains(failure.code)
            if case .changes(isKnown: true) = attempt, failure.isForeign { isPassing = true }
            return isPassing ? nextPause(wish: wish) : nil
        default: return nil
        }
    }

    /// The next pause, each twice as long as the one before; nil where the time is over, but for one more try of what took longer.
    ///
    /// - Parameter least: how long the server says to wait at least.
    mutating func nextPause(wish: Duration? = nil, atLeast least: Duration? = nil) -> Duration? {
        let pause = min(next ?? options.firstPause ?? wish ?? .seconds(1), options.longestPause)
        next = pause * 2
        let drawn = max(pause * Double.random(in: 0.5...1), obeyed(least))
        if let limit, drawn >= limit || elapsed() + drawn >= limit + (pauses > 0 ? .zero : options.answerTime) {
            isOver = pauses > 0 || drawn < limit
            return nil
        }
        pauses += 1
        return drawn
    }
}
