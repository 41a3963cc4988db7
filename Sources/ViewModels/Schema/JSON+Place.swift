extension JSON {
    /// The names of members and places in lists that lead to where a key path leads, in the text of a value.
    ///
    /// A key path does not tell the names by which its type is encoded. So the text is changed, part by part, until the key
    /// path leads to something else. Texts, numbers and truth values are changed, and what is missing is put in; no element is
    /// taken away, so that a key path into a list or an optional finds its own still: what `init(from:)` takes one from is not asked.
    ///
    /// - Returns: the way to the innermost member that holds it; empty where none could be told.
    static func place<Input: Codable>(of member: KeyPath<Input, some Encodable>, in input: Input) -> [String] {
        guard let node = try? JSONGrammar.read(encode(input)), let sought = try? encode(input[keyPath: member]),
            let schema = try? JSONSchema(of: Input.self)
        else { return [] }
        if node.text == sought { return [] }
        var search = PlaceSearch(sought: sought) { changed in
            guard let other = try? JSONNodeDecoder(node: changed).decode(Input.self),
                let written = try? JSONGrammar.read(encode(other)), written.hasLists(asIn: changed)
            else { return .refused }
            return (try? encode(other[keyPath: member])) == sought ? .same : .other
        }
        // What is not read as it is written leads anywhere.
        guard search.outcome(node) == .same else { return [] }
        return search.find(in: node, of: schema) ?? search.onlyOneAlike ?? []
    }
}

/// Looks for the part of a text that something depends on.
private struct PlaceSearch {
    /// What the whole leads to, changed.
    enum Outcome { case same, other, refused }

    /// What is looked for, as JSON text.
    let sought: [UInt8]
    let outcome: (JSONNode) -> Outcome
    /// How often something may be changed still: where a type refuses much, each part is changed alone.
    private var left = 500
    /// The shapes around, by their names.
    private var shapes: [String: JSONSchema] = [:]
    /// The parts of which no change is taken, and that are as what is looked for.
    private var alike: [[String]] = []
    var onlyOneAlike: [String]? { alike.count == 1 && left > 0 ? alike[0] : nil }

    init(sought: [UInt8], outcome: @escaping (JSONNode) -> Outcome) { (self.sought, self.outcome) = (sought, outcome) }

    /// - Parameters:
    ///   - way: how the node is come to.
    ///   - whole: puts a changed node into the whole.
    mutating func find(
        in node: JSONNode, of schema: JSONSchema, by way: [String] = [],
        whole: @escaping (JSONNode) -> JSONNode = { $0 }
    ) -> [String]? {
        let parts = parts(of: node, schema)
        return find(among: parts, parts.indices, of: node, by: way, whole: whole)
    }

    /// By halves: a list may be as long as a body.
    private mutating func find(
        among parts: [JSONSchema.Part], _ range: Range<Int>, of node: JSONNode, by way: [String],
        whole: @escaping (JSONNode) -> JSONNode
    ) -> [String]? {
        guard range.count > 1 else {
            guard let part = range.first.map({ parts[$0] }) else { return nil }
            return find(part, by: way + [part.name]) { whole(node.with([(part.name, $0)])) }
        }
        guard left > 0, outcome(of: changed(node, parts, at: range), in: whole) != .same else { return nil }
        let half = range.prefix(range.count / 2)
        return find(among: parts, half, of: node, by: way, whole: whole)
            ?? find(among: parts, range.dropFirst(half.count), of: node, by: way, whole: whole)
    }

    private mutating func find(
        _ part: JSONSchema.Part, by way: [String], whole: @escaping (JSONNode) -> JSONNode
    ) -> [String]? {
        var outcome = Outcome.refused
        for attempt in 0..<4 where outcome == .refused && left > 0 {
            guard let other = other(than: part.node, of: part.schema, attempt) else { break }
            outcome = self.outcome(of: other, in: whole)
        }
        var inner: [String]?
        if let node = part.node, outcome == .refused || (outcome == .other && node.text != sought) {
            inner = find(in: node, of: part.schema, by: way, whole: whole)
        }
        if outcome == .refused, inner == nil, part.node?.text == sought { alike.append(way) }
        return outcome == .other ? inner ?? way : inner
    }

