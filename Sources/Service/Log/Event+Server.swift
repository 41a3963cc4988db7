import Events
import HTTP

extension Event.Kind {
    /// The server listens.
    static let serverStarted = Event.Kind(
        "server-started", .info,
        [
            "program", "programVersion", "version", "revision", "url", "admin", "threads", "connections",
            "viewModels", "options",
        ])
    /// The server does not start.
    package static let startFailed = Event.Kind("start-failed", .critical, ["reason"])
    /// A stop has begun: `/readyz` is 503, and the server still serves.
    static let drainBegun = Event.Kind("drain-begun", .info, ["reason", "seconds", "connections", "running"])
    /// The requests that ran are answered, or were cut off.
    static let drainEnded = Event.Kind("drain-ended", .info, ["milliseconds"])
    /// The process ends.
    static let serverStopped = Event.Kind("server-stopped", .info, ["reason", "seconds"])
    /// An environment variable looks like an option and is none.
    package static let variableIgnored = Event.Kind("variable-ignored", .warning, ["variable"])
    /// The log has lost lines, because nothing took them in time.
    static let linesDropped = Event.Kind("lines-dropped", .warning, ["count"])

    /// A stored view model has a form that this build cannot read.
    static let modelUnreadable = Event.Kind("model-unreadable", .error, ["viewModel", "reason"])
    /// An attempt of an effect failed; another one follows.
    static let effectRetried = Event.Kind("effect-retried", .warning, ["entity", "effect", "id", "attempt", "reason"])
    /// The last attempt of an effect failed, or its result was not taken.
    static let effectFailed = Event.Kind("effect-failed", .error, ["entity", "effect", "id", "attempt", "reason"])
    /// An effect is due that this build does not know; it stays.
    static let effectUnknown = Event.Kind("effect-unknown", .error, ["entity", "effect", "id", "attempt", "reason"])
    /// The store takes no commits: actions are 503.
    package static let storeLost = Event.Kind("store-lost", .error, ["store", "reason"])
    /// The store takes commits again.
    package static let storeBack = Event.Kind("store-back", .info, ["store", "milliseconds"])
    /// A row of the store has a form that this build cannot read.
    package static let entityUnreadable = Event.Kind("entity-unreadable", .error, ["session"])

    /// The kinds that a server tells its log, as ``Metrics`` counts them from the beginning.
    static let ofServer = [
        serverStarted, drainBegun, drainEnded, serverStopped, modelUnreadable,
        effectRetried, effectFailed, effectUnknown, storeLost, storeBack, entityUnreadable,
        boundReached, loopHeld,
    ]
}
