import Foundation

/// Work outside of the view model, or a timer, that an action starts.
///
/// The action's commit stores the effect. The host runs it on the executor after the commit. After a restart, the
/// server or another replica continues it. The host applies its result once, in one commit. The work may run more than
/// once, with the same id. Use the id as idempotency key in calls to other services.
/// ```swift
/// Effect("charge", Order.charge, then: { $0.charged($1) }, orElse: { $0.declined($1) }).attempts(5, timeout: .seconds(20))
/// Effect("expire") { $0.expired() }
/// ```
public struct Effect<Root: Hostable>: Sendable {
    /// Makes the host's form of the effect.
    private(set) var hosted: @Sendable (Root.Services) -> HostedEffect
    @usableFromInline let take: @Sendable (inout Root, Result<any Sendable, any Error>, Root.Context) throws -> Void

    /// Declares work.
    ///
    /// An attempt fails if `work` or `then` throws, if it takes too long, or if its process ends. The host tries again
    /// after about 1 s, and doubles the pause each time, up to a minute. A ``Refusal`` is final.
    /// - Parameters:
    ///   - work: a function of its input alone. It must not block a thread: the timeout cannot free the thread.
    ///   - then: takes the result of `work`, in one commit.
    ///   - orElse: takes the last error, if no attempt is left.
    public init<Input: Codable & Sendable, Output: Sendable>(
        _ name: String, _ work: @escaping @Sendable (Input, Root.Attempt) async throws -> Output,
        then: @escaping @Sendable (inout Root, Output) throws -> Void,
        orElse: @escaping @Sendable (inout Root, any Error) throws -> Void
    ) {
        self.init(
            name, work, then: { root, output, _ in try then(&root, output) },
            orElse: { root, error, _ in try orElse(&root, error) })
    }

    /// Declares work; `then` and `orElse` use the context.
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

    /// Declares a timer; `context.effects.start` starts it, and it fires up to a second late.
    ///
    /// If `then` throws, nothing changes, the host logs the error, and the timer ends.
    public init(_ name: String, _ then: @escaping @Sendable (inout Root) throws -> Void) {
        self.init(name) { root, _ in try then(&root) }
    }

    /// Declares a timer that uses the context.
    public init(_ name: String, _ then: @escaping @Sendable (inout Root, Root.Context) throws -> Void) {
        hosted = { _ in HostedEffect(name: name) }
        take = { root, _, context in try then(&root, context) }
    }

    /// Declares the maximum number of attempts, at least 1, and the timeout of each.
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

/// The id, the number and the services of an attempt; inside of a view model, write `Attempt`.
public struct EffectAttempt<Services: Sendable>: Sendable {
    /// The id of the effect, a UUID, the same for every attempt.
    public let id: String
    /// The number of the attempt; the first is 1.
    public let number: Int
    /// The services that the host gives to the view model.
    public let services: Services

    /// Makes an attempt, for a test that calls the work directly.
    public init(id: String, number: Int = 1, services: Services) {
        (self.id, self.number, self.services) = (id, number, services)
    }
}

/// Starts and cancels effects, as `context.effects`; the action's commit stores the requests.
public struct Effects: Sendable {
    let call: ActionCall

    /// Starts an effect that the view model declares; a timer takes no input.
    ///
    /// The action fails if the view model does not declare the effect, or if the input has another shape.
    /// - Parameters:
    ///   - key: names the effect for ``cancel(_:)``. The effect replaces an earlier one with the same key.
    ///   - after: the delay, up to ten years; nil for none.
    public func start<Input: Encodable>(
        _ name: String, _ input: Input = [String: String](), key: String? = nil, after delay: Duration? = nil
    ) {
        // The delay may come from a client, so limit it.
        let delay = delay.map { min(max($0, .zero), .seconds(315_360_000)) }
        ask { .start(name, input: try JSON.encode(input), key: key, after: delay) }
    }

    /// Cancels the view model's effect with this key, if there is one; the host drops the result of a running attempt.
    public func cancel(_ key: String) { ask { .cancel(key) } }

    /// Runs an action on a named entity, such as `desks/main`, once; the host drops the answer.
    ///
    /// Access and roles do not apply, because no user makes the request. The host retries until the entity answers. If
    /// the entity refuses the action or does not exist, the host logs that.
    public func act<Input: Encodable>(on entity: String, _ action: String, _ input: Input = [String: String]()) {
        ask { .act(on: entity, action, input: try JSON.encode(input)) }
    }

    private func ask(_ request: () throws -> EffectRequest) {
        call.record { $0.effects.append((call.viewModel, try request())) }
    }
}

/// A request to start or cancel an effect; an input is JSON.
package enum EffectRequest: Sendable {
    case start(String, input: [UInt8], key: String?, after: Duration?)
    case cancel(String)
    case act(on: String, String, input: [UInt8])
}

package struct HostedEffect: Sendable {
    let name: String
    /// The maximum number of attempts.
    package fileprivate(set) var attempts = 5
    package fileprivate(set) var timeout = Duration.seconds(30)
    /// Decodes the input and returns the work, a function of the effect's id and the attempt's number; nil for a timer.
    package fileprivate(set) var prepare:
        (@Sendable ([UInt8]) throws -> @Sendable (String, Int) async throws -> any Sendable)?
}
