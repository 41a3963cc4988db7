import Binding
import ViewModels

/// A view model on a server, which an app uses like a local one.
///
/// An output is a `Constant` under the name of the property that declares it. An action is a method under its name, or
/// in camel case: `greeting.increaseTitle()` for `increase-title`. The outputs change on a thread of the client, so name a
/// queue when you observe them. One connection keeps them up to date as long as the view model lives. Safe from any thread.
@dynamicMemberLookup
public final class RemoteViewModel<Root: Hostable>: Sendable {
    /// The session.
    public let session: RemoteSession
    /// The state of the connection that keeps the outputs up to date.
    public var connection: Constant<RemoteConnection> { outputs.connection.constant }
    let outputs: RemoteOutputs
    /// The path without the first slash: the view model's name, or that of a named entity.
    private let path: String
    private let following: Task<Void, Never>

    /// Begins with the answer of `GET /NAME`, or of `GET` of a named entity.
    init(_ session: RemoteSession, _ entity: String?, _ answer: RemoteAnswer) throws {
        let outputs = try RemoteOutputs(
            Root.interface.outputs.map { ($0.name, $0.variable) }, answer, mayMiss: entity != nil)
        (self.session, self.outputs, path) = (session, outputs, entity ?? Root.interface.name)
        var changes = session.changes(of: entity, topics: [path], since: try answer.cursor) { [weak outputs] in
            outputs?.connection.value = $0
        }
        changes.opening = { [weak outputs] in await outputs?.opening($0) }
        following = Task { [weak outputs, changes] in
            do {
                for try await update in changes { try await outputs?.take(update) }
            } catch {
                if !(error is CancellationError) { outputs?.connection.value = .ended(error) }
            }
        }
    }

    deinit { following.cancel() }

    /// An output, by the property that declares it; any other property is a programming error and stops the program.
    public subscript<Value: Codable & Sendable>(dynamicMember path: KeyPath<Root, Value>) -> Constant<Value> {
        constant(at: path)
    }

    /// An output that is declared by a `Variable`, a `Constant` or the `$` face of a `Posted` property.
    public subscript<Value: Codable & Sendable>(
        dynamicMember path: KeyPath<Root, some ReadableVariable<Value>>
    ) -> Constant<Value> { constant(at: path) }

    private func constant<Value: Codable>(at path: PartialKeyPath<Root>) -> Constant<Value> {
        guard let place = Root.interface.output(at: path),
            let variable = outputs.variables[Root.interface.outputs[place].name]?.variable as? Variable<Value>
        else {
            preconditionFailure("\(path) is no output of \(Root.interface.name), or the caller may not see it.")
        }
        return variable.constant
    }

    /// An output by its name, for derived outputs, and for outputs that the caller may not see.
    ///
    /// - Throws: ``RemoteFailure`` if the declaration has no output of this name and type.
    public func output<Value: Codable & Sendable>(
        _ name: String, as type: Value.Type = Value.self
    ) throws -> Constant<Value> {
        guard let variable = outputs.variables[name]?.variable as? Variable<Value> else {
            throw undeclared("output \(name) of the type \(type)", Root.interface.outputs.map(\.name))
        }
        return variable.constant
    }

    /// An action by its name; see ``RemoteAction``.
    public subscript(dynamicMember name: String) -> RemoteAction {
        RemoteAction { [self] json, key in
            let names = Root.interface.actions.map(\.description.name)
            let hyphened = name.replacing(/[A-Z]/) { "-" + $0.output.lowercased() }
            guard let action = [name, hyphened].first(where: names.contains) else {
                throw undeclared("action \(name)", names)
            }
            try await outputs.take(session.act(action, of: path, json: json, key: key))
        }
    }

    private func undeclared(_ what: String, _ names: [String]) -> RemoteFailure {
        RemoteFailure(
            .undeclared, "\(Root.interface.name) declares no \(what). It declares \(names.joined(separator: ", ")).")
    }
}
