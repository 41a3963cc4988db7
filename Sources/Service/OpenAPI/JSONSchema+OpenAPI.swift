import ViewModels

extension JSONSchema {
    /// The schema as one line of JSON, in JSON Schema 2020-12, the dialect of OpenAPI 3.1.
    ///
    /// - Parameters:
    ///   - isClosed: whether objects refuse unknown members, as in the body of a request.
    ///   - summary: one sentence with the meaning of the value; empty for none.
    package func openAPI(isClosed: Bool = false, summary: String = "") -> String {
        var members = keywords(isClosed)
        let texts = ([summary] + members.filter { $0.name == "description" }.map(\.json)).filter { !$0.isEmpty }
        members.removeAll { $0.name == "description" }
        if !texts.isEmpty { members.append(("description", texts.joined(separator: " ").quoted)) }
        return "{" + members.map { "\($0.name.quoted): \($0.json)" }.joined(separator: ", ") + "}"
    }

    private typealias Keyword = (name: String, json: String)

    private func keywords(_ isClosed: Bool) -> [Keyword] {
        func type(_ name: String, _ rest: Keyword...) -> [Keyword] { [("type", "\"\(name)\"")] + rest }
        func json(_ schema: JSONSchema) -> String { schema.openAPI(isClosed: isClosed) }
        switch self {
        case .anything: return []
        case .string: return type("string")
        case .uuid: return type("string", ("format", "\"uuid\""))
        case .url: return type("string", ("format", "\"uri-reference\""))
        case .base64: return type("string", ("contentEncoding", "\"base64\""))
        case .oneOf(let texts): return type("string", ("enum", texts.quoted))
        case .oneOfIntegers(let numbers): return type("integer", ("enum", "\(numbers)"))
        case .integer(let range): return type("integer") + Self.bounds(of: range)
        case .number: return type("number", ("format", "\"double\""))
        case .date:
            let words = "Seconds since 2001-01-01T00:00:00Z."
            return type("number", ("format", "\"double\""), ("description", words))
        case .boolean: return type("boolean")
        case .array(let element): return type("array", ("items", json(element)))
        case .dictionary(let value): return type("object", ("additionalProperties", json(value)))
        case .object(let members):
            let required = members.filter(\.isRequired).map(\.name)
            let properties = members.map { "\($0.name.quoted): \(json($0.schema))" }.joined(separator: ", ")
            return type("object", ("properties", "{\(properties)}"))
                + (required.isEmpty ? [] : [("required", required.quoted)])
                + (isClosed ? [("additionalProperties", "false")] : [])
        case .anyOf(let schemas): return [("anyOf", "[\(schemas.map(json).joined(separator: ", "))]")]
        case .nullable(let schema):
            var keywords = schema.keywords(isClosed)
            switch schema {
            case .anything, .nullable: break
            case .oneOf, .oneOfIntegers, .array, .dictionary, .object, .anyOf:
                keywords = [("oneOf", "[\(json(schema)), {\"type\": \"null\"}]")]
            // If possible, add null to the types: many generators know no other form of an optional.
            default: keywords[0].json = "[\(keywords[0].json), \"null\"]"
            }
            return keywords
        }
    }

    /// The bounds, and the format from which a generator chooses a wide enough type.
    private static func bounds(of range: ClosedRange<Int128>) -> [Keyword] {
        func fits<Number: FixedWidthInteger>(_: Number.Type) -> Bool {
            range.lowerBound >= Int128(Number.min) && range.upperBound <= Int128(Number.max)
        }
        let format = fits(Int32.self) ? "int32" : fits(Int64.self) ? "int64" : nil
        return (format.map { [("format", "\"\($0)\"")] } ?? [])
            + [("minimum", "\(range.lowerBound)"), ("maximum", "\(range.upperBound)")]
    }
}
