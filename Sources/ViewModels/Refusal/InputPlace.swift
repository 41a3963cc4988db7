/// Where in an action's input a member is, said as by a key path: `\.lines[2].sku`.
///
/// A key path does not tell the name by which its type is encoded. So a step to a property looks for the member of the object that it has
/// come to by which the type reads it: another value of that member alone is read as another, as it stands there. The type's
/// `init(from:)` and `encode(to:)` are asked, and of a list where its elements are; nothing else of the type's own. Where nothing is
/// proven by that, it leads no further, and the pointer is that of the object around, in the end `#`, never that of another member:
///
/// | leads no further than the object around | write instead |
/// | --- | --- |
/// | a property that is wrapped, observed, lazy, in a class, or computed and encoded | the name by which it is encoded: `\.lines[2]["unit_price"]` |
/// | one that is made of others or written in another unit | the member that it is made of: `\.lines[2].cents` |
/// | one of another name that takes none of a few ordinary values, or is missing and taken from another then | its name, in `[]` |
/// | any of an input that is not encoded as it was read, or cannot be, as with a number that is none | a faithful `encode(to:)` |
/// | any that is not found within a second | its name, in `[]` |
///
/// An optional is gone through as if it were none, `\.address.city`, as far as there is something. The action's caller waits
/// for the search: of long lists the first elements are tried first, and the whole input is read a few times for a property under its
/// own name, and up to some forty times for each member of an object where it has another. It starts at the whole input that the action
/// was given, and is used where it is made, on one thread.
@dynamicMemberLookup
public struct InputPlace<Value: Codable> {
    /// The names of members and places in lists that lead to it.
    private let way: [String]
    /// What is there; nil where no step leads any further.
    private let here: Here?

    private struct Here {
        /// Nil where only its name was said, or there is none.
        let value: Value?
        let node: JSONNode
        let shape: JSONShape
        let until: ContinuousClock.Instant
    }

    /// The whole input.
    ///
    /// - Parameter until: how long members may be looked for by reading: what takes longer leads no further. A second from when its
    ///   shape is known.
    init(of input: Value, until: ContinuousClock.Instant? = nil) {
        way = []
        if let node = try? JSONGrammar.read(JSON.encode(input)), let schema = try? JSONSchema(of: Value.self) {
            here = Here(value: input, node: node, shape: JSONShape(schema), until: until ?? .now + .seconds(1))
        } else {
            here = nil
        }
    }

    // No property: it would stand before a member of that name.
    static func way(of place: InputPlace) -> [String] { place.way }

    private init(_ way: [String], _ here: Here? = nil) { (self.way, self.here) = (way, here) }

    /// A stored property of a structure.
    public subscript<Member: Codable>(dynamicMember member: KeyPath<Value, Member>) -> InputPlace<Member> {
        guard let here, let value = here.value, MemoryLayout<Value>.offset(of: member) != nil else { return stop() }
        let stored = value[keyPath: member]
        let reading = MemberReading(
            member, of: value, node: here.node, shape: here.shape, until: here.until)
        if let part = reading?.part { return step(to: part, stored, here) }
        guard reading?.isOfAll == true else { return stop() }
        return InputPlace<Member>(way, .init(value: stored, node: here.node, shape: here.shape, until: here.until))
    }

    /// A stored property of a structure that need not be there.
    public subscript<Wrapped: Codable, Member: Codable>(
        dynamicMember member: KeyPath<Wrapped, Member>
    ) -> InputPlace<Member> where Value == Wrapped? { unwrapped()[dynamicMember: member] }

    /// An element of a list.
    public subscript(position: Int) -> InputPlace<Value.Element>
    where Value: RandomAccessCollection, Value.Index == Int, Value.Element: Codable {
        guard let here, let list = here.value, list.indices.contains(position) else { return stop() }
        let elements = here.shape.elements(of: here.node)
        let place = list.distance(from: list.startIndex, to: position)
        guard elements.count == list.count, elements[place].text == (try? JSON.encode(list[position])) else {
            return stop()
        }
        return step(to: elements[place], list[position], here)
    }

    /// An element of a list that need not be there.
    public subscript<Element: Codable>(position: Int) -> InputPlace<Element> where Value == [Element]? {
        unwrapped()[position]
    }

    /// What a dictionary has for a key, or would have.
    public subscript<Element: Codable>(key: String) -> InputPlace<Element> where Value == [String: Element] {
        guard let here, let part = here.shape.member(key, of: here.node) else { return stop() }
        return step(to: part, here.value?[key], here)
    }

    /// What a dictionary that need not be there has for a key.
    public subscript<Element: Codable>(key: String) -> InputPlace<Element> where Value == [String: Element]? {
        unwrapped()[key]
    }

    /// A member by the name by which it is encoded.
    public subscript(name: String) -> InputPlace<NamedMember> {
        guard let here, let part = here.shape.member(name, of: here.node) else { return stop() }
        return step(to: part, nil, here)
    }

    /// An element of a list that was come to by its name.
    public subscript(position: Int) -> InputPlace<NamedMember> where Value == NamedMember {
        guard let here else { return stop() }
        let elements = here.shape.elements(of: here.node)
        return elements.indices.contains(position) ? step(to: elements[position], nil, here) : stop()
    }

    private func stop<Member>() -> InputPlace<Member> { InputPlace<Member>(way) }

    private func step<Member>(to part: JSONPart, _ value: Member?, _ here: Here) -> InputPlace<Member> {
        InputPlace<Member>(
            way + [part.name],
            part.node.map { .init(value: value, node: $0, shape: part.shape, until: here.until) })
    }

    private func unwrapped<Wrapped>() -> InputPlace<Wrapped> where Value == Wrapped? {
        InputPlace<Wrapped>(
            way, here.map { .init(value: $0.value ?? nil, node: $0.node, shape: $0.shape, until: $0.until) })
    }
}

/// What a member is that was come to by its name: there are no values of it, and so no properties that lead further.
public enum NamedMember: Codable {
    /// There are none.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "has no values"))
    }

    /// There are none.
    public func encode(to encoder: any Encoder) throws {}
}
