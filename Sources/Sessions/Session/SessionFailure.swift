import ViewModels

/// Why a session did not do what was asked.
package enum SessionFailure: Error, Sendable {
    /// The session is gone; a new one can be begun.
    case ended
    /// The session left memory, or ended, before it was asked; find it again and ask again. Nothing happened.
    case evicted
    /// The idempotency key was used for another request; nothing happened.
    case keyOfAnotherRequest
    /// The session has as many idempotency keys as it may; the action was not begun. After so many seconds some may be free.
    case tooManyKeys(retryAfter: Int)
    /// The answers under the session's idempotency keys have as many bytes as they may; the action was not begun. After so
    /// many seconds some may be forgotten.
    case tooManyKeyBytes(retryAfter: Int)
    /// The action was refused. Nothing changed; `view` is the state in which it was refused, nil where it cannot be shown.
    case refused(ActionRefusal, view: View?)
    /// The view model is not as the caller's condition wants it; nothing changed.
    case preconditionFailed
    /// The session may act again after so many seconds.
    case tooManyActions(retryAfter: Int)
    /// As many actions of the session wait as may, for their turn or to be stored; this one was not begun.
    case lineFull
    /// The action, or the change from inside, ran longer than it may. Nothing of it is stored, now or later; what it did outside is done.
    case timedOut
    /// As many actions hold a thread as may (``SessionLimits/actionThreads``); for a change from inside, as many changes, or one
    /// of its session hangs. Or the run was given up before it began. Nothing was done; try again.
    case busy
    /// View models of the session that were needed take longer to be made than an action may (``SessionLimits/actionTime``), or
    /// did before and have not returned; or no thread came free in that time, as those of other sessions do. Nothing was done;
    /// try again.
    case notMade
    /// The process has as much memory as it may (``SessionLimits/memoryBytes``): the session was not begun, or not brought to memory.
    /// Nothing was done; try again.
    case outOfMemory
    /// The stored model of a view model that was asked for cannot be read by this build; the others can be asked.
    case unreadable(ModelUnreadable)
    /// What is stored of the session is not what a store wrote, and nothing of it can be shown. With what it is, in words for the log.
    case damaged(String)
    /// The store does not answer, or others moved the session on again and again. Nothing was shown; try again.
    case unavailable(Unavailability)
}

/// Why a session could not be served for now, in words for the log, which say whether an action may be stored.
package enum Unavailability: String, Sendable {
    /// A commit was sent and not answered.
    case inDoubt = "a commit was sent, and nobody knows whether it is stored"
    /// The store took no commit.
    case notSent = "the store does not answer, and nothing was stored"
    /// The store did not say how the session stands.
    case notRead = "the store does not say how the session stands, and nothing was stored"
    /// Others moved the session on each time.
    case conflicts = "others moved the session on each time, and nothing was stored"
}

extension SessionFailure {
    /// What the store's failure is to whoever asks for a session that cannot be read.
    init(reading failure: StoreFailure) {
        if case .unreadable(let what) = failure { self = .damaged(what) } else { self = .unavailable(.notRead) }
    }

    /// What it is to whoever asks for a session that cannot be written.
    init(writing failure: StoreFailure) {
        switch failure {
        case .unreadable(let what): self = .damaged(what)
        case .unknown: self = .unavailable(.inDoubt)
        case .notSent, .conflict, .gone: self = .unavailable(.notSent)
        }
    }
}

/// An output, or the model, has a value that is no JSON, such as a number that is not finite: nothing can be shown of its
/// view model.
package struct OutputUnshowable: Error, Sendable, Equatable, CustomStringConvertible {
    /// The view model's name.
    package let viewModel: String
    /// The output's name; nil for the model, without which none of them can be stored.
    package let output: String?
    /// The type of the error with which it could not be encoded.
    package let reason: String

    /// One line for a log.
    package var description: String {
        "\(viewModel): the \(output.map { "output \($0)" } ?? "model") cannot be encoded (\(reason))"
    }
}
