import ViewModels

extension YAML {
    /// A shape as JSON Schema 2020-12, the dialect of OpenAPI 3.1.
    ///
    /// - Parameter isClosed: whether an object with members beside the known ones is refused, as in a request's body.
    init(_ schema: JSONSchema, isClosed: Bool = false) {
        self =
            switch schema {
            case .string: ["type": "string"]
            case .oneOf(let choices): ["type": "string", "enum": .list(choices.map(YAML.text))]
            case .integer(let range): ["type": "integer"] + .bounds(range)
            case .number(let largest): ["type": "number", "format": .format(largest)]
            case .boolean: ["type": "boolean"]
            case .array(let element): ["type": "array", "items": YAML(element, isClosed: isClosed)]
            case .dictionary(let value): ["type": "object", "additionalProperties": YAML(value, isClosed: isClosed)]
            case .object(let members): .object(members, isClosed: isClosed)
            case .open(let members): .object(members, isClosed: false)
            case .nullable(let schema): .nullable(schema, isClosed: isClosed)
            case .anything: .map([])
            }
    }

    private static func object(_ members: [JSONSchema.Member], isClosed: Bool) -> YAML {
        let properties = members.map { Member(key: $0.name, value: YAML($0.schema, isClosed: isClosed)) }
        let required = members.filter(\.isRequired).map { YAML.text($0.name) }
        return ["type": "object", "properties": .map(properties)]
            + (required.isEmpty ? .map([]) : ["required": .list(required)])
            + (isClosed ? ["additionalProperties": false] : .map([]))
    }

    /// With null among the types where that says it all: many generators know no other optional.
    private static func nullable(_ schema: JSONSchema, isClosed: Bool) -> YAML {
        switch schema {
        case .string: ["type": ["string", "null"]]
        case .integer(let range): ["type": ["integer", "null"]] + .bounds(range)
        case .number(let largest): ["type": ["number", "null"], "format": .format(largest)]
        case .boolean: ["type": ["boolean", "null"]]
        default: ["oneOf": [YAML(schema, isClosed: isClosed), ["type": "null"]]]
        }
    }

    private static func format(_ largest: Double) -> YAML {
        .text(largest <= Double(Float.greatestFiniteMagnitude) ? "float" : "double")
    }

    /// The format by which a generator picks a type that is wide enough, where there is one, and the bounds themselves.
    private static func bounds(_ range: ClosedRange<Int128>) -> YAML {
        let formats: [(String, ClosedRange<Int128>)] = [
            ("int32", JSONSchema.range(of: Int32.self)), ("int64", JSONSchema.range(of: Int64.self)),
        ]
        let format = formats.first { $0.1.contains(range.lowerBound) && $0.1.contains(range.upperBound) }?.0
        func number(_ bound: Int128) -> YAML { .json(Array(String(bound).utf8)) }
        return (format.map { ["format": .text($0)] } ?? .map([]))
            + ["minimum": number(range.lowerBound), "maximum": number(range.upperBound)]
    }
}