    private mutating func outcome(of node: JSONNode, in whole: (JSONNode) -> JSONNode) -> Outcome {
        left -= 1
        return outcome(whole(node))
    }

    private mutating func changed(_ node: JSONNode, _ parts: [JSONSchema.Part], at range: Range<Int>) -> JSONNode {
        var changes: [(String, JSONNode)] = []
        for part in parts[range] {
            if let other = other(than: part.node, of: part.schema) { changes.append((part.name, other)) }
        }
        return node.with(changes)
    }

    /// Another value of the shape, in which nothing of the first is missing; nil where none is known.
    ///
    /// It differs by little, since what the host makes of it must not trap: a sum, or the place of an element.
    ///
    /// - Parameter attempt: which of them, where there are more.
    private mutating func other(than node: JSONNode?, of schema: JSONSchema, _ attempt: Int = 0) -> JSONNode? {
        if let node {
            let parts = parts(of: node, schema)
            let changed = changed(node, parts, at: parts.indices)
            if changed.text != node.text { return attempt == 0 ? changed : nil }
        }
        let texts = schema.textsBeside(node) + schema.plainTexts(around: shapes)
        let others = texts.lazy.compactMap { try? JSONGrammar.read(Array($0.utf8)) }
            .filter { !$0.isNull && $0.text != node?.text }
        return others.dropFirst(attempt).first
    }

    private mutating func parts(of node: JSONNode, _ schema: JSONSchema) -> [JSONSchema.Part] {
        switch schema {
        case .nullable(let schema): return parts(of: node, schema)
        case .named(let name, let schema):
            shapes[name] = schema
            return parts(of: node, schema)
        case .reference(let name): return shapes[name].map { parts(of: node, $0) } ?? []
        default: return schema.parts(of: node)
        }
    }
}

extension JSONSchema {
    /// A member, or an element, of a value of the shape; the value nil where it is missing or null.
    fileprivate struct Part {
        let name: String
        let schema: JSONSchema
        let node: JSONNode?

        init(_ name: String, _ schema: JSONSchema, _ node: JSONNode?) {
            self.name = name
            self.schema = schema
            self.node = node?.isNull == true ? nil : node
        }
    }

    fileprivate func parts(of node: JSONNode) -> [Part] {
        switch (self, node) {
        case (.object(let declared), .object(let members)):
            declared.map { Part($0.name, $0.schema, members[$0.name]) }
        case (.choice(let declared), .object(let members)):
            declared.filter { members[$0.name] != nil }.map { Part($0.name, $0.schema, members[$0.name]) }
        case (.dictionary(let schema, _), .object(let members)): members.all.map { Part($0.name, schema, $0.value) }
        case (.array(let schema), .array(let elements)):
            elements.enumerated().map { Part(String($0), schema, $1) }
        case (.tuple(let schemas), .array(let elements)) where schemas.count == elements.count:
            zip(schemas, elements).enumerated().map { Part(String($0), $1.0, $1.1) }
        default: []
        }
    }
}

extension JSONNode {
    fileprivate var isNull: Bool { if case .null = self { true } else { false } }

    /// Whether its lists are as long as those of another value.
    fileprivate func hasLists(asIn other: JSONNode) -> Bool {
        switch (self, other) {
        case (.array(let own), .array(let others)):
            own.count == others.count && zip(own, others).allSatisfy { $0.hasLists(asIn: $1) }
        case (.object(let own), .object(let others)):
            own.all.allSatisfy { name, node in
                others[name]?.isNull != false || node.hasLists(asIn: others[name] ?? node)
            }
        default: true
        }
    }

    /// The value with other members or elements.
    fileprivate func with(_ changes: [(name: String, value: JSONNode)]) -> JSONNode {
        switch self {
        case .object(let members):
            let names = Set(changes.map { MemberName($0.name) })
            return .object(Members(members.all.filter { !names.contains(MemberName($0.name)) } + changes))
        case .array(var elements):
            for (name, value) in changes { if let place = Int(name) { elements[place] = value } }
            return .array(elements)
        default: return self
        }
    }
}
