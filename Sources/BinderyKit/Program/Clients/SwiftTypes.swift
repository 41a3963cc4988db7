import ViewModels

/// The Swift types for the shapes of one view model, nested in its own: written to the JSON that the server's types read, and
/// read from what they write.
struct SwiftTypes {
    /// The declarations, outermost first.
    private(set) var lines: [String] = []
    private var names: ClientNames
    /// Shapes that have a type already: what is shown and taken in one shape is of one type.
    private var known: [JSONSchema: String] = [:]
    /// The types around that contain themselves.
    private var named: [String: String] = [:]

    /// - Parameter owner: the view model's type, which one of its name would hide in the view model's own members.
    init(in owner: String) { names = ClientNames(taken: Self.taken.union([owner])) }

    /// Names that a type of ours would hide.
    static let taken: Set<String> = [
        "AnyJSON", "Any", "Array", "Bool", "CodingKey", "CodingKeys", "Codable", "Constant", "Data", "Date", "Decimal",
        "Decoder", "Dictionary", "Double", "Encoder", "Error", "Float", "Hashable", "Hasher", "Int", "Int128", "Int16",
        "Int32", "Int64", "Int8", "Never", "Optional", "Presentation", "Presented", "Protocol", "RemoteActing",
        "RemoteCursor", "RemoteState", "Self", "Sendable", "Set", "ShownOutput", "String", "Type", "UInt", "UInt128",
        "UInt16", "UInt32", "UInt64", "UInt8", "URL", "UUID", "Variable", "Void",
    ]

