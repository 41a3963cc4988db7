import Foundation

/// The JSON body an action takes.
public struct ActionInput: Sendable {
    /// The shape of the body.
    public let schema: JSONSchema
    /// A body as a caller would send it, as JSON text.
    public let example: [UInt8]

    /// Describes the body by a value of its type.
    init<Input: Codable>(example: Input) {
        schema = JSONSchema(of: Input.self)
        self.example = (try? JSON.encode(example)) ?? []
    }

    /// Reads an action's input.
    ///
    /// - Throws: ``ActionRefusal`` with `malformedInput` or `wrongShape`; its text never repeats what was sent.
    static func decode<Input: Decodable>(_ type: Input.Type, from json: [UInt8]) throws -> Input {
        guard !json.isEmpty else {
            throw ActionRefusal(.malformedInput, "This action takes a JSON body and none was sent.")
        }
        guard JSON.isWellFormed(json) else { throw malformed }
        do {
            return try JSON.decode(type, from: json)
        } catch DecodingError.typeMismatch(let type, let context) {
            throw wrongShape(at: context.codingPath, "must be of the type \(JSONSchema.typeName(of: type))")
        } catch DecodingError.valueNotFound(_, let context) {
            throw wrongShape(at: context.codingPath, "must not be null")
        } catch DecodingError.keyNotFound(let key, let context) {
            throw wrongShape(at: context.codingPath + [key], "is missing")
        } catch DecodingError.dataCorrupted(let context) {
            // Of a number that does not fit its type, as 1.5 for an integer, Foundation does not say where it stands.
            let path = context.codingPath.isEmpty ? mismatch(of: type, in: json) : context.codingPath
            throw wrongShape(at: path, "has a value that is not allowed here")
        } catch {
            throw wrongShape(at: [], "has a value that is not allowed here")
        }
    }

    /// Checks that an action without input was sent nothing of substance: no body, `null` or `{}`.
    ///
    /// - Throws: ``ActionRefusal`` with `malformedInput` or `wrongShape`.
    public static func requireNone(_ json: [UInt8]) throws {
        guard !json.isEmpty else { return }
        guard JSON.isWellFormed(json) else { throw malformed }
        do {
            let members = try JSON.decode([String: JSON.Anything]?.self, from: json)
            guard let member = members?.keys.min() else { return }
            throw wrongShape(at: [JSON.Key(member)], "is more than this action takes: send no body, or {}")
        } catch is DecodingError {
            throw wrongShape(at: [], "is more than this action takes: send no body, or {}")
        }
    }

    private static func mismatch<Input: Decodable>(of type: Input.Type, in json: [UInt8]) -> [any CodingKey] {
        let value = try? JSON.decode(JSONValue.self, from: json)
        let schema = JSONSchema(of: type)
        return value.flatMap { schema.mismatch(in: $0) { Int(exactly: $0) != nil } }?.map(JSON.Key.init) ?? []
    }

    private static var malformed: ActionRefusal {
        ActionRefusal(.malformedInput, "The body is not well-formed JSON in UTF-8 (RFC 8259).")
    }

    /// The pointer may hold names that the caller made up; the words do not repeat them.
    private static func wrongShape(at path: [any CodingKey], _ complaint: String) -> ActionRefusal {
        let place = path.isEmpty ? "The body" : "The member that the pointer names"
        return ActionRefusal(.wrongShape(pointer: JSON.pointer(to: path)), "\(place) \(complaint).")
    }
}
