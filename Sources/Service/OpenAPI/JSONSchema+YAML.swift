import Foundation
import ViewModels

extension YAML {
    /// A shape as JSON Schema 2020-12, the dialect of OpenAPI 3.1.
    ///
    /// - Parameters:
    ///   - isClosed: whether an object with members beside the known ones is refused, as in a request's body.
    ///   - names: what the components are called that stand for types that contain themselves.
    init(_ schema: JSONSchema, isClosed: Bool = false, called names: ComponentNames) {
        if let scalar = Self.scalar(schema) {
            self = ["type": .text(scalar.type)] + scalar.rest
            return
        }
        self =
            switch schema {
            case .array(let element): ["type": "array", "items": YAML(element, isClosed: isClosed, called: names)]
            case .tuple(let elements): .tuple(elements.map { YAML($0, isClosed: isClosed, called: names) })
            case .pairs(let key, let value):
                [
                    "type": "array",
                    "items": ["anyOf": .list([key, value].map { YAML($0, isClosed: isClosed, called: names) })],
                    "description": "Keys and values by turns.",
                ]
            case .dictionary(let value, let keys):
                ["type": "object", "additionalProperties": YAML(value, isClosed: isClosed, called: names)]
                    + .names(keys)
            case .object(let members): .object(members, isClosed: isClosed, called: names)
            case .choice(let members): ["oneOf": .list(members.map { .only($0, isClosed: isClosed, called: names) })]
            case .nullable(let schema): .nullable(schema, isClosed: isClosed, called: names)
            case .named(let name, _), .reference(let name):
                OpenAPIDocument.reference("schemas", names.component(of: schema, name, isClosed: isClosed))
            default: .map([])
            }
    }

    /// A member's schema, with what it means.
    static func described(_ schema: YAML, _ summary: String) -> YAML {
        guard !summary.isEmpty, case .map(let members) = schema else { return schema }
        var texts = [summary]
        for member in members {
            if member.key == "description", case .text(let text) = member.value { texts.append(text) }
        }
        return .map(
            members.filter { $0.key != "description" }
                + [Member(key: "description", value: .text(texts.joined(separator: " ")))])
    }

    /// What is said of a shape by one type and more; nil for one that holds others, or is one of a few.
    private static func scalar(_ schema: JSONSchema) -> (type: String, rest: YAML)? {
        switch schema {
        case .string: ("string", .map([]))
        case .formatted(.uuid): ("string", ["format": "uuid"])
        case .formatted(.url): ("string", ["format": "uri-reference"])
        case .formatted(.base64):
            (
                "string",
                [
                    "contentEncoding": "base64",
                    "pattern": "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
                ]
            )
        case .oneOf(let choices): ("string", ["enum": .list(choices.map(YAML.text))])
        case .oneOfIntegers(let choices): ("integer", ["enum": .list(choices.map(number))])
        case .integer(let range): ("integer", bounds(range))
        case .number(let largest): ("number", format(of: schema) + bounds(upTo: largest))
        case .date: ("number", ["format": "double", "description": "Seconds since 2001-01-01T00:00:00Z."])
        case .boolean: ("boolean", .map([]))
        default: nil
        }
    }

    private static func object(_ members: [JSONSchema.Member], isClosed: Bool, called names: ComponentNames) -> YAML {
        let properties = members.map {
            Member(key: $0.name, value: described(YAML($0.schema, isClosed: isClosed, called: names), $0.summary))
        }
        let required = members.filter(\.isRequired).map { YAML.text($0.name) }
        return ["type": "object", "properties": .map(properties)]
            + (required.isEmpty ? .map([]) : ["required": .list(required)])
            + (isClosed ? ["additionalProperties": false] : .map([]))
    }

    /// An object with this member and no other.
    private static func only(_ member: JSONSchema.Member, isClosed: Bool, called names: ComponentNames) -> YAML {
        [
            "type": "object",
            "properties": .map([
                Member(
                    key: member.name,
                    value: described(YAML(member.schema, isClosed: isClosed, called: names), member.summary))
            ]),
            "required": .list([.text(member.name)]), "additionalProperties": false,
        ]
    }

    private static func tuple(_ elements: [YAML]) -> YAML {
        [
            "type": "array", "prefixItems": .list(elements), "items": false, "minItems": .integer(elements.count),
            "maxItems": .integer(elements.count),
        ]
    }

    /// What the names of any members are, where they are not any text.
    private static func names(_ schema: JSONSchema) -> YAML {
        switch schema {
        case .integer: ["propertyNames": ["pattern": "^(0|-?[1-9][0-9]*)$"]]
        case .oneOf(let choices): ["propertyNames": ["enum": .list(choices.map(YAML.text))]]
        default: .map([])
        }
    }

    /// With null among the types where that says it all: many generators know no other optional.
    private static func nullable(_ schema: JSONSchema, isClosed: Bool, called names: ComponentNames) -> YAML {
        switch schema {
        // What null is a value of is that already: of two that take it, one of which it must be, it would be none.
        case _ where schema.takesNull: return YAML(schema, isClosed: isClosed, called: names)
        case .oneOf, .oneOfIntegers: break
        default:
            if let scalar = scalar(schema) { return ["type": .list([.text(scalar.type), "null"])] + scalar.rest }
        }
        return ["oneOf": [YAML(schema, isClosed: isClosed, called: names), ["type": "null"]]]
    }

    /// The format by which a generator picks a type of numbers; none where the largest one does not tell which that is, and for
    /// decimal numbers, which fit no such type.
    private static func format(of schema: JSONSchema) -> YAML {
        if schema.isSinglePrecision { return ["format": "float"] }
        return schema == .number(as: Double.self) ? ["format": "double"] : .map([])
    }

    /// What a number lies between, where it is less than its type has.
    private static func bounds(upTo largest: Double) -> YAML {
        let widths: [JSONSchema] = [.number(as: Float.self), .number(as: Double.self), Decimal.jsonSchema]
        guard !widths.contains(.number(largest)) else { return .map([]) }
        var text = "\(largest)"
        // As one to some readers of YAML 1.1, 1e+30 is a text.
        if !text.contains("."), let exponent = text.firstIndex(of: "e") { text.insert(contentsOf: ".0", at: exponent) }
        return ["minimum": .json(Array("-\(text)".utf8)), "maximum": .json(Array(text.utf8))]
    }

    /// The format by which a generator picks a type that is wide enough, where there is one, and the bounds themselves.
    private static func bounds(_ range: ClosedRange<Int128>) -> YAML {
        let formats: [(String, ClosedRange<Int128>)] = [
            ("int32", JSONSchema.range(of: Int32.self)), ("int64", JSONSchema.range(of: Int64.self)),
        ]
        let format = formats.first { $0.1.contains(range.lowerBound) && $0.1.contains(range.upperBound) }?.0
        return (format.map { ["format": .text($0)] } ?? .map([]))
            + ["minimum": number(range.lowerBound), "maximum": number(range.upperBound)]
    }

    private static func number(_ number: Int128) -> YAML { .json(Array(String(number).utf8)) }
}
