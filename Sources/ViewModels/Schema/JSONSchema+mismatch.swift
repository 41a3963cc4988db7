import Foundation

extension JSONSchema {
    /// A place where a value has another shape.
    package struct Mismatch: Hashable {
        /// The names of the members and the places in lists that lead there.
        package private(set) var path: [String] = []
        /// The error, as the end of a sentence that begins with the place, without the value.
        package let complaint: String

        fileprivate init(_ complaint: String) { self.complaint = complaint }

        fileprivate func within(_ name: String) -> Mismatch {
            var mismatch = self
            mismatch.path.insert(name, at: 0)
            return mismatch
        }
    }

    /// The first place where a value has another shape or an unknown member; nil where all of it fits.
    package func mismatch(in value: JSONValue) -> Mismatch? {
        switch (self, value) {
        case (.anything, _), (.nullable, .null): return nil
        case (.nullable(let schema), _): return schema.mismatch(in: value)
        case (.anyOf(let schemas), _) where schemas.contains { $0.mismatch(in: value) == nil }: return nil
        case (.array(let schema), .array(let elements)):
            for (place, element) in elements.enumerated() {
                if let mismatch = schema.mismatch(in: element) { return mismatch.within(String(place)) }
            }
            return nil
        case (.dictionary(let schema), .object(let object)):
            for name in object.names {
                if let mismatch = schema.mismatch(in: object[name] ?? .null) { return mismatch.within(name) }
            }
            return nil
        case (.object(let members), .object(let object)): return Self.mismatch(in: object, members)
        default: return hasScalar(value) ? nil : Mismatch("must be \(words)")
        }
    }

    private static func mismatch(in object: JSONObject, _ members: [Member]) -> Mismatch? {
        var found = 0
        for member in members {
            if let value = object[member.name] {
                found += 1
                if let mismatch = member.schema.mismatch(in: value) { return mismatch.within(member.name) }
            } else if member.isRequired {
                return Mismatch("is missing; it must be \(member.schema.words)").within(member.name)
            }
        }
        guard found < object.names.count else { return nil }
        let known = members.map { "\"\($0.name)\"" }.joined(separator: ", ")
        let unknown = object.names.first { name in !members.contains { $0.name == name } }
        return unknown.map { name in
            Mismatch(known.isEmpty ? "is unknown" : "is unknown; known members: \(known)").within(name)
        }
    }

    private func hasScalar(_ value: JSONValue) -> Bool {
        switch (self, value) {
        case (.string, .string), (.boolean, .boolean): true
        case (.formatted(.uuid), _): UUID.read(value) != nil
        case (.formatted(.url), _): URL.read(value) != nil
        case (.formatted(.base64), _): Data.read(value) != nil
        case (.oneOf(let texts), .string(let text)): texts.contains { $0.utf8.elementsEqual(text.utf8) }
        case (.number, _), (.date, _): Double.read(value) != nil
        case (.integer(let range), .number(let number)): number.integer.map(range.contains) ?? false
        case (.oneOfIntegers(let numbers), .number(let number)): number.integer.map(numbers.contains) ?? false
        default: false
        }
    }
}
