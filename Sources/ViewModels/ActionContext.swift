import Foundation
import Locking
import Synchronization

/// What an action is told besides its input, for as long as it runs; safe from any thread.
public struct ActionContext<Services: Sendable>: Sendable {
    /// What the host lends to the view model.
    public let services: Services
    @usableFromInline let turn: ActionTurn

    @usableFromInline
    init(services: Services, turn: ActionTurn) { (self.services, self.turn) = (services, turn) }

    /// Makes a context for a test that calls an action itself; posts are not delivered.
    public init(services: Services, language: Language = "ja", time: Date = Date(), sessionID: String = "test") {
        self.init(services: services, turn: ActionTurn(language: language, time: time, sessionID: sessionID))
    }

    /// The session's language.
    public var language: Language { turn.language }
    /// The time at which the action began, by the host's clock.
    public var time: Date { turn.time }
    /// The public name of the session, which opens nothing.
    public var sessionID: String { turn.sessionID }
    /// A NotificationCenter of this action's own, in which the parts of an ``ObjectViewModel`` may observe each other.
    public var center: NotificationCenter { turn.center }

    /// Posts a notification to the reactions of the session's other view models, and, after the commit, to observers.
    ///
    /// If the action throws, the notification is dropped.
    public func post(_ name: Notification.Name, userInfo: [String: any Sendable] = [:]) {
        turn.post(Post(name: name, userInfo: userInfo))
    }
}

extension ActionContext where Services == Void {
    /// Makes a context for a test that calls an action itself; posts are not delivered.
    public init(language: Language = "ja", time: Date = Date(), sessionID: String = "test") {
        self.init(services: (), language: language, time: time, sessionID: sessionID)
    }
}

/// What the contexts of one action and its reactions share.
@usableFromInline
final class ActionTurn: Sendable {
    @usableFromInline let language: Language
    let time: Date
    let sessionID: String
    private let state = Lock(State())
    private let hasPosts = Atomic(false)

    private struct State {
        var posts: [Post] = []
        var center: NotificationCenter?
    }

    init(language: Language, time: Date, sessionID: String) {
        (self.language, self.time, self.sessionID) = (language, time, sessionID)
    }

    var center: NotificationCenter {
        state.withLock { state in
            let center = state.center ?? NotificationCenter()
            state.center = center
            return center
        }
    }

    /// What was posted so far.
    var posts: [Post] { hasPosts.load(ordering: .acquiring) ? state.withLock { $0.posts } : [] }

    func post(_ post: Post) {
        state.withLock { $0.posts.append(post) }
        hasPosts.store(true, ordering: .releasing)
    }
}
