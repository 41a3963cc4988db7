/// By which member of an object a stored property is read.
struct MemberReading<Value: Codable, Member: Codable> {
    private let member: KeyPath<Value, Member>
    private let node: JSONNode
    private let parts: [JSONPart]
    /// What is stored, as JSON text.
    private let stored: [UInt8]

    /// Nil where it is not read as it is written: it may be read by anything.
    init?(_ member: KeyPath<Value, Member>, of value: Value, node: JSONNode, parts: [JSONPart]) {
        guard let stored = try? JSON.encode(value[keyPath: member]) else { return nil }
        (self.member, self.node, self.parts, self.stored) = (member, node, parts, stored)
        guard read(node) == stored else { return nil }
    }

    /// The only one by which it is read; nil where that cannot be told.
    var part: JSONPart? {
        // A key path says its property's name at its end.
        let name = member.debugDescription.split(separator: ".").last.map(String.init)
        if let part = parts.first(where: { $0.name == name && $0.text == stored }), leads(part) != false { return part }
        let all = parts.map { (part: $0, leads: leads($0)) }
        let leading = all.filter { $0.leads == true }
        let checked = all.filter { $0.leads == nil }
        if leading.count == 1 { return checked.isEmpty || follows(leading[0].part) ? leading[0].part : nil }
        // By all others it is not.
        return leading.isEmpty && checked.count == 1 && checked[0].part.text == stored ? checked[0].part : nil
    }

    private func read(_ node: JSONNode) -> [UInt8]? {
        (try? JSONNodeDecoder(node: node).decode(Value.self)).flatMap { try? JSON.encode($0[keyPath: member]) }
    }

    /// Whether another value of a part is read as another; nil where it takes none.
    private func leads(_ part: JSONPart) -> Bool? {
        var isTaken: Bool?
        for other in part.others {
            guard let read = read(node.with(part.name, other)) else { continue }
            guard read == stored else { return true }
            isTaken = false
        }
        return isTaken
    }

    /// Whether any other value of a part is what is stored then.
    private func follows(_ part: JSONPart) -> Bool {
        part.others.allSatisfy { other in
            guard let read = read(node.with(part.name, other)) else { return true }
            return read == (try? JSON.encode(JSONNodeDecoder(node: other).decode(Member.self)))
        }
    }
}
