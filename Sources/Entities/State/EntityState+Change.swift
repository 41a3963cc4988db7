// How a commit changes the state.

extension EntityState {
    /// Whether these results differ from this state at all, seen or unseen.
    func isChanged(by changes: Changes) -> Bool {
        if changes.language != nil || !changes.effects.isEmpty { return true }
        return changes.parts.contains { name, part in
            guard let index = initial.index(of: name) else { return false }
            let old = self[index].part
            return old.stored != part.stored || old.version != part.version || old.outputs != part.outputs
        }
    }

    /// The state after a commit of these results, which may be empty, with a new stamp.
    func applying(_ changes: Changes) -> EntityState {
        var next = values
        next.head = head.next()
        next.isStored = true
        if let (language, parts) = changes.language {
            next.touched = parts.map { $0.stamped(head: next.head) }
            next.initial = language
            next.digest = parts.reduce(0) { $0 &+ $1.digest }
        } else {
            for (name, part) in changes.parts { if let index = initial.index(of: name) { next.set(part, at: index) } }
        }
        if !changes.effects.isEmpty { next.apply(changes.effects) }
        next.show()
        return EntityState(next)
    }

    /// Derives every part in another language, touched or not: the result of a change of language.
    package func changes(to language: InitialParts) -> Changes {
        var changes = Changes()
        let parts = language.declarations.enumerated().map { index, declaration -> PartState in
            let old = self[index]
            if old.isUnreadable { return old }
            guard old.stamp.seq > 0 else { return language.parts[index] }
            var part = language.parts[index]
            part.part = language.host.rederive(old.part, declaration.name, language: language.language)
            part.digest = language.digest(of: part.part, at: index)
            return part
        }
        changes.language = (language, parts)
        return changes
    }

    /// How many bytes the parts have in the store, names and stamps aside.
    var size: Int {
        touched.reduce(0) { $0 + $1.part.stored.count } + values.others.reduce(0) { $0 + $1.state.count }
    }
}

extension EntityState.Values {
    /// Appends the head to the ring.
    fileprivate mutating func show() {
        var shown: [Stamp] = []
        shown.reserveCapacity(EntityState.ringInMemory)
        shown += ring[max(0, ring.count - EntityState.ringInMemory + 1)...]
        shown.append(shownHead)
        ring = shown
    }

    fileprivate mutating func apply(_ changes: [EffectChange]) {
        for change in changes { effects.apply(change) }
        others.removeAll { $0.name == StoredEffect.partName }
        if !effects.isEmpty { others.append(StoredPart(StoredEffect.partName, of: effects)) }
    }

    fileprivate mutating func set(_ part: Part, at index: Int) {
        if let place = touched.firstIndex(where: { $0.index == index }) {
            touched[place].set(part, digest: initial.digest(of: part, at: index), head: head, state: &digest)
        } else {
            // The first touch stamps the part, even without a visible change. Only untouched parts have seq 0.
            var new = initial.parts[index]
            new.set(part, digest: initial.digest(of: part, at: index), head: head, state: &digest)
            new.stamp = head
            touched.insert(new, at: touched.firstIndex { $0.index > index } ?? touched.count)
        }
    }
}

extension PartState {
    /// The part as if each output had changed with a commit.
    fileprivate func stamped(head: Stamp) -> PartState {
        var part = self
        part.stamp = head
        part.seqs = Array(repeating: head.seq, count: self.part.outputs.count)
        part.rows = self.part.rows.mapValues { RowHistory($0, seq: head.seq) }
        return part
    }

    fileprivate mutating func set(_ new: Part, digest newDigest: UInt64, head: Stamp, state: inout UInt64) {
        if new.outputs != part.outputs { stamp = head }
        for place in seqs.indices where new.outputs[place] != part.outputs[place] { seqs[place] = head.seq }
        for (place, list) in new.rows where new.outputs[place] != part.outputs[place] {
            rows[place] = rows[place]?.after(
                (part.rows[place] ?? [], part.outputs[place]), (list, new.outputs[place]), seq: head.seq)
        }
        state = state &- digest &+ newDigest
        part = new
        digest = newDigest
    }
}
