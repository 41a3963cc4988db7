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
    /// Makes what the host knows of it.
    private(set) var hosted: @Sendable (Root.Services) -> HostedEffect
    @usableFromInline let take: @Sendable (inout Root, Result<any Sendable, any Error>, Root.Context) throws -> Void

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
        hosted = { services in
            HostedEffect(name: name) { json in
                let input = try JSON.decode(Input.self, from: json)
                return { try await work(input, EffectAttempt(id: $0, number: $1, services: services)) }
            }
        }
        take = { root, result, context in
            switch result {
            case .success(let output):
                guard let output = output as? Output else { throw DeclarationFault("\(name) has another result") }
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
        hosted = { _ in HostedEffect(name: name) }
        take = { root, _, context in try then(&root, context) }
    }

    /// Declares how many attempts may begin, at least 1, and how long each may take.
    public func attempts(_ attempts: Int, timeout: Duration = .seconds(30)) -> Effect {
        var effect = self
        effect.hosted = { [hosted] services in
            var hosted = hosted(services)
            (hosted.attempts, hosted.timeout) = (max(1, attempts), timeout)
            return hosted
        }
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

    /// Starts work that the view model declares, or a timer, which takes no input.
    ///
    /// The action fails if the view model declares no such effect, or another input.
    /// - Parameters:
    ///   - key: replaces an effect of the view model with the same key, and names it for ``cancel(_:)``.
    ///   - after: how long it waits, up to ten years; nil for at once.
    public func start<Input: Encodable>(
        _ name: String, _ input: Input = [String: String](), key: String? = nil, after delay: Duration? = nil
    ) {
        // The time may come from a client.
        let delay = delay.map { min(max($0, .zero), .seconds(315_360_000)) }
        ask { .start(name, input: try JSON.encode(input), key: key, after: delay) }
    }

    /// Drops the view model's effect with this key, if there is one; an attempt that runs goes on, and its result is dropped.
    public func cancel(_ key: String) { ask { .cancel(key) } }

    /// Does an action on a named entity, such as `desks/main`, once; its answer is dropped.
    ///
    /// Access and roles do not apply, since no user asks. The effect is tried until the entity has answered. If the entity
    /// refuses the action, or does not exist, the log says so.
    public func act<Input: Encodable>(on entity: String, _ action: String, _ input: Input = [String: String]()) {
        ask { .act(on: entity, action, input: try JSON.encode(input)) }
    }

    private func ask(_ request: () throws -> EffectRequest) {
        call.record { $0.effects.append((call.viewModel, try request())) }
    }
}

/// What an action asks of the effects; an input is JSON.
package enum EffectRequest: Sendable {
    case start(String, input: [UInt8], key: String?, after: Duration?)
    case cancel(String)
    case act(on: String, String, input: [UInt8])
}

/// An effect of a hosted view model.
package struct HostedEffect: Sendable {
    let name: String
    /// How many attempts may begin.
    package fileprivate(set) var attempts = 5
    /// How long an attempt may take.
    package fileprivate(set) var timeout = Duration.seconds(30)
    /// Reads the input, and returns the work with it, which takes the id and the number of the attempt; nil for a timer.
    package fileprivate(set) var prepare:
        (@Sendable ([UInt8]) throws -> @Sendable (String, Int) async throws -> any Sendable)?
}
