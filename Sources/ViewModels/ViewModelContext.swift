import Binding
import Foundation
import Locking

/// What a view model is given of the session it lives in.
///
/// Lives as long as the session's instance of the view model.
public struct ViewModelContext {
    /// Runs something in a turn of the session; called with the view model's identity.
    typealias Turn = @Sendable (ObjectIdentifier, @escaping @Sendable () -> Void) async throws -> Void

    /// The session's language, for outputs that are text.
    public let language: Language
    let sessionCenter: SessionCenter
    private let turn: Turn
    /// Notes that the view model asked for a way to change without an action of its own.
    var notice: ChangeNotice?

    /// Describes a session made up by a test or an application: changes run at once, where they are asked for.
    ///
    /// - Parameter center: the session's notification center; nil for one that is made when it is first asked for.
    public init(language: Language = .english, center: NotificationCenter? = nil) {
        self.init(language: language, center: center) { _, body in body() }
    }

    /// Describes a session.
    ///
    /// - Parameter center: the session's notification center; nil for one that is made when it is first asked for.
    /// - Parameter turn: runs its second argument in a turn of the session, commits and shows what it changed. Throws
    ///   `CancellationError` where the session no longer has the view model that its first argument names.
    public init(
        language: Language, center: NotificationCenter? = nil,
        turn: @escaping @Sendable (ObjectIdentifier, @escaping @Sendable () -> Void) async throws -> Void
    ) {
        self.init(language: language, sessionCenter: SessionCenter(center), turn: turn)
    }

    /// The context of another view model of the same session.
    ///
    /// - Parameter turn: as for ``init(language:center:turn:)``.
    package func beside(
        turn: @escaping @Sendable (ObjectIdentifier, @escaping @Sendable () -> Void) async throws -> Void
    ) -> ViewModelContext {
        ViewModelContext(language: language, sessionCenter: sessionCenter, turn: turn)
    }

    private init(language: Language, sessionCenter: SessionCenter, turn: @escaping Turn) {
        self.language = language
        self.sessionCenter = sessionCenter
        self.turn = turn
    }

    /// The session's own notification center.
    ///
    /// The variables of the session's view models post on it from the first time that anybody asks for it.
    ///
    /// A view model that asked is recreated after it is discarded, so that it goes on observing as long as the session is in
    /// memory. It observes nothing before it is first made, on the first request for it, nor between the session's return to
    /// memory and the next request. A set in an observer posts as well: an observer that does not filter by variable observes
    /// its own sets, or those of another that does the same, and never ends.
    public var center: NotificationCenter {
        notice?.note()
        return sessionCenter.center
    }

    /// Whether anybody has asked for the center, and may listen.
    package var hasCenter: Bool { sessionCenter.isMade }

    /// A way for a view model to change itself outside of any action, as when time passes.
    ///
    /// It names an instance, and a class's initializer cannot name its own before the last property is set: a view model
    /// keeps the context, and asks for this where it begins to change.
    /// A view model that asked is recreated after it is discarded, so that it goes on changing as long as the session is in
    /// memory.
    public func changes<Owner: ViewModel>(of owner: Owner) -> Changes<Owner> {
        notice?.note()
        return Changes(of: owner, turn: turn)
    }
}

/// A session's notification center, made when somebody first asks for it.
///
/// Nobody can listen before: a session in which nobody does, as in most, has neither the center nor the posts. Safe from
/// any thread.
final class SessionCenter: Sendable {
    private struct State: Sendable {
        var center: NotificationCenter?
        /// What is to post on it once it is made.
        var variables: [any ReadableVariable] = []
    }

    private let state: Lock<State>

    /// Takes a center that is there already, or makes one on demand.
    init(_ center: NotificationCenter? = nil) { state = Lock(State(center: center)) }

    /// Whether there is a center.
    var isMade: Bool { state.withLock { $0.center != nil } }

    /// The center; from the first call on the variables post on it.
    var center: NotificationCenter {
        while true {
            let (known, variables) = state.withLock { ($0.center, $0.variables) }
            if let known { return known }
            let center = NotificationCenter()
            // Not under the lock: a variable may hold the last reference to another center, and what goes away with
            // that may ask for this one.
            for variable in variables { center.attach(variable) }
            let isComplete = state.withLock { state in
                guard state.center == nil, state.variables.map(\.id) == variables.map(\.id) else { return false }
                state.center = center
                state.variables = []
                return true
            }
            if isComplete { return center }
        }
    }

    /// Makes variables post on the center; until it is made they are kept alive for it.
    func attach(_ variables: [any ReadableVariable]) {
        let center = state.withLock { state in
            if state.center == nil { state.variables += variables }
            return state.center
        }
        guard let center else { return }
        for variable in variables { center.attach(variable) }
    }

    /// Lets go of variables whose view model goes away, each as often as it was attached.
    func forget(_ variables: [any ReadableVariable]) {
        // What was known is released after unlocking.
        _ = state.withLock { state in
            let known = state.variables
            for variable in variables {
                guard let place = state.variables.firstIndex(where: { $0.id == variable.id }) else { continue }
                state.variables.remove(at: place)
            }
            return known
        }
    }
}

/// A view model's way to change itself outside of any action, as when time passes or something arrives.
///
/// ```swift
/// ticking = Task { [clock, changes = context.changes(of: self)] in
///     while true {
///         try await clock.sleep(for: .seconds(1))
///         try await changes { $0.tick() }
///     }
/// }
/// ```
/// The task ends by itself once the instance is no more. It must not capture `self`, which would then live for ever; and
/// `deinit` cancels it, so that it does not sleep on.
///
/// May be used from any thread. Holds the view model weakly.
public struct Changes<Owner: ViewModel>: Sendable {
    // Safe: the view model is touched inside a turn alone, which is one at a time; the reference itself is weak and
    // never changed.
    private struct Reference: @unchecked Sendable {
        weak let owner: Owner?
    }

    private let reference: Reference
    private let identity: ObjectIdentifier
    private let turn: ViewModelContext.Turn

    init(of owner: Owner, turn: @escaping ViewModelContext.Turn) {
        reference = Reference(owner: owner)
        identity = ObjectIdentifier(owner)
        self.turn = turn
    }

    /// Changes the view model in a turn of its session, and returns when the change is committed and shown.
    ///
    /// What it changes becomes one commit, as an action's does. Not to be waited for inside an action: the action has
    /// the turn. Until `change` returns it has the turn itself, and every action of the session waits: it has to be short,
    /// and has as much time as an action.
    ///
    /// - Throws: `CancellationError` where the view model is no longer live: its session has ended, was evicted, or has made
    ///   another instance of it, or the server is gone. A caller in a loop stops then. Other errors where the change could
    ///   not be stored, took longer than it may, or left what cannot be encoded, such as a number that is not finite: it was
    ///   not shown, and the instance is discarded too.
    public func callAsFunction(_ change: @escaping @Sendable (Owner) -> Void) async throws {
        try Task.checkCancellation()
        try await turn(identity) { [reference] in reference.owner.map(change) }
    }
}
