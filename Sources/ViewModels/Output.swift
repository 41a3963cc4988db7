import Binding

/// The Variable in which a client keeps an output, and its setter, which throws ``InputFault`` for another shape.
package typealias OutputVariable = (variable: any ReadableVariable, set: @Sendable (JSONValue) throws -> Void)

/// A named value of a view model's presentation state.
///
/// The host derives it only from the view model and the session's language, so it changes only with a commit.
public struct Output<Root: Hostable>: Sendable {
    /// The member's name in the view model's JSON object.
    public let name: String
    /// The key path of the property; nil for a closure.
    let path: (PartialKeyPath<Root> & Sendable)?
    /// Finds the schema.
    let describe: @Sendable () throws -> ViewModelDescription.Output
    /// Appends the value as JSON, and returns the rows of a list by key.
    @usableFromInline let append: @Sendable (Root, OutputContext, inout [UInt8]) throws -> [Part.Row]?
    /// Makes the Variable in which a client keeps the server's value, and its setter.
    package let variable: @Sendable (JSONValue) throws -> OutputVariable

    /// Declares an output that is a stored or computed property.
    ///
    /// The key path is a closure, so that the compiler reads the property of a literal key path directly.
    @inlinable
    public init<Value: Codable & Sendable>(
        _ name: String, _ path: @autoclosure @escaping @Sendable () -> KeyPath<Root, Value> & Sendable,
        _ summary: String = ""
    ) {
        self.init(name, summary, path()) { root, _ in root[keyPath: path()] }
    }

    /// Declares an output that is a list by key: the feed sends the changed rows, not the whole list.
    ///
    /// If two rows have the same key, the action fails.
    /// - Parameter key: a stored property of the rows, which is a member of their JSON.
    @inlinable
    public init<Element: Codable & Sendable>(
        _ name: String, _ path: KeyPath<Root, [Element]> & Sendable, by key: KeyPath<Element, String> & Sendable,
        _ summary: String = ""
    ) {
        self.init(name, summary, path, of: [Element].self) {
            try Part.rowKey(of: Element.self) { $0[keyPath: key] }
        } append: { root, _, text in
            try Part.append(root[keyPath: path], by: { $0[keyPath: key] }, to: &text)
        }
    }

    /// Declares an output that a Variable or a Constant of the view model holds.
    @inlinable
    public init<Value: Codable & Sendable>(
        _ name: String,
        _ path: @autoclosure @escaping @Sendable () -> KeyPath<Root, some ReadableVariable<Value>> & Sendable,
        _ summary: String = ""
    ) {
        self.init(name, summary, path()) { root, _ in root[keyPath: path()].value }
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
        self.init(
            name, summary, path, of: Value.self,
            append: { root, context, text in
                try JSON.append(value(root, context), to: &text)
                return nil
            })
    }

    /// - Parameter rowKey: finds the member that is the key of the rows.
    @usableFromInline
    init<Value: Codable & Sendable>(
        _ name: String, _ summary: String, _ path: (PartialKeyPath<Root> & Sendable)?, of type: Value.Type,
        rowKey: @escaping @Sendable () throws -> String? = { nil },
        append: @escaping @Sendable (Root, OutputContext, inout [UInt8]) throws -> [Part.Row]?
    ) {
        (self.name, self.path, self.append) = (name, path, append)
        describe = {
            ViewModelDescription.Output(
                name: name, summary: summary, schema: try JSONSchema(of: type), rowKey: try rowKey())
        }
        variable = { json in
            let variable = Variable(try JSONValueDecoder(json).decode(type))
            return (variable, { variable.value = try JSONValueDecoder($0).decode(type) })
        }
    }
}

extension Part {
    /// The name of the member that a key path leads to.
    ///
    /// - Throws: ``DeclarationFault`` if the key path leads to no member.
    @usableFromInline
    static func rowKey<Element: Codable>(of type: Element.Type, at key: (Element) -> String) throws -> String {
        let (schema, element) = try SchemaProbe.find(type)
        // The probe sets each text to the name of its member.
        let name = key(element)
        guard case .object(let members) = schema, members.contains(where: { $0.name == name && $0.schema == .string })
        else { throw DeclarationFault("the key of its rows is no stored property of the type String") }
        return name
    }

    /// Appends a list as JSON.
    ///
    /// - Throws: ``DeclarationFault`` for a duplicate key, and the error of the encoding of a row.
    @usableFromInline
    static func append<Element: Codable>(
        _ list: [Element], by key: (Element) -> String, to text: inout [UInt8]
    ) throws -> [Row] {
        var keys: Set<[UInt8]> = []
        let rows = try list.enumerated().map { place, element in
            text.append(UInt8(ascii: place == 0 ? "[" : ","))
            let start = text.count
            try JSON.append(element, to: &text)
            let key = JSONValue.string(key(element)).text
            guard keys.insert(key).inserted else { throw DeclarationFault("two rows have the same key") }
            return (key, start..<text.count)
        }
        if rows.isEmpty { text.append(UInt8(ascii: "[")) }
        text.append(UInt8(ascii: "]"))
        return rows
    }
}

/// The context of an output: its value depends only on this and the view model.
public struct OutputContext: Hashable, Sendable {
    /// The session's language.
    public let language: Language

    /// Makes a context, for example in a test.
    public init(language: Language) { self.language = language }
}

/// A named subset of the outputs, for a view that must not see the rest.
public struct Facet: Sendable {
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
