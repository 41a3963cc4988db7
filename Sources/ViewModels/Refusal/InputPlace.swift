/// Where in an action's input a member is, said as by a key path: `\.lines[2].sku`.
///
/// A step to a stored property leads to the member that the coding key of the same name says, `case price = "unit_price"`, as Swift's own
/// `Codable` does. The type's `init(from:)` is run on what `encode(to:)` writes, until it asks for its `CodingKeys`; one that asks for none,
/// or goes on all the same, is run to its end. No computed property is asked, but for those by which a collection says its places. A
/// property that no coding key is called after leads no further, and the pointer is that of the object around, in the end `#`:
///
/// | leads no further than the object around | write instead |
/// | --- | --- |
/// | a property that is computed, wrapped, observed, lazy, or in a class | the name by which it is encoded: `\.lines[2]["unit_price"]` |
/// | one that is coded by a key of another name, or is made of others | the same |
/// | one of a structure that is not read by `CodingKeys` of its own, which Swift makes where none are written; or where they are no enumeration, or a case of them carries something; or whose `jsonSchema` has no members | the same |
/// | a structure that has its members among those of the object | the same |
/// | one of a structure that has a `customMirror`; one that takes no room, or stands right behind such a one, where another property has its type | the same |
/// | an element of a range, of a list that is written in another order than it was read in, or of a dictionary by other names | |
/// | anything in an input that cannot be written, as with a number that is none | |
///
/// Of two members of one name, as where a container in the object is read by the same coding keys, the outer one is taken. An optional is
/// gone through as if it were none, `\.address.city`, as far as there is something. It starts at the whole input that the action was given,
/// and is used where it is made, on one thread.
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
    }

    /// The whole input.
    init(of input: Value) {
        way = []
        if let node = try? JSONGrammar.read(JSON.encode(input)), let schema = try? JSONSchema(of: Value.self) {
            here = Here(value: input, node: node, shape: JSONShape(schema))
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
        let property = CodedProperty(member, of: value, in: here.node, here.shape, at: way)
        let stored = value[keyPath: member]
        if let part = property.part { return step(to: part, stored) }
        guard property.isWhole else { return stop() }
        return InputPlace<Member>(way, .init(value: stored, node: here.node, shape: here.shape))
    }

    /// A stored property of a structure that need not be there.
    public subscript<Wrapped: Codable, Member: Codable>(
        dynamicMember member: KeyPath<Wrapped, Member>
    ) -> InputPlace<Member> where Value == Wrapped? { unwrapped()[dynamicMember: member] }

    /// An element of a list.
    public subscript(position: Int) -> InputPlace<Value.Element>
    where Value: RandomAccessCollection, Value.Index == Int, Value.Element: Codable {
        // A range is written as its bounds, and may have more elements than there are numbers.
        guard let here, let list = here.value, !(list is Range<Int>), list.indices.contains(position) else {
            return stop()
        }
        let elements = here.shape.elements(of: here.node)
        let place = list.distance(from: list.startIndex, to: position)
        guard elements.count == list.count, elements[place].node?.text == (try? JSON.encode(list[position])) else {
            return stop()
        }
        return step(to: elements[place], list[position])
    }

    /// An element of a list that need not be there.
    public subscript<Element: Codable>(position: Int) -> InputPlace<Element> where Value == [Element]? {
        unwrapped()[position]
    }

    /// What a dictionary has for a key, or would have.
    public subscript<Element: Codable>(key: String) -> InputPlace<Element> where Value == [String: Element] {
        let element = here?.value?[key]
        guard let here, let part = here.shape.member(key, of: here.node),
            part.node?.text == element.flatMap({ try? JSON.encode($0) })
        else { return stop() }
        return step(to: part, element)
    }

    /// What a dictionary that need not be there has for a key.
    public subscript<Element: Codable>(key: String) -> InputPlace<Element> where Value == [String: Element]? {
        unwrapped()[key]
    }

    /// A member by the name by which it is encoded.
    public subscript(name: String) -> InputPlace<NamedMember> {
        guard let here, let part = here.shape.member(name, of: here.node) else { return stop() }
        return step(to: part, nil)
    }

    /// An element of a list that was come to by its name.
    public subscript(position: Int) -> InputPlace<NamedMember> where Value == NamedMember {
        guard let here else { return stop() }
        let elements = here.shape.elements(of: here.node)
        return elements.indices.contains(position) ? step(to: elements[position], nil) : stop()
    }

    private func stop<Member>() -> InputPlace<Member> { InputPlace<Member>(way) }

    private func step<Member>(to part: JSONPart, _ value: Member?) -> InputPlace<Member> {
        InputPlace<Member>(way + [part.name], part.node.map { .init(value: value, node: $0, shape: part.shape) })
    }

    private func unwrapped<Wrapped>() -> InputPlace<Wrapped> where Value == Wrapped? {
        InputPlace<Wrapped>(
            way, here.map { .init(value: $0.value ?? nil, node: $0.node, shape: $0.shape) })
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
