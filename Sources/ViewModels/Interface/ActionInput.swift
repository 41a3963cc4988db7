import Foundation

/// The JSON body an action takes.
public struct ActionInput: Sendable {
    /// The shape of the body.
    public let schema: JSONSchema
    /// A body as a caller would send it, as JSON text.
    public let example: [UInt8]

    /// Reads an action's input.
    ///
    /// - Throws: ``ActionRefusal`` with `malformedInput` or `wrongShape`; its text never repeats what was sent.
    static func decode<Input: Decodable>(_ type: Input.Type, from json: [UInt8]) throws -> Input {
        guard !json.isEmpty else {
            throw ActionRefusal(.malformedInput, "This action takes a JSON body and none was sent.")
        }
        do {
            return try JSON.decode(type, from: json)
        } catch DecodingError.typeMismatch(let type, let context) {
            throw wrongShape(at: context.codingPath, "must be of the type \(JSONSchema.typeName(of: type))")
        } catch DecodingError.valueNotFound(_, let context) {
            throw wrongShape(at: context.codingPath, "must not be null")
        } catch DecodingError.keyNotFound(let key, let context) {
            throw wrongShape(at: context.codingPath + [key], "is missing")
        } catch DecodingError.dataCorrupted(let context) where JSON.isWellFormed(json) {
            throw wrongShape(at: context.codingPath, "has a value that is not allowed here")
        } catch {
            throw ActionRefusal(.malformedInput, "The body is not well-formed JSON (RFC 8259).")
        }
    }

    /// Checks that an action without input was sent nothing of substance: no body, `null` or `{}`.
    ///
    /// - Throws: ``ActionRefusal`` with `malformedInput` or `wrongShape`.
    public static func requireNone(_ json: [UInt8]) throws {
        guard !json.isEmpty else { return }
        guard let value = try? JSON.decode([String: JSON.Anything]?.self, from: json) else {
            guard JSON.isWellFormed(json) else {
                throw ActionRefusal(.malformedInput, "The body is not well-formed JSON (RFC 8259).")
            }
            throw wrongShape(at: [], "is more than this action takes: send no body, or {}")
        }
        if let member = value.keys.min() {
            throw wrongShape(at: [JSON.Key(member)], "is more than this action takes: send no body, or {}")
        }
    }

    private static func wrongShape(at path: [any CodingKey], _ complaint: String) -> ActionRefusal {
        let pointer = JSON.pointer(to: path)
        let place = path.isEmpty ? "The body" : "The member at \(pointer)"
        return ActionRefusal(.wrongShape(pointer: pointer), "\(place) \(complaint).")
    }
}
