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
    /// the turn.
    ///
    /// - Throws: `CancellationError` where the view model is no more: its session has ended, was evicted, or has made
    ///   another instance of it, or the server is gone. Whoever calls again and again stops then. Other errors where the
    ///   change could not be stored; it was not shown, and the instance is no more either.
    public func callAsFunction(_ change: @escaping @Sendable (Owner) -> Void) async throws {
        try Task.checkCancellation()
        try await turn(identity) { [reference] in reference.owner.map(change) }
    }
}
