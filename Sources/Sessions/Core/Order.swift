import ViewModels

/// What a session's core wants done.
///
/// Orders are carried out one after the other, in the order in which they were given.
enum Order: Sendable {
    /// Runs an action on the live view models: here, and gathers what it changed, ``SessionCore/acted(_:)``; or on a thread
    /// of actions, ``SessionCore/ran(at:_:)``.
    case run(ActionCall, on: ChangeFeed, to: SessionHead)
    /// Gathers what was changed elsewhere by the view model at a place: ``SessionCore/acted(_:)``.
    case gather(Int, Result<Void, any Error>, on: ChangeFeed, to: SessionHead)
    /// Makes a change from inside on the live view models, on a thread that is there for changes: ``SessionCore/ran(at:_:)``.
    case change(InnerChange, on: ChangeFeed, to: SessionHead)
    /// Derives on the live view models what was stored: ``SessionCore/derived(_:)``.
    case derive(SessionCore.Underived, on: ChangeFeed, to: SessionHead)
    /// Derives everything in another language on new live view models: ``SessionCore/derived(_:)``.
    case changeLanguage(Language, on: ChangeFeed, to: SessionHead)
    /// Makes a feed of what was read: ``SessionCore/read(_:)``.
    ///
    /// `isBehind` says that the live view models stand on what was not stored.
    case read(SessionRecord, after: ChangeFeed, isBehind: Bool)
    /// Throws the live view models away: they stand on what was not stored, or on what was committed before.
    case clear
    /// Makes those anew that were thrown away, and compares them with what is shown of them.
    case revive(from: ChangeFeed)
    /// Tells the core in a while to try again what could not be made or read: ``SessionCore/tryAgain()``.
    case tryAgain
    /// Hands a commit to the store: ``SessionCore/commitDone(_:_:)``.
    case submit(Commit, number: UInt64)
    /// Reads the session, unless it stands at a version that is known: ``SessionCore/loaded(_:)``.
    case load(unless: CommitVersion?)
    /// Has the store tell of what others do, or no more: ``SessionCore/moved(to:)``.
    case watch(Bool)
    /// Asks that the session change by itself here, and on no other replica, or with nil no more: ``SessionCore/leased(_:by:)``.
    case lease(ask: Int?)
    /// Tells the core in a moment, the longer the more often it met others: ``SessionCore/rested()``.
    case pause(repeats: Int)
    /// Looks for what became of an action that came before under the same key: ``SessionCore/lookedUp(_:)``.
    case lookUp(KeyDigest)
    /// Deletes the session: ``SessionCore/deleted(_:)``.
    case delete(CommitVersion)
    /// Answers whoever asked for an action.
    case answer(ActionCall, Result<ActionResult, any Error>)
    /// Answers whoever asked for something else.
    case resolve(Asker, Result<Void, any Error>)
    /// Answers those who waited for a change.
    case endWaits([Waits.Ended])

    /// Whether it works on the live view models.
    var runsViewModels: Bool {
        switch self {
        case .run, .gather, .change, .derive, .changeLanguage, .read, .clear, .revive: true
        case .tryAgain, .submit, .load, .watch, .lease, .pause, .lookUp, .delete, .answer, .resolve, .endWaits: false
        }
    }

    /// Whether it makes view models, which takes as long as their initializers do: perhaps for ever.
    func makesViewModels(beside live: LiveViewModels) -> Bool {
        switch self {
        case .run(let action, _, _): live.liveViewModel(at: action.id.viewModel) == nil
        case .derive, .changeLanguage, .read: true
        case .revive: live.lacksSome
        case .gather, .change, .clear, .tryAgain, .submit, .load, .watch, .lease, .pause, .lookUp,
            .delete, .answer, .resolve, .endWaits:
            false
        }
    }
}

/// What came of an action, or of a change from inside, on the live view models.
enum Acted: Sendable {
    /// View models show something else now.
    case changed(ChangedViews)
    /// Nothing is shown or stored otherwise.
    case unchanged
    /// It failed, and what it had changed was rolled back.
    case failed(any Error)
    /// It was not begun.
    case notBegun(any Error)
    /// The view model cannot be made.
    case unreadable(Int, ModelUnreadable)

    /// Whether it was given up for the time it took.
    var isTimeout: Bool { if case .failed(SessionFailure.timedOut) = self { true } else { false } }

    /// Whether it is kept under the action's key: the caller may correct a malformed body and use the key again.
    var isRemembered: Bool {
        if case .failed(let error) = self, let refusal = error as? ActionRefusal { return !refusal.kind.isOfBody }
        return true
    }
}

/// What view models show, and the commit that brings it.
struct ChangedViews: Sendable {
    let views: [(place: Int, view: View)]
    let head: SessionHead
    /// What nobody has touched shows from then on, where the commit changes the session's language.
    var untouched: Untouched?
}

/// What came of deriving on the live view models what was stored.
struct Derived: Sendable {
    /// What shows something else than was stored; nil where nothing does.
    var changes: ChangedViews?
    /// What this build cannot show, and why: ``SessionFailure/unreadable(_:)``, ``OutputUnshowable``.
    var failures: [(place: Int, any Error)] = []
}
