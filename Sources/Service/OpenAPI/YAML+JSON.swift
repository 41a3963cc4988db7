import ViewModels

extension YAML {
    /// The value as JSON text for people: indented by two spaces, what has only plain values on one line.
    var json: String { json(indent: "") }

    private func json(indent: String) -> String {
        switch self {
        case .list(let items): Self.join(items.map { ("", $0) }, "[", "]", indent)
        case .map(let members): Self.join(members.map { (JSON.text($0.key) + ": ", $0.value) }, "{", "}", indent)
        case .text(let text): JSON.text(text)
        case .integer(let number): String(number)
        case .boolean(let truth): String(truth)
        case .json(let json): String(decoding: json, as: UTF8.self)
        }
    }

    private static func join(_ parts: [(key: String, value: YAML)], _ open: String, _ close: String, _ indent: String)
        -> String
    {
        let isPlain = parts.allSatisfy { $0.value.isPlainList }
        guard !isPlain else {
            return open + parts.map { $0.key + $0.value.json(indent: "") }.joined(separator: ", ") + close
        }
        let inner = indent + "  "
        let lines = parts.map { "\n\(inner)\($0.key)\($0.value.json(indent: inner))" }
        return open + lines.joined(separator: ",") + "\n\(indent)" + close
    }

    /// Whether it is a scalar, or a list of nothing but scalars.
    private var isPlainList: Bool {
        switch self {
        case .list(let items): items.allSatisfy(\.isScalar)
        default: isScalar
        }
    }

    private var isScalar: Bool {
        switch self {
        case .list, .map: false
        default: true
        }
    }
}
