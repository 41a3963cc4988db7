import Foundation

/// The JSON body an action takes.
public struct ActionInput: Sendable {
    /// The shape of the body.
    public let schema: JSONSchema
    /// A body as a caller would send it in a new session, as JSON text.
    public let example: [UInt8]

    /// Why the shape is not known.
    let fault: SchemaFault?
    /// What is wrong with the example, in a clause that follows it: there is none then.
    ///
    /// Nil for nothing.
    let exampleFault: String?

    /// Describes the body by its type.
    init<Input: Codable>(of type: Input.Type, example: () throws -> [UInt8]) {
        let found = FoundType.of(type)
        // Repeated under its key by a Swift client, an equal body without an order would be another text.
        (schema, fault) = (found.order.map(Result.failure) ?? found.read).orAnything
        do {
            let text = try AskedType.name(type, example)
            // Written otherwise than it is read, or than its type says, each body of a Swift client's would be refused.
            if fault == nil { _ = try AskedType.name(type) { try Self.decode(type, from: text) } }
            let exampleFault = fault == nil ? schema.exampleFault(text) : nil
            let remedy = type is any SchemaDescribing.Type ? "" : SchemaFault.orSayIt
            (self.example, self.exampleFault) = (text, exampleFault.map { $0 + remedy })
        } catch {
            (self.example, exampleFault) = ([], Self.exampleFault(error))
        }
    }

    /// What is wrong with an example, in a clause that follows it.
    package static func exampleFault(_ error: any Error) -> String {
        if let refusal = error as? ActionRefusal {
            let place = refusal.pointer.map { ", at \($0)" } ?? ""
            return "is refused as a body\(place): \(refusal.detail.withoutStop)"
        }
        return "cannot be encoded: \(((error as? EncodingError)?.complaint ?? "\(error)").withoutStop)"
    }

    /// Reads an action's input.
    ///
    /// - Throws: ``ActionRefusal`` with `malformedInput` or `wrongShape`; its text never repeats what was sent.
    package static func decode<Input: Decodable>(_ type: Input.Type, from json: [UInt8]) throws -> Input {
        guard !json.isEmpty else {
            throw ActionRefusal(.malformedInput, "This action takes a JSON body and none was sent.")
        }
        let body = try read(json)
        let lists = OpenedLists()
        let input: Input
        do { input = try JSONNodeDecoder(node: body, lists: lists).decode(type) } catch {
            throw wrongShape(of: body, for: type, error)
        }
        // Reject unknown members: a misspelt one would be ignored; and the end of a list, which would be lost.
        if let unasked = body.unasked {
            throw wrongShape(at: unasked.path, JSONSchema.Mismatch.unknown(known: unasked.asked))
        }
        if let unread = lists.unread { throw wrongShape(at: unread, "is more than this list may hold") }
        return input
    }

    /// Where the shape does not fit, the shape alone says what is wrong within the place that the error names.
    ///
    /// The error says less; and what is elsewhere was taken, or not yet read.
    private static func wrongShape<Input: Decodable>(
        of body: JSONNode, for type: Input.Type, _ error: any Error
    ) -> ActionRefusal {
        let decoding = error as? DecodingError
        let place = decoding?.place
        // Of a name that is a number in another spelling the key's number is another name.
        let path = place?.keys.map(\.name) ?? []
        if let mismatch = place?.error as? JSONSchema.Mismatch {
            return wrongShape(at: path + mismatch.path, mismatch.complaint)
        }
        // A type that has something to say itself has taken what is within.
        let isItsOwn = decoding?.words.isEmpty == false
        if let mismatch = try? JSONSchema(of: type).mismatch(in: body, at: path, endsThere: isItsOwn) {
            return wrongShape(at: mismatch.path, mismatch.complaint)
        }
        let complaint = place?.error as? JSONNodeDecoder.Complaint
        let words = place?.isMissing == true ? "is missing" : complaint?.words
        return wrongShape(at: path, words ?? "has a value that is not allowed here")
    }

    /// Checks that an action without input was sent nothing of substance: no body, `null` or `{}`.
    ///
    /// - Throws: ``ActionRefusal`` with `malformedInput` or `wrongShape`.
    public static func requireNone(_ json: [UInt8]) throws {
        guard !json.isEmpty else { return }
        let path: [String]
        switch try read(json) {
        case .null: return
        case .object(let members):
            // By their bytes: to compare texts takes a microsecond a letter.
            let first = members.names.min { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            guard let first else { return }
            path = [first]
        default: path = []
        }
        throw wrongShape(at: path, "is more than this action takes: send no body, or {}")
    }

    private static func read(_ json: [UInt8]) throws -> JSONNode {
        do { return try JSONGrammar.read(sent: json) } catch {
            switch error {
            case .refused(let refusal, let path): throw wrongShape(at: path, words(for: refusal))
            case .empty: throw notJSON("there is nothing but white space in it")
            case .byteOrderMark: throw notJSON("it begins with a byte order mark, EF BB BF; send it without")
            case .notUTF8: throw notJSON("it is not UTF-8")
            case .unfinished: throw notJSON("it ends before its value does")
            case .unexpected(let byte):
                throw notJSON("what stands at byte \(byte), counted from 1, cannot stand there")
            }
        }
    }

    private static func notJSON(_ words: String) -> ActionRefusal {
        ActionRefusal(.malformedInput, "The body is not JSON (RFC 8259): \(words).")
    }

    private static func words(for refusal: JSONFault.Refusal) -> String {
        switch refusal {
        case .halfCharacter:
            "has a text or a name that escapes half of a surrogate pair, which is no character (RFC 8259, section 8.2)"
        case .tooManyMarks:
            "has a text or a name with more than \(JSONGrammar.mostMarks) combining marks in a row, the limit"
        case .tooLongMarkedNames:
            "has a name with which those names of the body that have combining marks are longer in all than "
                + "\(JSONGrammar.mostMarkedNameBytes) bytes, the limit; letters composed, as in Unicode's form NFC, have none"
        case .tooDeep: "is nested deeper than \(JSONGrammar.deepest) lists and objects, the limit"
        case .doubled: "is there twice, to the byte or in another Unicode spelling; send it once"
        }
    }

    /// The pointer may hold names that the caller made up, as far as it goes; the words do not repeat them.
    private static func wrongShape(at path: [String], _ complaint: String) -> ActionRefusal {
        let place = path.isEmpty ? "The body" : "The member that the pointer names"
        return ActionRefusal(.wrongShape, "\(place) \(complaint).", pointer: JSON.pointer(to: path))
    }
}
