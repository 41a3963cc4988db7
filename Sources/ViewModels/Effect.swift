import Foundation

/// Work outside of the view model that an action starts, or a timer.
///
/// The action's commit stores the effect. So it exists if and only if the change is stored that asked for it. It runs after
/// the commit, on the executor, and goes on after a restart or on another replica. Its result is applied once, in one commit.
/// The work may run more than once, with an id that stays the same: an idempotency key for what it calls.
/// ```swift
/// Effect("charge", Order.charge, then: { $0.charged($1) }, orElse: { $0.declined($1) }).attempts(5, timeout: .seconds(20))
/// Effect("expire") { $0.expired() }
/// ```
public struct Effect<Root: Hostable>: Sendable {
    @usableFromInline typealias Take =
        @Sendable (inout Root, Result<any Sendable, any Error>, Root.Context) throws -> Void

    /// The name by which actions start it.
    public let name: String
    /// How many attempts may begin; 5 unless declared.
    public private(set) var attempts = 5
    /// How long an attempt may take; 30 s unless declared.
    public private(set) var timeout = Duration.seconds(30)
    /// Reads the input; an action that starts the effect with another shape fails.
    let check: @Sendable (JSONValue) throws -> Void
    /// Runs with the input; nil for a timer.
    let work: (@Sendable (JSONValue, Root.Attempt) async throws -> any Sendable)?
    @usableFromInline let take: Take

    /// Declares work.
    ///
    /// An attempt fails if `work` or `then` throws, if it takes too long, or if its process ends. The next one follows after 1 s,
    /// then after twice as long each time, up to a minute. A ``Refusal`` is final.
    /// - Parameters:
    ///   - work: a function of its input alone. It must not block a thread: the timeout cannot free it.
    ///   - then: takes what `work` returned, in one commit.
    ///   - orElse: takes the last error, once no attempt is left.
    public init<Input: Codable & Sendable, Output: Sendable>(
        _ name: String, _ work: @escaping @Sendable (Input, Root.Attempt) async throws -> Output,
        then: @escaping @Sendable (inout Root, Output) throws -> Void,
        orElse: @escaping @Sendable (inout Root, any Error) throws -> Void
    ) {
        self.init(
            name, work, then: { root, output, _ in try then(&root, output) },
            orElse: { root, error, _ in try orElse(&root, error) })
    }

    /// Declares work whose result is taken with the context.
    public init<Input: Codable & Sendable, Output: Sendable>(
        _ name: String, _ work: @escaping @Sendable (Input, Root.Attempt) async throws -> Output,
        then: @escaping @Sendable (inout Root, Output, Root.Context) throws -> Void,
        orElse: @escaping @Sendable (inout Root, any Error, Root.Context) throws -> Void
    ) {
        self.name = name
        check = { _ = try JSONValueDecoder(value: $0).decode(Input.self) }
        self.work = { input, attempt in try await work(JSONValueDecoder(value: input).decode(Input.self), attempt) }
        take = { root, result, context in
            switch result {
            case .success(let output):
                guard let output = output as? Output else { throw CallFault() }
                try then(&root, output, context)
            case .failure(let error): try orElse(&root, error, context)
            }
        }
    }

    /// Declares a timer, to be started with `after:`; it comes up to a second late.
    ///
    /// If it throws, nothing has changed, the log says so, and the timer is over.
    public init(_ name: String, _ then: @escaping @Sendable (inout Root) throws -> Void) {
        self.init(name) { root, _ in try then(&root) }
    }

    /// Declares a timer that uses the context.
    public init(_ name: String, _ then: @escaping @Sendable (inout Root, Root.Context) throws -> Void) {
        self.name = name
        (check, work) = ({ _ in }, nil)
        take = { root, _, context in try then(&root, context) }
    }

    /// Declares how many attempts may begin, at least 1, and how long each may take.
    public func attempts(_ attempts: Int, timeout: Duration = .seconds(30)) -> Effect {
        var effect = self
        (effect.attempts, effect.timeout) = (max(1, attempts), timeout)
        return effect
    }
}

