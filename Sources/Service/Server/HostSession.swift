import Binding
import Entities
import Foundation
import HTTP
import Locking
import ViewModels

/// A session as views in the same process see it.
///
/// It stays in memory as long as the host keeps this object.
public final class HostSession: Sendable {
    private struct State: Sendable {
        /// The Variables behind the constants, by output.
        var variables: [String: any Sendable] = [:]
        var removals: [@Sendable () -> Void] = []
    }

    private let entity: Entity
    private let catalogue: Catalogue
    private let state = Lock(State())

    init(_ entity: Entity, catalogue: Catalogue) { (self.entity, self.catalogue) = (entity, catalogue) }

    deinit { for remove in state.withLock({ $0.removals }) { remove() } }

    /// The public name of the session, which opens nothing.
    public var id: String { entity.id.text }

    /// The session's NotificationCenter: polls and streams wait on it, too.
    ///
    /// After each commit it posts each changed output, such as `counter.text`, then the notifications of actions, on the
    /// thread of the commit. The `userInfo` of an output has `value`, its JSON as `[UInt8]`, and `seq`.
    public var center: NotificationCenter { entity.center }

    /// An output that follows the session while this object lives, for `center.observe(_:bindTo:_:)`.
    ///
    /// - Parameter path: the property that the view model's interface declares as an output, such as `\Counter.text`.
    /// - Precondition: the server hosts the view model and can read its state, and the property is one of its outputs.
    public func constant<Root: Hostable, Value: Codable & Sendable>(of path: KeyPath<Root, Value>) -> Constant<Value> {
        constant(Root.self, path)
    }

    /// An output that a Variable or a Constant of the view model holds, as ``constant(of:)-(KeyPath<Root,Value>)``.
    public func constant<Root: Hostable, Value: Codable & Sendable>(
        of path: KeyPath<Root, some ReadableVariable<Value>>
    ) -> Constant<Value> { constant(Root.self, path) }

    private func constant<Root: Hostable, Value: Codable & Sendable>(
        _ root: Root.Type, _ path: PartialKeyPath<Root>
    ) -> Constant<Value> {
        let name = root.interface.name
        guard let output = root.interface.output(at: path), catalogue.viewModel(name) != nil else {
            preconditionFailure("The property is no output of a view model that this server hosts.")
        }
        let topic = "\(name).\(root.interface.outputs[output].name)"
        if let known = state.withLock({ $0.variables[topic] }) as? Variable<Value> { return known.constant }
        let read: @Sendable () -> Value? = { [entity] in
            guard let part = try? entity.published.state.part(name) else { return nil }
            return try? JSON.decode(Value.self, from: part.outputs[output])
        }
        while true {
            let cursor = entity.published.state.cursor
            guard let value = read() else { preconditionFailure("The output \(topic) cannot be read.") }
            let variable = Variable(value)
            let center = entity.center
            // Safe: the observer is used for nothing but its removal, which takes the center's own lock.
            nonisolated(unsafe) let observer = center.addObserver(
                forName: Notification.Name(topic), object: nil, queue: nil
            ) { _ in
                // The published state, so that a late notification does not bring an old value back.
                if let value = read() { variable.value = value }
            }
            // If a commit came between the look and the observer, look again.
            guard entity.published.state.cursor == cursor else {
                center.removeObserver(observer)
                continue
            }
            state.withLock { state in
                state.variables[topic] = variable
                state.removals.append { center.removeObserver(observer) }
            }
            return variable.constant
        }
    }
}

extension BinderyServer {
    /// A session for views in this process.
    ///
    /// - Parameter token: the session's token; nil for the public session.
    /// - Throws: ``SessionUnavailable``.
    public func session(_ token: String? = nil) async throws -> HostSession {
        guard let id = token.map({ SessionToken(Substring($0))?.entityID }) ?? .publicSession else {
            throw SessionUnavailable(slug: "session-unknown")
        }
        let found = await withCheckedContinuation { continuation in
            registry.find(id) { continuation.resume(returning: $0) }
        }
        do throws(Problem) { return HostSession(try Service.entity(found), catalogue: catalogue) } catch {
            throw SessionUnavailable(slug: error.slug)
        }
    }
}

/// Why `BinderyServer.session(_:)` returns no session.
public struct SessionUnavailable: Error, Hashable {
    /// The problem as over HTTP, such as `session-unknown` or `store-unavailable`.
    public let slug: String
}
