import Binding
import Entities
import Foundation
import Locking
import ViewModels

/// A session for views in the server's process.
///
/// The session stays in memory while the host keeps this object.
public final class HostSession: Sendable {
    private let entity: Entity
    private let catalogue: Catalogue
    /// Removes the observers behind the constants.
    private let removals = Lock<[@Sendable () -> Void]>([])

    init(_ entity: Entity, catalogue: Catalogue) { (self.entity, self.catalogue) = (entity, catalogue) }

    deinit { for remove in removals.withLock({ $0 }) { remove() } }

    /// The public name of the session; it gives no access.
    public var id: String { entity.id.text }

    /// The session's NotificationCenter; polls and streams also wait on it.
    ///
    /// After each commit, on the commit's thread, it posts each changed output, such as `counter.text`. Then it posts the
    /// notifications of actions. The `userInfo` of an output has `value`, its JSON as `[UInt8]`, and `seq`. An observer must
    /// not block, because the commits of all sessions wait for it, also if it has a queue.
    public var center: NotificationCenter { entity.center }

    /// An output as a Constant for `center.observe(_:bindTo:_:)`; the commit's thread changes it while this object
    /// lives.
    ///
    /// - Parameter path: the property of the output, such as `\Counter.text`.
    /// - Precondition: the server hosts the view model and can read its state. Its interface declares the output.
    public func constant<Root: Hostable, Value: Codable & Sendable>(of path: KeyPath<Root, Value>) -> Constant<Value> {
        constant(Root.self, path)
    }

    /// An output that is a Variable or a Constant of the view model; see ``constant(of:)-(KeyPath<Root,Value>)``.
    public func constant<Root: Hostable, Value: Codable & Sendable>(
        of path: KeyPath<Root, some ReadableVariable<Value>>
    ) -> Constant<Value> { constant(Root.self, path) }

    private func constant<Root: Hostable, Value: Codable & Sendable>(
        _ root: Root.Type, _ path: PartialKeyPath<Root>
    ) -> Constant<Value> {
        let name = root.interface.name
        guard let output = root.interface.output(at: path), catalogue.viewModel(name) != nil else {
            preconditionFailure("The server hosts no view model with this property as an output.")
        }
        let topic = "\(name).\(root.interface.outputs[output].name)"
        let read: @Sendable () -> Value? = { [entity] in
            guard let part = try? entity.published.state.part(name) else { return nil }
            return try? JSON.decode(Value.self, from: part.outputs[output])
        }
        while true {
            let cursor = entity.published.state.cursor
            guard let value = read() else { preconditionFailure("The server cannot read the output \(topic).") }
            let variable = Variable(value)
            // Safe: this code only removes the observer, and the removal takes the center's own lock.
            nonisolated(unsafe) let observer = center.addObserver(
                forName: Notification.Name(topic), object: nil, queue: nil
            ) { _ in
                // Read the published state: a late notification must not bring an old value back.
                if let value = read() { variable.value = value }
            }
            let remove: @Sendable () -> Void = { [center] in center.removeObserver(observer) }
            // If a commit came before the observer, read the value again.
            if entity.published.state.cursor == cursor {
                removals.withLock { $0.append(remove) }
                return variable.constant
            }
            remove()
        }
    }
}

extension BinderyServer {
    /// Finds a session for views in this process.
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
        do { return HostSession(try found.get(), catalogue: catalogue) } catch {
            throw SessionUnavailable(slug: ProblemType(error).slug)
        }
    }
}

/// Why `BinderyServer.session(_:)` returns no session.
public struct SessionUnavailable: Error, Hashable {
    /// The slug of the problem, as over HTTP: for example `session-unknown` or `store-unavailable`.
    public let slug: String
}
