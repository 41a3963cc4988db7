/// The bounds within which sessions live.
public struct SessionLimits: Sendable {
    /// How long a session that nobody uses is kept.
    public var timeToLive: Duration = .seconds(24 * 60 * 60)
    /// How many sessions there may be beside the public one.
    public var sessions = 100_000
    /// How long a session that nobody uses or waits on stays in memory; after that it is in the store alone.
    public var timeInMemory: Duration = .seconds(60)
    /// How many bytes of memory the process may have, in RAM and by the kernel's books; nil, the default, for any number.
    ///
    /// Within an eighth of it, sessions that nobody waits on or acts on leave memory, the longest unused first. Where that is
    /// not enough, whoever begins a session or needs one that is not in memory is refused.
    public var memoryBytes: Int?
    /// How many long-polls of one session may wait at once; one more answers the oldest.
    public var pollsPerSession = 8
    /// The same for the public session, which is shared by everybody.
    public var pollsOfPublicSession = 20_000
    /// How many actions a second one session may ask for; nil for any number.
    public var actionsPerSecond: Int?
    /// How many actions of a session may wait, for their turn or to be stored; one more is refused.
    public var waitingActions = 1024
    /// How long an action may run that is not known to be fast, all its runs together, or a change from inside, or the
    /// making of a session's view models; after that it is given up, and its session goes on without it.
    public var actionTime: Duration = .seconds(30)
    /// How many actions may hold a thread at once, in all sessions together; one more is refused.
    ///
    /// All do but those that are known to be fast; an `async` one only while it does not wait. Changes from inside
    /// have half as many threads of their own, and ask again where none is free; and as many are there for making view models,
    /// which waits in line.
    public var actionThreads = 256
    /// How long the outcome of a request with an idempotency key is kept; in the public session ten minutes at most.
    public var idempotencyWindow: Duration = .seconds(60 * 60)
    /// How many idempotency keys a session has room for; an action with one more is refused, since none is forgotten early.
    public var keysPerSession = 10_000
    /// How many bytes of answers are kept under a session's idempotency keys; beyond, an action with another key is refused.
    public var keyBytesPerSession = 16 << 20
    /// How often an action is run again because other replicas moved its session on meanwhile.
    public var replays = 16

    /// The bounds used where nothing else is said.
    public init() {}

    /// How long the store need not be told that a session was used.
    package var slack: Duration { .seconds(max(1, timeToLive.components.seconds / 20)) }

    /// How long the outcome of a request of a session is kept.
    package func idempotencyWindow(of id: SessionID) -> Duration {
        // Shared by everybody, so that its room has to be free again sooner.
        id == .public ? min(idempotencyWindow, .seconds(10 * 60)) : idempotencyWindow
    }
}
