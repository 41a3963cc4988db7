import ViewModels

extension JSONSchema {
    /// The shape in JSON Schema 2020-12, the dialect of OpenAPI 3.1, as JSON text on one line.
    ///
    /// - Parameters:
    ///   - isClosed: whether objects refuse unknown members, as in the body of a request.
    ///   - summary: the meaning of the value, one sentence; empty for none.
    package func openAPI(isClosed: Bool = false, summary: String = "") -> String {
        var members = members(isClosed)
        let texts = ([summary] + members.filter { $0.name == "description" }.map(\.json)).filter { !$0.isEmpty }
        members.removeAll { $0.name == "description" }
        if !texts.isEmpty { members.append(("description", YAMLText.quoted(texts.joined(separator: " ")))) }
        return Self.object(members)
    }

    private typealias Keyword = (name: String, json: String)

    private static func object(_ members: [Keyword]) -> String {
        "{" + members.map { "\(YAMLText.quoted($0.name)): \($0.json)" }.joined(separator: ", ") + "}"
    }

    private func members(_ isClosed: Bool) -> [Keyword] {
        if let scalar { return [("type", "\"\(scalar.type)\"")] + scalar.rest }
        switch self {
        case .array(let element): return [("type", "\"array\""), ("items", element.openAPI(isClosed: isClosed))]
        case .dictionary(let value):
            return [("type", "\"object\""), ("additionalProperties", value.openAPI(isClosed: isClosed))]
        case .object(let members): return Self.object(with: members, isClosed)
        case .anyOf(let schemas): return Self.choice("anyOf", schemas.map { $0.openAPI(isClosed: isClosed) })
        case .nullable(let schema): return schema.orNull(isClosed)
        default: return []
        }
    }

    /// The shape, or null.
    ///
    /// Null stands among the types where it can: many generators know no other optional.
    private func orNull(_ isClosed: Bool) -> [Keyword] {
        let null = #"{"type": "null"}"#
        switch self {
        case .anything, .nullable: return members(isClosed)
        case .anyOf(let schemas): return Self.choice("anyOf", schemas.map { $0.openAPI(isClosed: isClosed) } + [null])
        case .oneOf, .oneOfIntegers: break
        default: if let scalar { return [("type", #"["\#(scalar.type)", "null"]"#)] + scalar.rest }
        }
        return Self.choice("oneOf", [openAPI(isClosed: isClosed), null])
    }

    private static func choice(_ keyword: String, _ schemas: [String]) -> [Keyword] {
        [(keyword, "[" + schemas.joined(separator: ", ") + "]")]
    }

    private static func object(with members: [Member], _ isClosed: Bool) -> [Keyword] {
        let required = members.filter(\.isRequired).map(\.name)
        let properties = members.map { ($0.name, $0.schema.openAPI(isClosed: isClosed)) }
        return [("type", "\"object\""), ("properties", object(properties))]
            + (required.isEmpty ? [] : [("required", YAMLText.list(required))])
            + (isClosed ? [("additionalProperties", "false")] : [])
    }

    /// A shape with one type; nil for all others.
    private var scalar: (type: String, rest: [Keyword])? {
        switch self {
        case .string: ("string", [])
        case .formatted(.uuid): ("string", [("format", "\"uuid\"")])
        case .formatted(.url): ("string", [("format", "\"uri-reference\"")])
        case .formatted(.base64):
            (
                "string",
                [
                    ("contentEncoding", "\"base64\""),
                    ("pattern", #""^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$""#),
                ]
            )
        case .oneOf(let texts): ("string", [("enum", YAMLText.list(texts))])
        case .oneOfIntegers(let numbers): ("integer", [("enum", "\(numbers)")])
        case .integer(let range): ("integer", Self.bounds(of: range))
        case .number: ("number", [("format", "\"double\"")])
        case .date: ("number", [("format", "\"double\""), ("description", "Seconds since 2001-01-01T00:00:00Z.")])
        case .boolean: ("boolean", [])
        default: nil
        }
    }

    /// The bounds, and the format by which a generator picks a type that is wide enough.
    private static func bounds(of range: ClosedRange<Int128>) -> [Keyword] {
        func fits<Number: FixedWidthInteger>(_: Number.Type) -> Bool {
            range.lowerBound >= Int128(Number.min) && range.upperBound <= Int128(Number.max)
        }
        let format = fits(Int32.self) ? "int32" : fits(Int64.self) ? "int64" : nil
        return (format.map { [("format", "\"\($0)\"")] } ?? [])
            + [("minimum", "\(range.lowerBound)"), ("maximum", "\(range.upperBound)")]
    }
}
