import Foundation
import Locking
import Synchronization

/// What an action is told besides its input, for as long as it runs; safe from any thread.
public struct ActionContext<Services: Sendable>: Sendable {
    /// What the host lends to the view model.
    public let services: Services
    private let call: ActionCall

    @usableFromInline
    init(services: Services, call: ActionCall) { (self.services, self.call) = (services, call) }

    /// Makes a context for a test that calls an action itself; posts are not delivered.
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
    /// The public name of the caller's session, which opens nothing.
    public var sessionID: String { call.request.sessionID }
    /// Whom the caller's session belongs to; nil for nobody.
    public var user: User? { call.user }
    /// The key of the named entity, as `7f3c` in `/orders/7f3c`; nil in a session.
    public var key: String? { call.request.key }

    /// Posts a notification to the reactions of the session's other view models, and, after the commit, to observers.
    ///
    /// If the action throws, the notification is dropped.
    public func post(_ name: Notification.Name, userInfo: [String: any Sendable] = [:]) {
        call.record { $0.posts.append((name.rawValue, userInfo)) }
    }

    /// Starts work outside and timers, with the commit of the action.
    public var effects: Effects { Effects(call: call) }

    /// Ends the named entity once the action is done: its row, its keys and its waits end, and its path is 404.
    ///
    /// The answer to the action is the last state. Only an entity that an action has made can end. In any other, the
    /// action fails.
    public func end() { call.record { $0.isEnd = true } }
}

extension ActionContext where Services == Void {
    /// Makes a context for a test that calls an action itself; posts are not delivered.
    public init(
        language: Language = "ja", time: Date = Date(), sessionID: String = "test", user: User? = nil,
        key: String? = nil
    ) {
        self.init(services: (), language: language, time: time, sessionID: sessionID, user: user, key: key)
    }
}

/// What is asked of a view model: an action, or that it takes the result of an effect.
package final class ActionRequest: Sendable {
    /// The name of the action, or of the effect.
    package let name: String
    /// The JSON body as it was sent; empty for none.
    let body: [UInt8]
    /// The result of an effect; nil for an action.
    let result: Result<any Sendable, any Error>?
    // Cheaper than a look at the result: it saves 200 instructions an action.
    let isAction: Bool
    /// The public name of the caller's session.
    let sessionID: String
    /// Whom the caller's session belongs to, for a named entity.
    package let user: User?
    /// The key of the named entity; nil in a session.
    package let key: String?
    /// Whether the application asks, by an effect, so that nothing is hidden from it.
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
    /// The view model that runs.
    let viewModel: String
    let request: ActionRequest
    /// The session's language, in which all its parts are.
    @usableFromInline let language: Language
    let time: Date
    /// Whom the caller's session belongs to.
    let user: User?
    private let records = Lock(RunResult())
    // Most actions post and start nothing, and then no lock is taken.
    private let hasRecords = Atomic(false)

    /// - Parameter user: the session's user, where the request names none.
    package init(
        _ viewModel: String, _ request: ActionRequest, language: Language, time: Date, user: User? = nil
    ) {
        (self.viewModel, self.request, self.language, self.time) = (viewModel, request, language, time)
        self.user = request.user ?? user
    }

    /// Notes what the code asks for; an error fails the action.
    func record(_ note: (inout RunResult) throws -> Void) {
        records.withLock { records in
            do { try note(&records) } catch { records.fault = error }
        }
        hasRecords.store(true, ordering: .releasing)
    }

    /// What the code has asked for; nil for nothing.
    func asked() throws -> RunResult? {
        guard hasRecords.load(ordering: .acquiring) else { return nil }
        let asked = records.withLock { $0 }
        if let fault = asked.fault { throw fault }
        return asked
    }
}

/// What an action and the reactions to it have changed, and asked of their host.
package struct RunResult: Sendable {
    /// The parts whose stored form or outputs changed, each once.
    package internal(set) var changed: [(name: String, part: Part)] = []
    /// What was posted, in order.
    package internal(set) var posts: [Post] = []
    /// What the view models asked of the effects, in order.
    package internal(set) var effects: [(viewModel: String, request: EffectRequest)] = []
    /// Whether the action ends its entity.
    package internal(set) var isEnd = false
    /// Why an effect cannot be started.
    var fault: (any Error)?
}
