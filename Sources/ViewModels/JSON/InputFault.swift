import Foundation

/// An error in a JSON text; its description never contains values of the text.
package enum InputFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text is not JSON: 400. The detail says where.
    case malformed(detail: String)
    /// The text is JSON of another shape: 422. The pointer is in URI fragment form (RFC 6901, section 6).
    case wrongShape(pointer: String, detail: String)

    /// - Parameter complaint: the end of a sentence that begins with the place.
    package init(path: [String], _ complaint: String) {
        let place = path.isEmpty ? "The JSON value" : "The member that the pointer names"
        self = .wrongShape(pointer: path.jsonPointer, detail: "\(place) \(complaint).")
    }

    /// How many names and indices lead to the place.
    var depth: Int {
        if case .wrongShape(let pointer, _) = self { pointer.utf8.count { $0 == UInt8(ascii: "/") } } else { 0 }
    }

    /// The error and its place, for a programmer.
    package var description: String {
        switch self {
        case .malformed(let detail): String(detail.dropLast())
        case .wrongShape(let pointer, let detail): "\(detail.dropLast()) (\(pointer))"
        }
    }
}

extension [String] {
    /// A JSON Pointer in URI fragment form (RFC 6901, section 6): `#/lines/2/quantity`.
    var jsonPointer: String {
        reduce(into: "#") { pointer, name in
            let token = name.replacing("~", with: "~0").replacing("/", with: "~1")
            pointer += "/" + (token.addingPercentEncoding(withAllowedCharacters: .urlFragmentAllowed) ?? "")
        }
    }
}
