/// A YAML document in block style as paths, such as `paths › /counter › get › operationId`, with the text behind each.
///
/// Values in flow style and folded texts stay as they are written.
struct Outline {
    private(set) var texts: [String: String] = [:]
    /// Paths that are there twice.
    private(set) var repeated: [String] = []

    init(_ yaml: [UInt8]) {
        var open: [(indent: Int, key: String)] = []
        var items: [String: Int] = [:]
        for line in String(decoding: yaml, as: UTF8.self).split(separator: "\n") where !line.hasPrefix("#") {
            var indent = line.prefix { $0 == " " }.count
            var rest = line.dropFirst(indent)
            open.removeAll { $0.indent >= indent }
            while rest.hasPrefix("- ") {
                let list = Self.path(open)
                open.append((indent, "\(items[list, default: 0])"))
                items[list, default: 0] += 1
                (indent, rest) = (indent + 2, rest.dropFirst(2))
            }
            guard let match = rest.wholeMatch(of: /("[^"]*"|[^\s{\["'][^:]*):(?: (.*))?/) else {
                texts[Self.path(open), default: ""] += rest
                continue
            }
            open.append((indent, match.1.filter { $0 != "\"" }))
            let path = Self.path(open)
            if texts.updateValue(String(match.2 ?? ""), forKey: path) != nil { repeated.append(path) }
        }
    }

    private static func path(_ open: [(indent: Int, key: String)]) -> String {
        open.map(\.key).joined(separator: " › ")
    }

    subscript(_ path: String...) -> String? { texts[path.joined(separator: " › ")] }

    /// The keys below a path, sorted.
    func keys(below path: String...) -> [String] {
        let prefix = path.map { $0 + " › " }.joined()
        let keys = texts.keys.filter { $0.hasPrefix(prefix) }.map {
            $0.dropFirst(prefix.count).split(separator: " › ")[0]
        }
        return Set(keys).map { String($0) }.sorted()
    }
}
