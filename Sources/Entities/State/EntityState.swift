/// One part of an entity's state.
package struct PartState: Sendable {
    /// The place of the view model in the host's declarations.
    package let index: Int
    package internal(set) var part: Part
    /// Whether this build cannot read the stored form; then the outputs are empty.
    package internal(set) var isUnreadable = false
    /// The stamp of the last visible change, as stored.
    var stamp: Stamp
    /// A hash of the outputs as this build derives them.
    var digest: UInt64
    /// The commit that last changed each output, as far as this process knows; never too small.
    package internal(set) var seqs: [UInt64]
    /// The histories of lists by key, by the places of their outputs.
    var rows: [Int: RowHistory] = [:]

    init(index: Int, part: Part, stamp: Stamp, digest: UInt64) {
        (self.index, self.part, self.stamp, self.digest) = (index, part, stamp, digest)
        seqs = Array(repeating: stamp.seq, count: part.outputs.count)
        if !part.rows.isEmpty { rows = part.rows.mapValues { RowHistory($0, seq: stamp.seq) } }
    }
}

/// The state of an entity after a commit: its parts, and its change feed.
///
/// It never changes. It is an object, because it is passed on more often than it is made.
package final class EntityState: Sendable {
    /// The properties of a state; a commit changes a copy.
    struct Values: Sendable {
        var head = Stamp.none
        var isStored = false
        var ring: [Stamp] = []
        var lineage: UInt64 = 0
        var initial: InitialParts
        var touched: [PartState] = []
        /// Stored parts without a view model in this build: user, effects, and parts of other builds.
        var others: [StoredPart] = []
        var user: User?
        var effects: [StoredEffect] = []
        /// The sum of all parts' digests.
        var digest: UInt64

        init(initial: InitialParts) { (self.initial, digest) = (initial, initial.digest) }

        /// The head as clients see it.
        var shownHead: Stamp { head.mixed(with: digest) }
    }

    let values: Values
    /// The stamp of the commit, as the store compares it.
    package var head: Stamp { values.head }
    /// Whether the store has a row of the entity.
    var isStored: Bool { values.isStored }
    /// The latest heads as clients saw them, oldest first, this state's own head last; never empty.
    package var ring: [Stamp] { values.ring }
    /// The number of the lineage in this process; a reload without our head begins a new one.
    package var lineage: UInt64 { values.lineage }
    /// The parts before any action, and the language.
    package var initial: InitialParts { values.initial }
    /// The parts that an action has touched, in declared order.
    package var touched: [PartState] { values.touched }
    /// The user of the session; nil for none.
    package var user: User? { values.user }
    /// Unfinished work and timers, in the order of their start.
    package var effects: [StoredEffect] { values.effects }

    /// The earliest time of an effect that may run; nil for none.
    var due: Int64? { effects.isEmpty ? nil : effects.ready.map(\.due).min() }

    /// How many heads an entity keeps in memory: each commit copies them, and up to 1,032 bytes malloc(3) is fast.
    static let ringInMemory = 60
    /// How many heads an entity keeps in its row.
    package static let ringInRow = 16

    /// The state of an entity that the store does not have.
    package convenience init(initial: InitialParts) {
        var values = Values(initial: initial)
        values.ring = [values.shownHead]
        self.init(values)
    }

    init(_ values: Values) { self.values = values }

    /// The state of a new entity.
    package static func new(_ initial: InitialParts, user: User? = nil) -> EntityState {
        var values = Values(initial: initial)
        values.user = user
        if let user { values.others = [StoredPart(User.partName, of: user)] }
        values.head = Stamp(seq: 0, nonce: .random(in: .min ... .max))
        values.ring = [values.shownHead]
        values.isStored = true
        return EntityState(values)
    }

    /// The head as clients see it: a cursor.
    package var cursor: Stamp { ring[ring.count - 1] }
    package var language: String { initial.language }

    /// One part, by its place in the declarations.
    package subscript(index: Int) -> PartState {
        for part in touched where part.index == index { return part }
        return initial.parts[index]
    }

    /// One part, by the name of a view model that the host declares; throws if this build cannot read it.
    package func part(_ name: String) throws(ModelUnreadable) -> Part {
        guard let index = initial.index(of: name) else { preconditionFailure("No view model is called \(name).") }
        let part = self[index]
        guard !part.isUnreadable else { throw ModelUnreadable(viewModel: name) }
        return part.part
    }

    /// The outputs of a view model, or of a facet, as a JSON object in declared order.
    ///
    /// - Throws: ``ModelUnreadable`` if this build cannot read the stored form.
    package func body(of index: Int, facet: String? = nil) throws(ModelUnreadable) -> [UInt8] {
        let declaration = initial.declarations[index]
        let part = try part(declaration.name)
        var body: [UInt8] = []
        body.reserveCapacity(part.outputs.count * 32)
        body.append(UInt8(ascii: "{"))
        for place in facet.flatMap({ declaration.facets[$0] }) ?? declaration.places {
            if body.count > 1 { body.append(UInt8(ascii: ",")) }
            body += declaration.members[place]
            body += part.outputs[place]
        }
        body.append(UInt8(ascii: "}"))
        return body
    }

    /// The ETag of a view model, without quotes; also a cursor.
    ///
    /// The stamp of an untouched part covers the initial state of all parts, so a change of any of them changes it.
    package func stamp(of index: Int) -> Stamp {
        let part = self[index]
        // Without the 1, the two hashes of an entity with one part would cancel out.
        return part.stamp.seq == 0
            ? Stamp(seq: 0, nonce: StableHash.scramble(initial.digest &+ 1)).mixed(with: part.digest)
            : part.stamp.mixed(with: part.digest)
    }

    /// Whether this build has a view model, and can read its part.
    package func canRead(_ name: String) -> Bool { initial.index(of: name).map { !self[$0].isUnreadable } ?? false }

    /// The seq after which a client with this cursor needs every change; nil if the cursor is not of this history.
    ///
    /// A part's stamp counts only if it is newer than the ring's oldest head. Up to there another build may have derived other
    /// outputs of other parts, so the ring ends there. Seq 0 is safe: that stamp covers all initial outputs.
    package func position(of cursor: Stamp) -> UInt64? {
        if ring.reversed().contains(cursor) { return cursor.seq }
        guard cursor.seq == 0 || cursor.seq > ring[0].seq else { return nil }
        return initial.declarations.indices.contains { stamp(of: $0) == cursor } ? cursor.seq : nil
    }
}

// How a commit changes the state.

extension EntityState {
    /// Whether these changes alter the state, visible or not.
    func isChanged(by changes: Changes) -> Bool {
        if changes.language != nil || !changes.effects.isEmpty { return true }
        return changes.parts.contains { name, part in
            guard let index = initial.index(of: name) else { return false }
            let old = self[index].part
            return old.stored != part.stored || old.version != part.version || old.outputs != part.outputs
        }
    }

    /// The state after a commit of these changes, which may be empty, with a new stamp.
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

    /// Derives all parts, touched or not, in another language.
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

    /// The bytes of the parts in the store, without names and stamps.
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
    /// A copy in which each output changed with this commit.
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
