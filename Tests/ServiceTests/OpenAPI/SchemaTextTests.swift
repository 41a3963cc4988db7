import Testing
import ViewModels

@testable import Service

/// Protects the schemas that generators read.
@Suite("A shape in JSON Schema")
struct SchemaTextTests {
    static let shapes: [(JSONSchema, String)] = [
        (.string, #"{"type": "string"}"#),
        (.anything, "{}"),
        (.nullable(.anything), "{}"),
        (.nullable(.boolean), #"{"type": ["boolean", "null"]}"#),
        (.uuid, #"{"type": "string", "format": "uuid"}"#),
        (.nullable(.url), #"{"type": ["string", "null"], "format": "uri-reference"}"#),
        (.number, #"{"type": "number", "format": "double"}"#),
        (
            .date,
            #"{"type": "number", "format": "double", "description": "Seconds since 2001-01-01T00:00:00Z."}"#
        ),
        (.integer(-128...127), #"{"type": "integer", "format": "int32", "minimum": -128, "maximum": 127}"#),
        (.integer(0...4_294_967_295), #"{"type": "integer", "format": "int64", "minimum": 0, "maximum": 4294967295}"#),
        (
            .integer(0...18_446_744_073_709_551_615),
            #"{"type": "integer", "minimum": 0, "maximum": 18446744073709551615}"#
        ),
        (.oneOfIntegers([-7, 9]), #"{"type": "integer", "enum": [-7, 9]}"#),
        (.nullable(.oneOf(["a"])), #"{"oneOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]}"#),
        (.nullable(.array(.string)), #"{"oneOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]}"#),
        (.anyOf([.string, .boolean]), #"{"anyOf": [{"type": "string"}, {"type": "boolean"}]}"#),
        (
            .nullable(.anyOf([.string, .boolean])),
            #"{"oneOf": [{"anyOf": [{"type": "string"}, {"type": "boolean"}]}, {"type": "null"}]}"#
        ),
        (.dictionary(.boolean), #"{"type": "object", "additionalProperties": {"type": "boolean"}}"#),
        (
            .object([.init("a", .string), .init("b", .boolean, isRequired: false)]),
            #"{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "boolean"}}, "required": ["a"]}"#
        ),
    ]

    @Test("each shape has its keywords", arguments: shapes)
    func shape(schema: JSONSchema, text: String) { #expect(schema.openAPI() == text) }

    @Test("in a body, the objects at every depth take no other members")
    func closed() {
        let inner = JSONSchema.object([.init("b", .string)])
        let text = JSONSchema.array(.object([.init("a", .nullable(inner))])).openAPI(isClosed: true)
        #expect(text.matches(of: /"additionalProperties": false/).count == 2)
    }

    @Test("a sentence of the output stands before that of the type")
    func summary() {
        #expect(
            JSONSchema.date.openAPI(summary: "The end.").hasSuffix(
                #""description": "The end. Seconds since 2001-01-01T00:00:00Z."}"#))
    }

    @Test(
        "a text is quoted so that YAML 1.2 reads it as this text",
        arguments: [
            ("plain", #""plain""#), ("", #""""#), ("null", #""null""#), ("1.0", #""1.0""#),
            ("a: b # c", #""a: b # c""#),
            ("\"quoted\" \\ back", #""\"quoted\" \\ back""#), ("line\nbreak\ttab", #""line\nbreak\ttab""#),
            ("é 😀 日本", #""é 😀 日本""#), ("\u{1}", #""\u0001""#), ("- *&!|>%@`", #""- *&!|>%@`""#),
        ])
    func quoted(text: String, yaml: String) { #expect(text.quoted == yaml) }
}
