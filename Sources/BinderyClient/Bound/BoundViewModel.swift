import Binding
import ViewModels

/// A view model on a server, to bind to as to one that is here: ``BoundSession/viewModel(_:)``.
///
/// Each output is a constant under the name that its declaration gives it, whether that has a property, a variable or the `$`
/// face of a `Posted` property there: a view that observes it cannot tell where the view model is. The outputs' variables go
/// away with it, and their observations, as those of a view model that is here do. Safe from any thread.
@dynamicMemberLookup
public final class BoundViewModel<Owner: Presented>: RemoteActing {
    /// The session by whose connection it is kept up to date.
    public let session: BoundSession
    let outputs: BoundOutputs

    init(_ session: BoundSession, _ outputs: BoundOutputs) { (self.session, self.outputs) = (session, outputs) }

    /// An output that is declared as a plain property; to ask for a property that is no output stops the program.
    public subscript<Value: Decodable & Sendable>(dynamicMember path: KeyPath<Owner, Value>) -> Constant<Value> {
        constant(at: path)
    }

    /// An output that is declared as a variable, a constant or a `$` face; else as the other.
    public subscript<Value: Decodable & Sendable>(
        dynamicMember path: KeyPath<Owner, some ReadableVariable<Value>>
    ) -> Constant<Value> { constant(at: path) }

    private func constant<Value: Decodable & Sendable>(at path: PartialKeyPath<Owner>) -> Constant<Value> {
        let output = Owner.presentation.output(at: path)
        guard let output, let variable = outputs.variables[output.name.rawValue] as? TypedVariable<Value> else {
            preconditionFailure(Owner.undeclared(path).description)
        }
        return variable.variable.constant
    }

    /// Asks for an action, and shows what came of it before this returns; else as ``RemoteActing/perform(_:json:ifMatch:key:)``.
    @discardableResult
    public func perform(
        _ action: String, json body: [UInt8]?, ifMatch cursor: RemoteCursor?, key: String?
    ) async throws -> RemoteState<Owner> {
        let state = try await session.session.viewModel(Owner.self)
            .perform(action, json: body, ifMatch: cursor, key: key)
        await session.deliveries.takeAndWait(.answer(state.outputs, of: outputs.viewModel, at: state.cursor))
        return state
    }
}
