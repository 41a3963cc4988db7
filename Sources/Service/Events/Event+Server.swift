import Events
import HTTP
import Sessions

extension Event.Kind {
    /// A request is over; written from an ``ExchangeEntry``, at another level where its status asks for it.
    static let request = Event.Kind(
        "request", .info,
        [
            "client", "session", "method", "route", "status", "problem", "ending", "bytes", "microseconds", "requestId",
            "traceparent", "cause",
        ])
    /// The server listens.
    static let serverStarted = Event.Kind(
        "server-started", .info,
        [
            "program", "programVersion", "version", "revision", "build", "url", "admin", "pid", "threads",
            "connections",
            "connectionsPerAddress", "openFiles", "hosts", "viewModels", "options",
        ])
    /// The server does not start.
    package static let startFailed = Event.Kind("start-failed", .critical, ["reason"])
    /// A stop began: the probes say that no more clients should come, and all is served.
    static let drainBegun = Event.Kind("drain-begun", .info, ["reason", "seconds", "connections", "running"])
    /// The process may not have as many open files as the bound on connections needs.
    static let connectionsLowered = Event.Kind(
        "max-connections-lowered", .warning, ["given", "connections", "openFiles"])
    /// There are static files at paths at which the service answers for itself.
    static let staticFilesHidden = Event.Kind("static-files-hidden", .warning, ["paths"])
    /// What ran is answered, or was cut off.
    static let drainEnded = Event.Kind("drain-ended", .info, ["milliseconds"])
    /// Something hangs that nothing gives up, and the process ends in the middle of its stop.
    static let stopAbandoned = Event.Kind(
        "stop-abandoned", .error, ["reason", "phase", "milliseconds", "connections", "running", "routes"])
    /// The process is about to end by itself.
    static let serverStopped = Event.Kind("server-stopped", .info, ["reason", "seconds"])
    /// The process crashed; written by CCrash, by the thread that did.
    static let crashed = Event.Kind(
        "crashed", .critical,
        ["signal", "address", "thread", "method", "route", "type", "viewModel", "action", "sessionId", "frames"])
    /// SIGHUP, which this server has no use for: its log goes to standard error.
    static let hangUpIgnored = Event.Kind("hang-up-ignored", .info, [])
    /// An environment variable that looks like an option, and is none or says nothing that an option could.
    package static let variableIgnored = Event.Kind("variable-ignored", .warning, ["variable", "reason", "nearest"])
    /// Lines that nobody took in time, and that are lost.
    static let linesDropped = Event.Kind("lines-dropped", .warning, ["count"])

    /// The kinds that a server's log may have but for its store's.
    package static let ofServer =
        [
            request, serverStarted, connectionsLowered, staticFilesHidden, startFailed, drainBegun, drainEnded,
            stopAbandoned,
            serverStopped, crashed, hangUpIgnored, variableIgnored, linesDropped,
        ] + ofConnections + ofSessions
}
