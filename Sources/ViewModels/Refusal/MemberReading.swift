/// By which member of an object a stored property is read.
///
/// What proves it is in `MemberReading+proof.swift`.
struct MemberReading<Value: Codable, Member: Codable> {
    let member: KeyPath<Value, Member>
    let value: Value
    let node: JSONNode
    let shape: JSONShape
    let parts: [JSONPart]
    /// What is stored, as JSON text.
    let stored: [UInt8]
    /// How long it may be looked for.
    private let until: ContinuousClock.Instant
    var isLate: Bool { .now >= until }

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
    var part: JSONPart? {
        let part = shortPart ?? wholePart
        return isLate ? nil : part
    }

    /// That which is so with the first elements of its lists alone, by which it is read with all, too: which it is the type says as a rule.
    private var shortPart: JSONPart? {
        let short = shape.shortened(node)
        guard short.text != node.text, let value = decoded(short) else { return nil }
        let reading = MemberReading(member, of: value, node: short, shape: shape, until: until)
        guard let name = reading?.wholePart?.name, let part = parts.first(where: { $0.name == name }) else {
            return nil
        }
        return leads(trials(of: part)) == true && isIts(part) ? part : nil
    }

    private var wholePart: JSONPart? {
        let own = parts.first(where: isOwn)
        let isLed = own.flatMap { leads(trials(of: $0)) }
        if isLed == true { return own }
        let leading = parts.filter { leads(trials(of: $0)) == true }
        if let own, isLed == nil, leading.isEmpty, isOnlyOwn { return own }
        return leading.count == 1 && isIts(leading[0]) ? leading[0] : nil
    }

    /// Whether a member that leads to the property is its own, or is that, and no other's, by which it is read.
    private func isIts(_ part: JSONPart) -> Bool {
        let trials = trials(of: part)
        return isOwn(part)
            || (follows(trials) && (part.name == name || (isStored(part) && !isShared(trials, with: part))))
    }

    /// Whether it has the property's name, and its value.
    private func isOwn(_ part: JSONPart) -> Bool { part.name == name && part.text == stored }

    /// Whether all that takes no other value and is the same has a property's name: then that with its name is its own.
    private var isOnlyOwn: Bool {
        let names = Mirror(reflecting: value).children.map(\.label)
        return parts.allSatisfy { $0.text != stored || names.contains($0.name) || leads(trials(of: $0)) != nil }
    }

    /// The property's, if it can be told: a key path says the first one at its place, where one that takes no room may be before it.
    private var name: String? {
        guard !(value is any CustomReflectable) else { return nil }
        let names = Mirror(reflecting: value).children.filter { type(of: $0.value) == Member.self }.compactMap(\.label)
        let said = member.debugDescription.split(separator: ".").last.map(String.init)
        return names.count == 1 ? names[0] : names.first { $0 == said && MemoryLayout<Member>.size > 0 }
    }

    /// Whether it is read by all that is there, or by members that stand among those of the object, as it is read alone.
    var isOfAll: Bool {
        guard !parts.isEmpty else { return follows(trialsOfAll) && !isLate }
        return parts.contains { part in
            let trials = trialsOfAll(with: part)
            return leads(trials) == true && !isShared(trials, with: part)
        } && parts.allSatisfy { follows(trialsOfAll(with: $0)) } && !isLate
    }
}
