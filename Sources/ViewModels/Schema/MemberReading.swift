/// By which member of an object a stored property is read.
struct MemberReading<Value: Codable, Member: Codable> {
    private let member: KeyPath<Value, Member>
    private let value: Value
    private let node: JSONNode
    private let shape: JSONShape
    private let parts: [JSONPart]
    /// What is stored, as JSON text.
    private let stored: [UInt8]
    /// How long it may be looked for.
    private let until: ContinuousClock.Instant
    private var isLate: Bool { .now >= until }

    /// Nil where it is not read as it is written: it may be read by anything.
    init?(
        _ member: KeyPath<Value, Member>, of value: Value, node: JSONNode, shape: JSONShape,
        until: ContinuousClock.Instant
    ) {
        guard let stored = try? JSON.encode(value[keyPath: member]) else { return nil }
        (self.member, self.value, self.node, self.shape) = (member, value, node, shape)
        (self.parts, self.stored, self.until) = (shape.members(of: node), stored, until)
        guard read(node) == stored else { return nil }
    }

    /// The only one by which it is read, as it stands there; nil where that cannot be told, or not in time.
    var part: JSONPart? { shortPart ?? wholePart }

    /// That which is so with the first elements of its lists alone, by which it is read with all, too: which it is the type says as a rule.
    private var shortPart: JSONPart? {
        let short = shape.shortened(node)
        guard short.text != node.text, let value = try? JSONNodeDecoder(node: short).decode(Value.self) else {
            return nil
        }
        let reading = MemberReading(member, of: value, node: short, shape: shape, until: until)
        guard let name = reading?.wholePart?.name, let part = parts.first(where: { $0.name == name }),
            leads(part, by: changed(part)) == true
        else { return nil }
        return isOwn(part) || (isStored(part) && isFollowed(part)) ? part : nil
    }

    private var wholePart: JSONPart? {
        if let own = parts.first(where: isOwn), leads(own, by: changed(own)) != false { return isLate ? nil : own }
        let leading = parts.filter { leads($0, by: changed($0)) == true }
        guard leading.count == 1, leading[0].name == name || isStored(leading[0]) else { return nil }
        return isFollowed(leading[0]) ? leading[0] : nil
    }

    /// Whether it has the property's name, and its value.
    private func isOwn(_ part: JSONPart) -> Bool { part.name == name && part.text == stored }

    /// Whether what is stored is what it is read as alone; where it is missing, what the type has for it whatever there is beside.
    private func isStored(_ part: JSONPart) -> Bool {
        if alone(part.node ?? .null) == stored { return true }
        guard part.node == nil else { return false }
        return shape.plain(apartFrom: node) { read($0) != nil }.contains { read($0) == stored }
    }

    private func isFollowed(_ part: JSONPart) -> Bool { follows(part, by: changed(part), alone: { $0 }) }

    /// Whether it is read by all that is there, or by members that stand among those of the object, as it is read alone.
    var isOfAll: Bool {
        guard !parts.isEmpty else {
            let whole = JSONPart("", shape, node)
            return leads(whole, by: { $0 }) == true && follows(whole, by: { $0 }, alone: { $0 })
        }
        return parts.contains { leads($0, by: changed($0)) == true }
            && parts.allSatisfy { follows($0, by: changed($0), alone: changed($0)) }
    }

    /// The property's, if it can be told: a key path says the first one at its place, where one that takes no room may be before it.
    private var name: String? {
        guard !(value is any CustomReflectable) else { return nil }
        let names = Mirror(reflecting: value).children.filter { type(of: $0.value) == Member.self }.compactMap(\.label)
        let said = member.debugDescription.split(separator: ".").last.map(String.init)
        return names.count == 1 ? names[0] : names.first { $0 == said && MemoryLayout<Member>.size > 0 }
    }

    private func changed(_ part: JSONPart) -> (JSONNode) -> JSONNode { { node.with(part.name, $0) } }

    private func read(_ node: JSONNode) -> [UInt8]? {
        (try? JSONNodeDecoder(node: node).decode(Value.self)).flatMap { try? JSON.encode($0[keyPath: member]) }
    }

    private func alone(_ node: JSONNode) -> [UInt8]? {
        try? JSON.encode(JSONNodeDecoder(node: node).decode(Member.self))
    }

    /// Whether another value of a part is read as another; nil where it takes none.
    private func leads(_ part: JSONPart, by change: (JSONNode) -> JSONNode) -> Bool? {
        var isTaken: Bool?
        for other in part.others where !isLate {
            guard let read = read(change(other)) else { continue }
            guard read == stored else { return true }
            isTaken = false
        }
        return isTaken
    }

    /// Whether with any other value of a part it is read as it is alone; not where that takes too long to tell.
    private func follows(
        _ part: JSONPart, by change: (JSONNode) -> JSONNode, alone: (JSONNode) -> JSONNode
    ) -> Bool {
        part.others.allSatisfy { other in
            guard !isLate else { return false }
            return read(change(other)).map { $0 == self.alone(alone(other)) } ?? true
        } && !isLate
    }
}