/// What the work of an effect is told besides its input; inside of a view model `Attempt` alone is enough.
public struct EffectAttempt<Services: Sendable>: Sendable {
    /// The id of the effect, a UUID, the same for every attempt.
    public let id: String
    /// The number of the attempt, from 1 on.
    public let number: Int
    /// What the host lends to the view model.
    public let services: Services

    /// Makes an attempt, for a test that calls the work itself.
    public init(id: String, number: Int = 1, services: Services) {
        (self.id, self.number, self.services) = (id, number, services)
    }
}

/// Starts and cancels effects, as `context.effects`; the action's commit stores that.
public struct Effects: Sendable {
    let call: ActionCall

    /// Starts work that the view model declares.
    ///
    /// The action fails if the view model declares no such effect, or another input.
    /// - Parameters:
    ///   - key: replaces an effect of the view model with the same key, and names it for ``cancel(_:)``.
    ///   - after: how long it waits, up to ten years; nil for at once.
    public func start(_ name: String, _ input: some Encodable, key: String? = nil, after delay: Duration? = nil) {
        call.request { EffectRequest(.start(name, key: key, after: Self.bounded(delay)), try JSON.encode(input)) }
    }

    /// Starts a timer that the view model declares, or work without an input.
    public func start(_ name: String, key: String? = nil, after delay: Duration? = nil) {
        call.request { EffectRequest(.start(name, key: key, after: Self.bounded(delay)), Array("{}".utf8)) }
    }

    /// At most ten years, since the time may come from a client.
    private static func bounded(_ delay: Duration?) -> Duration? {
        delay.map { min(max($0, .zero), .seconds(315_360_000)) }
    }

    /// Drops the view model's effect with this key, if there is one; an attempt that runs goes on, and its result is dropped.
    public func cancel(_ key: String) { call.request { EffectRequest(.cancel(key), []) } }

    /// Does an action on a named entity, such as `desks/main`, once; what it answers is dropped.
    ///
    /// It is nobody's action: access and roles do not bind it. It is tried until the entity has answered. If that refuses it, or
    /// does not exist, the log says so.
    public func act(on entity: String, _ action: String, _ input: some Encodable) {
        call.request { EffectRequest(.act(on: entity, action), try JSON.encode(input)) }
    }

    /// Does an action without a body on a named entity, once.
    public func act(on entity: String, _ action: String) {
        call.request { EffectRequest(.act(on: entity, action), []) }
    }
}

/// What an action asks of the effects.
package struct EffectRequest: Sendable {
    package enum Kind: Sendable {
        case start(String, key: String?, after: Duration?)
        case cancel(String)
        case act(on: String, String)
    }

    package let kind: Kind
    /// The input as JSON; empty for an action without a body.
    package let input: [UInt8]

    init(_ kind: Kind, _ input: [UInt8]) { (self.kind, self.input) = (kind, input) }

    var isCancel: Bool { if case .cancel = kind { true } else { false } }
}

/// An action has started an effect that cannot run; the value says which.
enum EffectRequestFault: Error {
    case noSuchEffect(String)
    case otherInput(String)
    case noSuchAction(String)
    case endsEntity(String)
}

/// An effect of a hosted view model.
package struct HostedEffect: Sendable {
    /// Its place in the interface.
    let place: Int
    package let attempts: Int
    package let timeout: Duration
    package let isTimer: Bool
    let check: @Sendable (JSONValue) throws -> Void
    /// Runs the work with the input, the id and the number of the attempt.
    package let perform: @Sendable ([UInt8], String, Int) async throws -> any Sendable

    init<Root: Hostable>(_ effect: Effect<Root>, at place: Int, with services: Root.Services) {
        self.place = place
        (attempts, timeout, check) = (effect.attempts, effect.timeout, effect.check)
        let work = effect.work
        isTimer = work == nil
        perform = { input, id, number in
            try await work?(JSONValue(parsing: input), EffectAttempt(id: id, number: number, services: services)) ?? ()
        }
    }
}
