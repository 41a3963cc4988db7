/// Where in an action's input a member is, said as by a key path: `\.lines[2].sku`.
///
/// A key path does not tell the name by which its type is encoded. So each step changes the members of the object that it has come
/// to, one by one, until what is stored at the key path is another: `init(from:)` is asked, nothing else of the type's own. Hence a step
/// leads to what is stored in a structure, and no further where a property is computed or wrapped, or stored in a class; one
/// names such a member as it is encoded: `\.lines[2]["sku"]`. An optional is gone through as if it were none, `\.address.city`, as far as
/// there is something. It is used where it is made, on one thread.
@dynamicMemberLookup
public struct InputPlace<Value: Codable> {
    /// The names of members and places in lists that lead to it.
    private let way: [String]
    /// What is there; nil where no step leads any further.
    private let here: Here?

    private struct Here {
        let value: Value
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

    static func way(of place: InputPlace) -> [String] { place.way }

    private init(_ way: [String], _ here: Here? = nil) { (self.way, self.here) = (way, here) }

    /// A stored property of a structure.
    public subscript<Member: Codable>(dynamicMember member: KeyPath<Value, Member>) -> InputPlace<Member> {
        guard let here, MemoryLayout<Value>.offset(of: member) != nil else { return stop() }
        let value = here.value[keyPath: member]
        if let part = part(of: member, in: here) { return step(to: part, value) }
        // Its own members may be among those of the object.
        let flattened = try? JSON.encode(JSONNodeDecoder(node: here.node).decode(Member.self))
        guard flattened != nil, flattened == (try? JSON.encode(value)) else { return stop() }
        return InputPlace<Member>(way, .init(value: value, node: here.node, shape: here.shape))
    }

    /// A stored property of a structure that need not be there.
    public subscript<Wrapped: Codable, Member: Codable>(
        dynamicMember member: KeyPath<Wrapped, Member>
    ) -> InputPlace<Member> where Value == Wrapped? { unwrapped()[dynamicMember: member] }

    /// An element of a list.
    public subscript(position: Int) -> InputPlace<Value.Element>
    where Value: RandomAccessCollection, Value.Index == Int, Value.Element: Codable {
        guard let here, here.value.indices.contains(position) else { return stop() }
        let value = here.value[position]
        let place = here.value.distance(from: here.value.startIndex, to: position)
        let parts = here.shape.parts(of: here.node)
        guard case .array = here.node, parts.count == here.value.count, parts[place].text == (try? JSON.encode(value))
        else { return stop() }
        return step(to: parts[place], value)
    }

    /// An element of a list that need not be there.
    public subscript<Element: Codable>(position: Int) -> InputPlace<Element> where Value == [Element]? {
        unwrapped()[position]
    }

    /// What a dictionary has for a key, or would have.
    public subscript<Element: Codable>(key: String) -> InputPlace<Element> where Value == [String: Element] {
        guard let here, case .object(let members) = here.node else { return stop() }
        guard let value = here.value[key], let node = members[key], case .dictionary(let schema, _) = here.shape.schema
        else {
            return InputPlace<Element>(way + [key])
        }
        return step(to: JSONPart(key, here.shape.within(schema), node), value)
    }

    /// A member by the name by which it is encoded.
    public subscript(name: String) -> InputPlace<Never> {
        let isDeclared = here.map { here in here.shape.parts(of: here.node).contains { $0.name == name } } ?? false
        return isDeclared ? InputPlace<Never>(way + [name]) : stop()
    }

    private func stop<Member>() -> InputPlace<Member> { InputPlace<Member>(way) }

    private func step<Member>(to part: JSONPart, _ value: Member) -> InputPlace<Member> {
        InputPlace<Member>(way + [part.name], part.node.map { .init(value: value, node: $0, shape: part.shape) })
    }

    private func unwrapped<Wrapped>() -> InputPlace<Wrapped> where Value == Wrapped? {
        InputPlace<Wrapped>(
            way, here.flatMap { here in here.value.map { .init(value: $0, node: here.node, shape: here.shape) } })
    }

    /// The member by which something stored is read; nil where that is none, or several are.
    private func part<Member: Codable>(of member: KeyPath<Value, Member>, in here: Here) -> JSONPart? {
        func read(_ node: JSONNode) -> [UInt8]? {
            (try? JSONNodeDecoder(node: node).decode(Value.self)).flatMap { try? JSON.encode($0[keyPath: member]) }
        }
        // What is not read as it is written may be read by anything.
        guard let stored = try? JSON.encode(here.value[keyPath: member]), read(here.node) == stored else { return nil }
        /// Whether another value of the part is read as another; nil where it takes none.
        func leads(_ part: JSONPart) -> Bool? {
            let read = part.others.lazy.compactMap { read(here.node.with(part.name, $0)) }
            return read.isEmpty ? nil : read.contains { $0 != stored }
        }
        let parts = here.shape.parts(of: here.node)
        let alike = parts.filter { $0.text == stored }.map { (part: $0, leads: leads($0)) }
        let leading = alike.filter { $0.leads == true }
        if !leading.isEmpty { return leading.count == 1 ? leading[0].part : nil }
        let checked = alike.filter { $0.leads == nil }
        if checked.count == 1 { return checked[0].part }
        let others = parts.filter { $0.text != stored && leads($0) == true }
        return others.count == 1 ? others[0] : nil
    }
}
