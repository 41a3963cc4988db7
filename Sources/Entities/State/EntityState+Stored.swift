// The stored row, as this build shows it.

extension EntityState {
    /// Derives the state of a stored entity.
    ///
    /// If its head is not the newest stamp of the ring, another build derived other outputs. Then this build forgets the ring,
    /// and old cursors get a snapshot. A load writes nothing, so two builds may serve one store.
    package convenience init(_ entity: StoredEntity, of kind: EntityKind) {
        let initial = kind[entity.language]
        var values = Values(initial: initial)
        values.head = entity.head
        values.isStored = true
        for stored in entity.parts {
            guard let index = initial.index(of: stored.name) else {
                values.user = stored.value(User.partName) ?? values.user
                values.effects = stored.value(StoredEffect.partName) ?? values.effects
                values.others.append(stored)
                continue
            }
            let read = PartState(stored, at: index, of: initial)
            values.digest = values.digest &- initial.parts[index].digest &+ read.digest
            values.touched.append(read)
        }
        values.touched.sort { $0.index < $1.index }
        values.ring = entity.ring.last == values.shownHead ? entity.ring : [values.shownHead]
        self.init(values)
    }

    /// Makes this loaded state the successor of the known state.
    ///
    /// If its ring has the known head, it descends from that state, and accepted positions stay valid. Parts with the same
    /// stamp keep the seqs of their outputs. All other outputs have the seq of their part. They may have changed and
    /// changed back, so equal bytes prove nothing to a cursor in between.
    func continuing(_ known: EntityState) -> EntityState {
        var next = values
        guard let place = ring.lastIndex(of: known.cursor) else {
            next.lineage = known.lineage + 1
            return EntityState(next)
        }
        next.lineage = known.lineage
        next.ring = Array((known.ring + ring[(place + 1)...]).suffix(Self.ringInMemory))
        for (place, part) in touched.enumerated() {
            let old = known[part.index]
            if old.stamp == part.stamp, old.digest == part.digest {
                (next.touched[place].seqs, next.touched[place].rows) = (old.seqs, old.rows)
            }
        }
        return EntityState(next)
    }

    /// The row that the store keeps.
    package func row(_ id: EntityID) -> StoredEntity {
        let parts = touched.map { part in
            StoredPart(
                name: initial.declarations[part.index].name, version: part.part.version, state: part.part.stored,
                stamp: part.stamp)
        }
        return StoredEntity(
            id: id, head: head, ring: Array(ring.suffix(Self.ringInRow)), language: language, owner: user?.id,
            due: due, parts: parts + values.others)
    }
}

extension PartState {
    fileprivate init(_ stored: StoredPart, at index: Int, of initial: InitialParts) {
        let read = try? initial.host.read(
            stored.name, stored: stored.state, version: stored.version, language: initial.language)
        // The row keeps an unreadable part as it is.
        let part = read ?? Part(value: (), version: stored.version, stored: stored.state, outputs: [])
        self.init(index: index, part: part, stamp: stored.stamp, digest: initial.digest(of: part, at: index))
        isUnreadable = read == nil
    }
}

extension User {
    /// The name of the stored part; no view model can be called so.
    static let partName = "$user"
}
