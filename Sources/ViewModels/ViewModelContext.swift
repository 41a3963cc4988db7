import Foundation

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
    /// Is told that the view model asked for a way to change without an action of its own.
    var notice: ChangeNotice?

    /// Describes a session made up by a test or an application: changes run at once, where they are asked for.
    ///
    /// - Parameter center: the session's notification center; nil for one that is made when it is first asked for.
    public init(language: Language = .standard, center: NotificationCenter? = nil) {
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

    /// The session's own notification center, on which its view models' variables post from the first time that anybody
    /// asks for it.
    ///
    /// Whoever has asked is made anew when its session has thrown it away, so that it goes on hearing as long as the
    /// session is in memory. It hears nothing before it is made, which is when somebody first asks for it, nor between
    /// the session's return to memory and the next time. A set in an observer posts as well: one that does not pick
    /// what it hears by its variable hears itself, or another that does the same, and never ends.
    public var center: NotificationCenter {
        notice?.note()
        return sessionCenter.center
    }

    /// A way for a view model to change itself outside of any action, as when time passes.
    ///
    /// It names an instance, and a class's initializer cannot name its own before the last property is set: a view model
    /// keeps the context, and asks for this where it begins to change.
    /// Whoever has asked is made anew when its session has thrown it away, so that it goes on changing as long as the
    /// session is in memory.
    public func changes<Owner: ViewModel>(of owner: Owner) -> Changes<Owner> {
        notice?.note()
        return Changes(of: owner, turn: turn)
    }
}
