/// A body that an action does not take; its text never holds values that were sent.
package enum InputFault: Error, Hashable, Sendable {
    /// The body is not JSON: 400. The text says where.
    case malformed(detail: String)
    /// The body is JSON of another shape: 422. The pointer is in URI fragment form (RFC 6901, section 6).
    case wrongShape(pointer: String, detail: String)

    init(path: [String], _ complaint: String) {
        let place = path.isEmpty ? "The body" : "The member that the pointer names"
        self = .wrongShape(pointer: path.jsonPointer, detail: "\(place) \(complaint).")
    }

    /// The error of a body's own `init(from:)`, whose words may repeat what was sent.
    init(_ error: any Error) { self.init(path: Self.path(of: error), "has a value that is not allowed here") }

    /// The way to the place where a `DecodingError` happened; empty for another error.
    static func path(of error: any Error) -> [String] {
        let path: [any CodingKey] =
            switch error as? DecodingError {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                context.codingPath
            case .keyNotFound(let key, let context): context.codingPath + [key]
            default: []
            }
        return path.map(\.stringValue)
    }

    /// Reads and checks a body, before the action runs.
    ///
    /// - Parameter schema: nil for an action without a body, which takes nothing, `null` or `{}`.
    package static func read(_ body: [UInt8], as schema: JSONSchema?) throws(InputFault) -> JSONValue? {
        guard !body.isEmpty else {
            guard schema != nil else { return nil }
            throw .malformed(detail: "The action takes a JSON body, and the request has none.")
        }
        let value = try parse(body)
        do { try (schema ?? .nullable(.object([]))).check(value) } catch {
            throw InputFault(path: error.path, error.complaint)
        }
        return value
    }

    static func parse(_ body: [UInt8]) throws(InputFault) -> JSONValue {
        do { return try JSONValue(parsing: body) } catch {
            throw .malformed(detail: "The body is not JSON (RFC 8259): \(error).")
        }
    }
}
