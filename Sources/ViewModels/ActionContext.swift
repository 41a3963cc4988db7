import Foundation
import Locking
import Synchronization

/// The context of a running action: services, language, time, session, user and effects; safe on any thread.
public struct ActionContext<Services: Sendable>: Sendable {
    /// The services that the host gives to the view model.
    public let services: Services
    private let call: ActionCall

    @usableFromInline
    init(services: Services, call: ActionCall) { (self.services, self.call) = (services, call) }

    /// Makes a context for a test that calls an action directly; posts are not delivered.
    public init(
        services: Services, language: Language = "ja", time: Date = Date(), sessionID: String = "test",
        user: User? = nil, key: String? = nil
    ) {
        self.init(
            services: services,
            call: ActionCall(
                "", ActionRequest("", sessionID: sessionID, user: user, key: key), language: language, time: time))
    }

    /// The session's language.
    public var language: Language { call.language }
    /// The time at which the action began, by the host's clock.
    public var time: Date { call.time }
    /// The public id of the caller's session; it gives no access to the session.
    public var sessionID: String { call.request.sessionID }
    /// The user of the caller's session; nil if the session has no user.
    public var user: User? { call.user }
    /// The key of the named entity, such as `7f3c` in `/orders/7f3c`; nil in a session.
    public var key: String? { call.request.key }

    /// Posts a notification to the reactions of the session's other view models, and to observers after the commit.
    ///
    /// If the action throws, the notification is dropped.
    public func post(_ name: Notification.Name, userInfo: [String: any Sendable] = [:]) {
        call.record { $0.posts.append((name.rawValue, userInfo)) }
    }

    /// Starts and cancels effects; the action's commit stores them.
    public var effects: Effects { Effects(call: call) }

    /// Ends the named entity after the action: the host deletes its row and keys, ends its waits, and answers 404.
    ///
    /// The action's answer has the last state. Only an entity that an action has made can end. In any other entity,
    /// the action fails.
    public func end() { call.record { $0.isEnd = true } }
}

extension ActionContext where Services == Void {
    /// Makes a context for a test that calls an action directly; posts are not delivered.
    public init(
        language: Language = "ja", time: Date = Date(), sessionID: String = "test", user: User? = nil,
        key: String? = nil
    ) {
        self.init(services: (), language: language, time: time, sessionID: sessionID, user: user, key: key)
    }
}

/// A request to a view model: to run an action, or to take the result of an effect.
package final class ActionRequest: Sendable {
    /// The name of the action, or of the effect.
    package let name: String
    /// The JSON body as it was sent; empty for none.
    let body: [UInt8]
    /// The result of an effect; nil for an action.
    let result: Result<any Sendable, any Error>?
    // Stored, because a check of `result` takes 200 instructions for each action.
    let isAction: Bool
    /// The public id of the caller's session.
    let sessionID: String
    /// The user of the caller's session, for a named entity.
    package let user: User?
    /// The key of the named entity; nil in a session.
    package let key: String?
    /// Whether an effect of the application makes the request, so that access rules do not apply.
    package let isOwn: Bool

    package init(
        _ name: String, body: [UInt8] = [], result: Result<any Sendable, any Error>? = nil, sessionID: String = "",
        user: User? = nil, key: String? = nil, isOwn: Bool = false
    ) {
        (self.name, self.body, self.result, self.sessionID) = (name, body, result, sessionID)
        (self.user, self.key, self.isOwn, isAction) = (user, key, isOwn, result == nil)
    }
}

/// A notification that an action posts: for reactions, and after the commit for the entity's NotificationCenter.
@usableFromInline package typealias Post = (name: String, userInfo: [String: any Sendable])

/// One run of a request, or of a reaction to it.
@usableFromInline
package final class ActionCall: Sendable {
    /// The name of the view model.
    let viewModel: String
    let request: ActionRequest
    /// The language of the entity's outputs.
    @usableFromInline let language: Language
    let time: Date
    /// The user of the caller's session.
    let user: User?
    private let records = Lock(RunResult())
    // Most actions record nothing. This flag spares them the lock.
    private let hasRecords = Atomic(false)

    /// - Parameter user: the session's user, if the request names none.
    package init(
        _ viewModel: String, _ request: ActionRequest, language: Language, time: Date, user: User? = nil
    ) {
        (self.viewModel, self.request, self.language, self.time) = (viewModel, request, language, time)
        self.user = request.user ?? user
    }

    /// Records a post, an effect request or the end; if `note` throws, the action fails.
    func record(_ note: (inout RunResult) throws -> Void) {
        records.withLock { records in
            do { try note(&records) } catch { records.fault = error }
        }
        hasRecords.store(true, ordering: .releasing)
    }

    /// The records; nil if there are none.
    func asked() throws -> RunResult? {
        guard hasRecords.load(ordering: .acquiring) else { return nil }
        let asked = records.withLock { $0 }
        if let fault = asked.fault { throw fault }
        return asked
    }
}

/// The result of an action and its reactions: changed parts, posts and requests to the host.
package struct RunResult: Sendable {
    /// The parts whose stored form or outputs changed, each once.
    package internal(set) var changed: [(name: String, part: Part)] = []
    /// The posted notifications, in order.
    package internal(set) var posts: [Post] = []
    /// The effect requests of the view models, in order.
    package internal(set) var effects: [(viewModel: String, request: EffectRequest)] = []
    /// Whether the action ends its entity.
    package internal(set) var isEnd = false
    /// Why an effect cannot be started.
    var fault: (any Error)?
}
