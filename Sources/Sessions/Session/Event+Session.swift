package import Events
import ViewModels

extension Event.Kind {
    /// An action took as long as an event loop cannot spare: from now on it runs on a thread of its own.
    static let actionSlow = Event.Kind("action-slow", .info, ["viewModel", "action", "milliseconds"])
    /// An action ran longer than it may, and was given up: its caller has 504, and nothing of it is stored.
    static let actionTimedOut = Event.Kind(
        "action-timed-out", .warning, ["viewModel", "action", "session", "seconds", "count"])
    /// An action that was given up has returned, and its thread is free.
    static let actionReturned = Event.Kind(
        "action-returned", .info, ["viewModel", "action", "session", "milliseconds"])
    /// A change that a view model makes by itself ran longer than an action may.
    ///
    /// It holds a thread until it returns, and its session's changes wait for it.
    static let changeTimedOut = Event.Kind("change-timed-out", .warning, ["viewModel", "session", "seconds", "count"])
    /// A change that was given up has returned, and its thread is free.
    static let changeReturned = Event.Kind("change-returned", .info, ["viewModel", "session", "milliseconds"])
    /// A view model is to change by itself, and all threads for that are taken: it waits, as do all others.
    static let changeWaits = Event.Kind("change-waits", .warning, ["viewModel", "threads", "count"])
    /// Making view models took longer than an action may: whoever waits for it has 503, and its session makes none until
    /// it returns.
    static let makingTimedOut = Event.Kind("making-timed-out", .warning, ["viewModel", "session", "seconds", "count"])
    /// The making that was given up has returned, and its thread is free.
    static let makingReturned = Event.Kind("making-returned", .info, ["session", "milliseconds"])
    /// A stored model cannot be read by this build: whoever asks for that view model is told so.
    package static let modelUnreadable = Event.Kind(
        "model-unreadable", .error, ["viewModel", "reason", "session", "count"])
    /// An output, or the model, has a value that cannot be encoded: clients see what it showed before, or nothing of its view model.
    static let outputUnshowable = Event.Kind(
        "output-unshowable", .error, ["viewModel", "output", "reason", "session", "count"])
    /// An operator has ended a session, or those that were unused.
    static let sessionsEnded = Event.Kind("sessions-ended", .info, ["reason", "session", "seconds", "sessions"])

    /// The kinds of this module.
    package static let ofSessions = [
        actionSlow, actionTimedOut, actionReturned, changeTimedOut, changeReturned, changeWaits,
        makingTimedOut, makingReturned,
        modelUnreadable, outputUnshowable, sessionsEnded,
    ]
}
