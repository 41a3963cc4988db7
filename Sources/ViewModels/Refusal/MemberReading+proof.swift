extension MemberReading {
    /// Another value of the object, and that in it by which the property is to be read.
    typealias Trial = (object: JSONNode, part: JSONNode)

    /// With other values of a member, which is to be it.
    func trials(of part: JSONPart) -> some Sequence<Trial> {
        others(of: part).lazy.map { (node.with(part.name, $0), $0) }
    }

    /// With other values of a member; the object is to be it.
    func trialsOfAll(with part: JSONPart) -> some Sequence<Trial> {
        others(of: part).lazy.map { other in
            let object = node.with(part.name, other)
            return (object, object)
        }
    }

    /// With other values of what has no members.
    var trialsOfAll: some Sequence<Trial> { others(of: JSONPart("", shape, node)).lazy.map { ($0, $0) } }

    /// As long as there is time.
    private func others(of part: JSONPart) -> some Sequence<JSONNode> {
        part.others.lazy.prefix { _ in !isLate }
    }

    /// Whether another value is read as another; nil where none is taken.
    func leads(_ trials: some Sequence<Trial>) -> Bool? {
        var isTaken: Bool?
        for trial in trials {
            guard let read = read(trial.object) else { continue }
            guard read == stored else { return true }
            isTaken = false
        }
        return isTaken
    }

    /// Whether each that is taken is read as that in it is read alone.
    func follows(_ trials: some Sequence<Trial>) -> Bool {
        trials.allSatisfy { trial in read(trial.object).map { $0 == alone(trial.part) } ?? true }
    }

    /// Whether what is stored is what a member is read as alone; where it is missing, what the type has for it whatever there is beside.
    func isStored(_ part: JSONPart) -> Bool {
        if alone(part.node ?? .null) == stored { return true }
        guard part.node == nil else { return false }
        return shape.plain(apartFrom: node) { read($0) != nil }.contains { read($0) == stored }
    }

    /// Whether another property is read just so, and a member is missing: that one's own may be the one, and what is missing this one's, which
    /// is taken from the other instead.
    func isShared(_ trials: some Sequence<Trial>, with part: JSONPart) -> Bool {
        guard parts.contains(where: { $0.node == nil && $0.name != part.name }) else { return false }
        guard let before = propertyTexts(of: value) else { return true }
        var following = before.indices.filter { before[$0] == stored }
        for trial in trials {
            guard let given = alone(trial.part), given != stored,
                let after = decoded(trial.object).flatMap(propertyTexts)
            else { continue }
            following = following.filter { after[$0] == given }
        }
        return following.count > 1
    }

    /// What each stored property is written as; nil where the type says itself what it has.
    private func propertyTexts(of value: Value) -> [[UInt8]?]? {
        guard !(value is any CustomReflectable) else { return nil }
        return Mirror(reflecting: value).children.map { ($0.value as? any Encodable).flatMap { try? JSON.encode($0) } }
    }

    /// Nil where it is no value of the type, or it is too late to ask.
    func decoded(_ node: JSONNode) -> Value? {
        isLate ? nil : try? JSONNodeDecoder(node: node).decode(Value.self)
    }

    /// What is stored where the object is another one.
    func read(_ node: JSONNode) -> [UInt8]? { decoded(node).flatMap { try? JSON.encode($0[keyPath: member]) } }

    private func alone(_ node: JSONNode) -> [UInt8]? {
        try? JSON.encode(JSONNodeDecoder(node: node).decode(Member.self))
    }
}
