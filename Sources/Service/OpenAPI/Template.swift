/// A text with places for values, and with lines that are repeated for the items of lists.
///
/// `<name>` stands for a text. The lines from `# each NAME` to `# end` are repeated for each item, whose values go before those
/// around it. Other lines that begin with `#` are left out.
struct Template {
    typealias Values = [String: Value]

    /// A value of the template.
    enum Value {
        case text(String)
        case list([Values])

        /// A text in double quotes.
        static func quoted(_ text: String) -> Value { .text(YAMLText.quoted(text)) }
    }

    /// The lines of the template.
    let lines: [Substring]

    init(_ text: String) { lines = text.split(separator: "\n", omittingEmptySubsequences: false) }

    /// The text with all places filled in; a name without a value stays as it is.
    func filled(with values: Values) -> String {
        var text = ""
        Self.append(lines[...], values, to: &text)
        return text
    }

    private static func append(_ lines: ArraySlice<Substring>, _ values: Values, to text: inout String) {
        var rest = lines
        while let line = rest.popFirst() {
            if let name = listName(in: line) {
                let block = block(in: &rest)
                guard case .list(let items)? = values[name] else { continue }
                for item in items { append(block, values.merging(item) { $1 }, to: &text) }
            } else if !isComment(line) {
                text += line.replacing(/<([a-zA-Z]+)>/) { place in
                    guard case .text(let value)? = values[String(place.1)] else { return place.0 }
                    return value[...]
                }
                text += "\n"
            }
        }
    }

    /// Takes the lines up to the end of a list, and the end itself.
    private static func block(in rest: inout ArraySlice<Substring>) -> ArraySlice<Substring> {
        var depth = 1
        var block: ArraySlice<Substring> = []
        while let line = rest.popFirst() {
            if listName(in: line) != nil { depth += 1 }
            if isComment(line), line.hasSuffix("# end") { depth -= 1 }
            if depth == 0 { break }
            block.append(line)
        }
        return block
    }

    private static func isComment(_ line: Substring) -> Bool { line.drop { $0 == " " }.hasPrefix("#") }

    private static func listName(in line: Substring) -> String? {
        let comment = line.drop { $0 == " " }
        return comment.hasPrefix("# each ") ? String(comment.dropFirst("# each ".count)) : nil
    }
}
