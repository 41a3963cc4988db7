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
        try check(json)
        do {
            return try JSON.decode(type, from: json)
        } catch {
            // Where the shape tells, it alone decides what is wrong and where: Foundation's words and path for one fault
            // differ by where it stands, and it does not always say the place.
            let value = try? JSON.decode(JSONValue.self, from: json)
            if let mismatch = value.flatMap({ JSONSchema(of: type).mismatch(in: $0) }) {
                throw wrongShape(at: mismatch.path, mismatch.complaint)
            }
            throw wrongShape(at: (error as? DecodingError)?.path ?? [], "has a value that is not allowed here")
        }
    }

    /// Checks that an action without input was sent nothing of substance: no body, `null` or `{}`.
    ///
    /// - Throws: ``ActionRefusal`` with `malformedInput` or `wrongShape`.
    public static func requireNone(_ json: [UInt8]) throws {
        guard !json.isEmpty else { return }
        try check(json)
        let complaint = "is more than this action takes: send no body, or {}"
        do {
            let members = try JSON.decode([String: JSON.Anything]?.self, from: json)
            guard let member = members?.keys.min() else { return }
            throw wrongShape(at: [member], complaint)
        } catch is DecodingError {
            throw wrongShape(at: [], complaint)
        }
    }

    private static func check(_ json: [UInt8]) throws {
        do { try JSONGrammar.check(json) } catch {
            if case .doubled(let path) = error {
                throw wrongShape(at: path, "is there twice; send it once")
            }
            throw ActionRefusal(.malformedInput, "The body is not JSON (RFC 8259): \(words(for: error)).")
        }
    }

    private static func words(for fault: JSONFault) -> String {
        switch fault {
        case .empty: "there is nothing but white space in it"
        case .byteOrderMark: "it begins with a byte order mark, EF BB BF; send it without"
        case .notUTF8: "it is not UTF-8"
        case .unfinished: "it ends before its value does"
        case .unexpected(let byte): "what stands at byte \(byte), counted from 1, cannot stand there"
        case .tooDeep: "its lists and objects are nested deeper than \(JSONGrammar.deepest), the limit"
        case .doubled: "a member is there twice"
        }
    }

    /// The pointer may hold names that the caller made up; the words do not repeat them.
    private static func wrongShape(at path: [String], _ complaint: String) -> ActionRefusal {
        let place = path.isEmpty ? "The body" : "The member that the pointer names"
        return ActionRefusal(.wrongShape(pointer: JSON.pointer(to: path)), "\(place) \(complaint).")
    }
}

extension DecodingError {
    /// Where it happened.
    fileprivate var path: [String] {
        let keys: [any CodingKey] =
            switch self {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                context.codingPath
            case .keyNotFound(let key, let context): context.codingPath + [key]
            @unknown default: []
            }
        return keys.map { key in key.intValue.map(String.init) ?? key.stringValue }
    }
}
