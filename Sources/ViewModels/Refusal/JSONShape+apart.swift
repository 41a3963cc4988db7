extension JSONShape {
    /// Plain values of an object that have another one for each member that there is in it: what a missing member is with one of these,
    /// it is whatever there is beside.
    ///
    /// - Parameter isTaken: whether the object's type reads a value.
    func plain(apartFrom node: JSONNode, where isTaken: (JSONNode) -> Bool) -> [JSONNode] {
        let given = members(of: node).filter { $0.node != nil }
        let apart = plain.filter { plain in given.allSatisfy { member($0.name, of: plain)?.text != $0.text } }
        return apart + [changed(node, in: given, where: isTaken)].compactMap(\.self)
    }

    /// With another plain value for each of some members; nil where one takes none.
    private func changed(_ node: JSONNode, in given: [JSONPart], where isTaken: (JSONNode) -> Bool) -> JSONNode? {
        var changed = node
        for part in given {
            let others = part.shape.plain.lazy.filter { $0.text != part.text }.map { changed.with(part.name, $0) }
            guard let other = others.first(where: isTaken) else { return nil }
            changed = other
        }
        return changed
    }
}
