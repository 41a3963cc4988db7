import Binding
import ViewModels

/// What a view model showed at one moment: its outputs, each with the type that it is declared with.
///
/// ```swift
/// let state = try await machine.act("take")
/// #expect(try state.waiting == 1)
/// ```
@dynamicMemberLookup
public struct RemoteState<Owner: Presented>: Sendable, Equatable {
    /// Where the view model stood, as its `ETag` says: polled from here, its session tells what came after.
    public let cursor: RemoteCursor
    /// Each output that is shown, as JSON text.
    let outputs: [String: RawJSON]

    init(_ answer: RemoteAnswer) throws {
        self.init(cursor: try answer.cursor, outputs: try answer.decode([String: RawJSON].self))
    }

    init(cursor: RemoteCursor, outputs: [String: RawJSON]) {
        self.cursor = cursor
        self.outputs = outputs
    }

    /// An output that is a plain property.
    ///
    /// - Throws: ``RemoteFailure`` where no output is declared by this property, the facet does not show it, or the server
    ///   shows a value of another type.
    public subscript<Value: Decodable>(dynamicMember path: KeyPath<Owner, Value>) -> Value {
        get throws { try value(at: path) }
    }

    /// An output that is a `Variable`, a `Constant` or the `$` face of a `Posted` property; else as the other.
    public subscript<Value: Decodable>(dynamicMember path: KeyPath<Owner, some ReadableVariable<Value>>) -> Value {
        get throws { try value(at: path) }
    }

    package func value<Value: Decodable>(at path: PartialKeyPath<Owner>) throws -> Value {
        try Owner.value(of: Owner.outputName(at: path), from: json(at: path))
    }

    package func json(at path: PartialKeyPath<Owner>) throws -> RawJSON {
        let name = try Owner.outputName(at: path)
        guard let json = outputs[name] else {
            throw RemoteFailure(
                .notUnderstood,
                "\(Owner.presentation.name) was answered without \(name): a facet does not show it, or the server has another "
                    + "build.")
        }
        return json
    }
}

extension Presented {
    /// The name of the output that is declared by a key path.
    ///
    /// - Throws: ``RemoteFailure``, which says which there are.
    package static func outputName(at path: PartialKeyPath<Self>) throws -> String {
        guard let output = presentation.output(at: path) else { throw undeclared(path) }
        return output.name.rawValue
    }

    static func undeclared(_ path: PartialKeyPath<Self>) -> RemoteFailure {
        let names = presentation.outputs.map(\.name.rawValue).joined(separator: ", ")
        return RemoteFailure(
            .undeclared,
            "\(path) is no output of \(presentation.name). Name one as the interface does, with its $ where it has one; the "
                + "interface declares: \(names).")
    }

    static func value<Value: Decodable>(of name: String, from json: RawJSON) throws -> Value {
        do { return try JSON.decode(Value.self, from: json.text) } catch {
            throw RemoteFailure(
                .notUnderstood,
                "\(presentation.name).\(name) was shown as what is no \(Value.self): does the server have another build?",
                cause: error)
        }
    }
}