    private static let keywords: Set<String> = [
        "Any", "Protocol", "Self", "Type", "as", "associatedtype", "break", "case", "catch", "class", "continue",
        "default",
        "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func",
        "guard",
        "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private",
        "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super",
        "switch",
        "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]

    /// As it stands where a name is declared.
    static func quoted(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    /// A text literal.
    static func literal(_ text: String) -> String {
        "\""
            + text.unicodeScalars.map { scalar in
                switch scalar {
                case "\"", "\\": "\\\(scalar)"
                case _ where scalar.value < 0x20 || scalar.value > 0x7E:
                    "\\u{\(String(scalar.value, radix: 16))}"
                default: String(scalar)
                }
            }.joined() + "\""
    }

    /// A docstring, or none.
    static func comment(_ text: String) -> [String] {
        text.isEmpty ? [] : text.split(separator: "\n", omittingEmptySubsequences: false).map { "/// \($0)" }
    }

    /// The type for a shape.
    ///
    /// - Parameter name: what it is called, where it needs a name of its own.
    mutating func type(for schema: JSONSchema, called name: String) -> String {
        switch schema {
        case .string: return "String"
        case .formatted(.uuid): return "UUID"
        case .formatted(.url): return "URL"
        case .formatted(.base64): return "Data"
        case .integer(let range): return Self.integer(range)
        case .number(let largest):
            if schema.isSinglePrecision { return "Float" }
            return largest == 1e127 ? "Decimal" : "Double"
        case .date: return "Date"
        case .boolean: return "Bool"
        case .array(let element): return "[\(type(for: element, called: ClientNames.element(of: name)))]"
        case .dictionary(let value, let names):
            let key = if case .integer = names { "Int" } else { "String" }
            return "[\(key): \(type(for: value, called: ClientNames.element(of: name)))]"
        case .pairs(let key, let value):
            let keyType = type(for: key, called: name + "Key")
            // Swift writes these two as an object.
            guard keyType != "String", keyType != "Int" else { return "[AnyJSON]" }
            return "[\(keyType): \(type(for: value, called: ClientNames.element(of: name)))]"
        case .nullable(let inner):
            let type = type(for: inner, called: name)
            return type.hasSuffix("?") ? type : "\(type)?"
        case .reference(let reference): return named[reference] ?? "AnyJSON"
        case .anything: return "AnyJSON"
        case .oneOf, .oneOfIntegers, .tuple, .object, .choice, .named:
            // In Swift the same, whether what is nil is left out or null.
            if let known = known[schema.written] { return known }
            let unique = names.type(Self.ownName(of: schema) ?? name)
            known[schema.written] = unique
            declare(schema, as: unique)
            return unique
        }
    }

    private static func ownName(of schema: JSONSchema) -> String? {
        guard case .named(let name, _) = schema else { return nil }
        return name.split { $0 == "." }.last.map(String.init)
    }

    private static func integer(_ range: ClosedRange<Int128>) -> String {
        let types: [any FixedWidthInteger.Type] = [
            Int.self, UInt.self, Int8.self, UInt8.self, Int16.self, UInt16.self, Int32.self, UInt32.self, Int128.self,
            UInt128.self,
        ]
        let exact = types.first { JSONSchema.range(of: $0) == range }
        return exact.map { "\($0)" }
            ?? (JSONSchema.range(of: Int.self).contains(range.lowerBound)
                && JSONSchema.range(of: Int.self).contains(range.upperBound) ? "Int" : "Int128")
    }

    private mutating func declare(_ schema: JSONSchema, as name: String) {
        switch schema {
        case .oneOf(let texts):
            var members = ClientNames()
            append(
                "public enum \(name): String, Codable, Hashable, Sendable {",
                texts.map { text in
                    let name = members.member(text)
                    return "case \(Self.quoted(name))" + (name == text ? "" : " = \(Self.literal(text))")
                })
        case .oneOfIntegers(let numbers):
            append(
                "public enum \(name): Int, Codable, Hashable, Sendable {",
                numbers.map { "case \($0 < 0 ? "minus" : "number")\($0.magnitude) = \($0)" })
        case .tuple(let elements): declareTuple(elements, as: name)
        case .object(let members): declareObject(members, as: name, isClass: false)
        case .choice(let members): declareChoice(members, as: name)
        case .named(let own, let inner):
            let outer = named.updateValue(name, forKey: own)
            switch inner {
            case .object(let members): declareObject(members, as: name, isClass: inner.contains(directly: own))
            case .choice(let members): declareChoice(members, as: name)
            default: declareWrapper(of: inner, as: name)
            }
            named[own] = outer
        default: break
        }
    }

    private mutating func append(_ head: String, _ body: [String]) {
        if !lines.isEmpty { lines.append("") }
        lines += [head] + body.indented() + ["}"]
    }

    /// A member of a structure.
    private struct Field {
        let json: String
        let name: String
        let type: String
        let summary: String

        var isOptional: Bool { type.hasSuffix("?") }
        var parameter: String { "\(SwiftTypes.quoted(name)): \(type)" + (isOptional ? " = nil" : "") }
    }

    private mutating func fields(_ members: [JSONSchema.Member], of name: String) -> [Field] {
        // What Codable and Hashable make of a type.
        var names = ClientNames(taken: ["hashValue", "encode", "hash", "self"])
        return members.map { member in
            var type = type(for: member.schema, called: name + ClientNames.typeName(member.name))
            if !member.isRequired, !type.hasSuffix("?") { type += "?" }
            return Field(json: member.name, name: names.member(member.name), type: type, summary: member.summary)
        }
    }

    /// - Parameter isClass: whether it contains itself, which a structure cannot.
    private mutating func declareObject(_ members: [JSONSchema.Member], as name: String, isClass: Bool) {
        let fields = fields(members, of: name)
        var body = fields.flatMap {
            Self.comment($0.summary) + ["public \(isClass ? "let" : "var") \(Self.quoted($0.name)): \($0.type)"]
        }
        body += ["", "public init(\(fields.map(\.parameter).joined(separator: ", "))) {"]
        body += fields.map { "self.\($0.name) = \(Self.quoted($0.name))" }.indented() + ["}"]
        if fields.contains(where: { $0.name != $0.json }) { body += [""] + Self.codingKeys(fields) }
        if isClass { body += [""] + Self.comparing(fields, of: name) }
        append("public \(isClass ? "final class" : "struct") \(name): Codable, Hashable, Sendable {", body)
    }

    private static func codingKeys(_ fields: [Field], of owner: String = "") -> [String] {
        ["private enum \(owner)CodingKeys: String, CodingKey {"]
            + fields.map { "case \(quoted($0.name)) = \(literal($0.json))" }.indented() + ["}"]
    }

    private static func comparing(_ fields: [Field], of name: String) -> [String] {
        let equal = fields.map { "left.\($0.name) == right.\($0.name)" }.joined(separator: " && ")
        return ["public static func == (left: \(name), right: \(name)) -> Bool {"]
            + [equal.isEmpty ? "true" : equal].indented() + ["}", "", "public func hash(into hasher: inout Hasher) {"]
            + fields.map { "hasher.combine(\(quoted($0.name)))" }.indented() + ["}"]
    }

    private mutating func declareTuple(_ elements: [JSONSchema], as name: String) {
        let fields = elements.enumerated().map { place, schema in
            let type = type(for: schema, called: "\(name)Element\(place)")
            return Field(json: "", name: "element\(place)", type: type, summary: "")
        }
        var body = fields.map { "public var \($0.name): \($0.type)" }
        body += ["", "public init(\(fields.map { "_ \($0.name): \($0.type)" }.joined(separator: ", "))) {"]
        body += fields.map { "self.\($0.name) = \($0.name)" }.indented() + ["}"]
        body += ["", "public init(from decoder: any Decoder) throws {"]
        body +=
            (["var list = try decoder.unkeyedContainer()"]
            + fields.map { "\($0.name) = try list.decode(\($0.type).self)" })
            .indented() + ["}"]
        body += ["", "public func encode(to encoder: any Encoder) throws {"]
        body += (["var list = encoder.unkeyedContainer()"] + fields.map { "try list.encode(\($0.name))" }).indented()
        append("public struct \(name): Codable, Hashable, Sendable {", body + ["}"])
    }

    /// An enumeration as Swift writes one, where each case holds an object; else a structure of which one member is there.
    private mutating func declareChoice(_ members: [JSONSchema.Member], as name: String) {
        var cases: [(json: String, held: [JSONSchema.Member])] = []
        for member in members {
            guard case .object(let held) = member.schema else {
                let optional = members.map {
                    JSONSchema.Member($0.name, $0.schema, isRequired: false, summary: $0.summary)
                }
                return declareObject(optional, as: name, isClass: false)
            }
            cases.append((member.name, held))
        }
        var names = ClientNames()
        var body: [String] = []
        var keys: [String] = []
        var caseFields: [Field] = []
        for (json, held) in cases {
            let caseName = names.member(json)
            caseFields.append(Field(json: json, name: caseName, type: "", summary: ""))
            let fields = fields(held, of: name + ClientNames.typeName(json))
            let values = fields.enumerated().map { place, field in
                field.name == "_\(place)" ? field.type : "\(Self.quoted(field.name)): \(field.type)"
            }
            body.append("case \(Self.quoted(caseName))" + (values.isEmpty ? "" : "(\(values.joined(separator: ", ")))"))
            if fields.contains(where: { $0.name != $0.json }) {
                keys += [""] + Self.codingKeys(fields, of: ClientNames.typeName(caseName))
            }
        }
        if caseFields.contains(where: { $0.name != $0.json }) { keys = [""] + Self.codingKeys(caseFields) + keys }
        append("public indirect enum \(name): Codable, Hashable, Sendable {", body + keys)
    }

    /// A type that contains itself, and is written as something else than an object.
    private mutating func declareWrapper(of schema: JSONSchema, as name: String) {
        let inner = type(for: schema, called: name + "Value")
        append(
            "public struct \(name): Codable, Hashable, Sendable {",
            [
                "public var value: \(inner)", "", "public init(_ value: \(inner)) { self.value = value }", "",
                "public init(from decoder: any Decoder) throws {",
                "    value = try decoder.singleValueContainer().decode(\(inner).self)", "}", "",
                "public func encode(to encoder: any Encoder) throws {",
                "    var container = encoder.singleValueContainer()", "    try container.encode(value)", "}",
            ])
    }
}

extension ClientNames {
    /// What a name adds to that of a type.
    static func typeName(_ name: String) -> String {
        var names = ClientNames()
        return names.type(name)
    }
}

extension JSONSchema {
    /// Whether a structure of the shape would have to hold one of that name in itself, and not in a list or an enumeration.
    fileprivate func contains(directly name: String) -> Bool {
        switch self {
        case .reference(let other): other == name
        case .nullable(let inner), .named(_, let inner): inner.contains(directly: name)
        case .tuple(let inner): inner.contains { $0.contains(directly: name) }
        case .object(let members): members.contains { $0.schema.contains(directly: name) }
        default: false
        }
    }
}
