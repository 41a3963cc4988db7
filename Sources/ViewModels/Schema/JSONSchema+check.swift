import Foundation

extension JSONSchema {
    /// A place where a value has another shape.
    package struct Mismatch: Error, Hashable, CustomStringConvertible {
        /// The names of the members and the places in lists that lead there.
        package let path: [String]
        /// The error, as the end of a sentence that begins with the place, without the value.
        package let complaint: String

        /// The error and its place, for a programmer.
        package var description: String {
            "it does not fit its schema at \(JSONPath.pointer(to: path)): it \(complaint)"
        }
    }

    /// Finds the first place where a value has another shape or an unknown member.
    package func check(_ value: JSONValue, at path: [String] = []) throws(Mismatch) {
        switch (self, value) {
        case (.anything, _), (.nullable, .null): break
        case (.nullable(let schema), _): try schema.check(value, at: path)
        case (.anyOf(let schemas), _) where schemas.contains { (try? $0.check(value)) != nil }: break
        case (.array(let schema), .array(let elements)):
            for (place, element) in elements.enumerated() { try schema.check(element, at: path + [String(place)]) }
        case (.dictionary(let schema), .object(let object)):
            for name in object.names { try schema.check(object[name] ?? .null, at: path + [name]) }
        case (.object(let members), .object(let object)): try Self.check(object, members, at: path)
        default: if !hasScalar(value) { throw Mismatch(path: path, complaint: "must be \(words)") }
        }
    }

    private static func check(_ object: JSONObject, _ members: [Member], at path: [String]) throws(Mismatch) {
        for member in members {
            let path = path + [member.name]
            if let value = object[member.name] {
                try member.schema.check(value, at: path)
            } else if member.isRequired {
                throw Mismatch(path: path, complaint: "is missing; it must be \(member.schema.words)")
            }
        }
        guard let unknown = object.names.first(where: { name in !members.contains { $0.name == name } }) else { return }
        let known = members.isEmpty ? "none" : members.map { "\"\($0.name)\"" }.joined(separator: ", ")
        throw Mismatch(path: path + [unknown], complaint: "is unknown; known members: \(known)")
    }

    private func hasScalar(_ value: JSONValue) -> Bool {
        switch (self, value) {
        case (.string, .string), (.boolean, .boolean): true
        case (.uuid, _): UUID.read(value) != nil
        case (.url, _): URL.read(value) != nil
        case (.base64, _): Data.read(value) != nil
        case (.oneOf(let texts), .string(let text)): texts.contains { $0.utf8.elementsEqual(text.utf8) }
        case (.number, _), (.date, _): Double.read(value) != nil
        case (.integer(let range), _): value.integer.map(range.contains) ?? false
        case (.oneOfIntegers(let numbers), _): value.integer.map(numbers.contains) ?? false
        default: false
        }
    }
}
