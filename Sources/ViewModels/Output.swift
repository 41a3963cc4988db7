import Binding

/// A named value of a view model's presentation state.
///
/// It is derived from the view model and the session's language alone, so it changes with a commit only.
public struct Output<Root: Hostable>: Sendable {
    /// The member's name in the view model's JSON object.
    public let name: String
    /// One sentence on the meaning, for the OpenAPI description.
    public let summary: String
    /// The property that it shows; nil for a closure.
    @usableFromInline let path: (PartialKeyPath<Root> & Sendable)?
    @usableFromInline let schema: @Sendable () throws -> JSONSchema
    @usableFromInline let append: @Sendable (Root, OutputContext, inout [UInt8]) throws -> Void
    /// Makes the Variable in which a client keeps what its server shows; throws `DecodingError`.
    @usableFromInline package let variable: @Sendable (JSONValue) throws -> any OutputVariable

    /// Declares an output that is a stored or computed property.
    @inlinable
    public init<Value: Codable & Sendable>(
        _ name: String, _ path: KeyPath<Root, Value> & Sendable, _ summary: String = ""
    ) {
        self.init(name, summary, path) { root, _ in root[keyPath: path] }
    }

    /// Declares an output that a Variable or a Constant of the view model holds.
    @inlinable
    public init<Value: Codable & Sendable>(
        _ name: String, _ path: KeyPath<Root, some ReadableVariable<Value>> & Sendable, _ summary: String = ""
    ) {
        self.init(name, summary, path) { root, _ in root[keyPath: path].value }
    }

    /// Declares an output that a closure derives.
    @inlinable
    public init<Value: Codable & Sendable>(
        _ name: String, _ summary: String = "", value: @escaping @Sendable (Root) -> Value
    ) {
        self.init(name, summary, nil) { root, _ in value(root) }
    }

    /// Declares an output that a closure derives for a language, as `{ $0.text(in: $1.language) }`.
    @inlinable
    public init<Value: Codable & Sendable>(
        _ name: String, _ summary: String = "", value: @escaping @Sendable (Root, OutputContext) -> Value
    ) {
        self.init(name, summary, nil, value)
    }

    @inlinable
    init<Value: Codable & Sendable>(
        _ name: String, _ summary: String, _ path: (PartialKeyPath<Root> & Sendable)?,
        _ value: @escaping @Sendable (Root, OutputContext) -> Value
    ) {
        (self.name, self.summary, self.path) = (name, summary, path)
        schema = { try JSONSchema(of: Value.self) }
        append = { root, context, text in try JSON.append(value(root, context), to: &text) }
        variable = { try makeVariable(of: Value.self, $0) }
    }
}

/// What an output may depend on besides its view model.
public struct OutputContext: Hashable, Sendable {
    /// The session's language.
    public let language: Language

    /// Makes a context, for example in a test.
    public init(language: Language) { self.language = language }
}

/// A named subset of the outputs, for a view that must not see the rest.
public struct Facet<Root: Hostable>: Sendable {
    /// The last segment of the facet's path and topic.
    public let name: String
    /// One sentence on the purpose, for the OpenAPI description.
    public let summary: String
    /// The names of the outputs, in the order in which the facet shows them.
    public let outputs: [String]

    /// Declares a facet.
    ///
    /// - Parameter outputs: names of outputs of the same interface, at least one, each once.
    public init(_ name: String, _ summary: String = "", showing outputs: String...) {
        (self.name, self.summary, self.outputs) = (name, summary, outputs)
    }
}

/// The Variable in which a client keeps what its server shows of an output.
@usableFromInline
package protocol OutputVariable: ReadableVariable {
    /// Reads a value, and returns the step that sets the Variable to it.
    ///
    /// - Throws: `DecodingError` where the value has another shape.
    func reading(_ json: JSONValue) throws -> @Sendable () -> Void
}

extension Variable: OutputVariable where Value: Decodable {
    @usableFromInline
    package func reading(_ json: JSONValue) throws -> @Sendable () -> Void {
        let value = try JSONValueDecoder(value: json).decode(Value.self)
        return { self.value = value }
    }
}

@usableFromInline
func makeVariable<Value: Codable & Sendable>(of type: Value.Type, _ json: JSONValue) throws -> any OutputVariable {
    Variable(try JSONValueDecoder(value: json).decode(type))
}
