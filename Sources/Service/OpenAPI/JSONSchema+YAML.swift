import ViewModels

extension YAML {
    /// A shape as JSON Schema 2020-12, the dialect of OpenAPI 3.1.
    init(_ schema: JSONSchema) {
        self =
            switch schema {
            case .string: ["type": "string"]
            case .oneOf(let choices): ["type": "string", "enum": .list(choices.map(YAML.text))]
            case .integer: ["type": "integer", "minimum": .integer(.min), "maximum": .integer(.max)]
            case .number: ["type": "number"]
            case .boolean: ["type": "boolean"]
            case .array(let element): ["type": "array", "items": YAML(element)]
            case .dictionary(let value): ["type": "object", "additionalProperties": YAML(value)]
            case .object(let members): .object(members)
            case .nullable(let schema): .nullable(schema)
            case .anything: .map([])
            }
    }

    private static func object(_ members: [JSONSchema.Member]) -> YAML {
        let properties = members.map { Member(key: $0.name, value: YAML($0.schema)) }
        let required = members.filter(\.isRequired).map { YAML.text($0.name) }
        return ["type": "object", "properties": .map(properties)]
            + (required.isEmpty ? .map([]) : ["required": .list(required)])
    }

    private static func nullable(_ schema: JSONSchema) -> YAML {
        switch schema {
        case .oneOf(let choices):
            ["type": ["string", "null"], "enum": .list(choices.map(YAML.text) + [.json(Array("null".utf8))])]
        case .string: ["type": ["string", "null"]]
        case .integer: ["type": ["integer", "null"], "minimum": .integer(.min), "maximum": .integer(.max)]
        case .number: ["type": ["number", "null"]]
        case .boolean: ["type": ["boolean", "null"]]
        default: ["oneOf": [YAML(schema), ["type": "null"]]]
        }
    }
}
