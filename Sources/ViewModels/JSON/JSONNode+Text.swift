extension JSONNode {
    /// The value as JSON text, as the encoder writes it: compact, and the members of objects sorted.
    var text: [UInt8] {
        var text: [UInt8] = []
        append(to: &text)
        return text
    }

    private func append(to text: inout [UInt8]) {
        switch self {
        case .null: text.append(contentsOf: "null".utf8)
        case .boolean(let boolean): text.append(contentsOf: (boolean ? "true" : "false").utf8)
        case .number(let number): text.append(contentsOf: number.text)
        case .string(let string): Self.append(string, to: &text)
        case .array(let elements):
            text.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                element.append(to: &text)
            }
            text.append(UInt8(ascii: "]"))
        case .object(let members):
            text.append(UInt8(ascii: "{"))
            for (index, name) in members.names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }).enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                Self.append(name, to: &text)
                text.append(UInt8(ascii: ":"))
                members[name]?.append(to: &text)
            }
            text.append(UInt8(ascii: "}"))
        }
    }

    private static func append(_ string: String, to text: inout [UInt8]) {
        // A string is always encoded.
        text.append(contentsOf: (try? JSON.encode(string)) ?? Array("\"\"".utf8))
    }
}
