import Events
import HTTP

/// The events of a server; docs/events.md describes each event and its fields.
extension Event.Kind {
    static let serverStarted = Event.Kind("server-started", .info)
    package static let startFailed = Event.Kind("start-failed", .critical)
    static let drainBegun = Event.Kind("drain-begun", .info)
    static let serverStopped = Event.Kind("server-stopped", .info)
    package static let variableIgnored = Event.Kind("variable-ignored", .warning)
    static let linesDropped = Event.Kind("lines-dropped", .warning)
    static let modelUnreadable = Event.Kind("model-unreadable", .error)
    static let effectRetried = Event.Kind("effect-retried", .warning)
    static let effectFailed = Event.Kind("effect-failed", .error)
    static let effectUnknown = Event.Kind("effect-unknown", .error)
    package static let storeLost = Event.Kind("store-lost", .error)
    package static let storeBack = Event.Kind("store-back", .info)
    package static let entityUnreadable = Event.Kind("entity-unreadable", .error)

    /// The kinds of events of a server; ``Metrics`` shows each from the start.
    static let ofServer = [
        serverStarted, drainBegun, serverStopped, modelUnreadable,
        effectRetried, effectFailed, effectUnknown, storeLost, storeBack, entityUnreadable,
        boundReached, loopHeld,
    ]
}
