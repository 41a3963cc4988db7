/// A JSON value as its text has it.
enum JSONNode {
    case null
    case boolean(Bool)
    case number(JSONNumber)
    /// Without its quotes and escapes.
    case string(String)
    case array([JSONNode])
    case object(Members)

    /// The members of an object, which remember what was asked for: the rest was sent in vain.
    final class Members {
        /// In the order of the text.
        let names: [String]
        private let values: [MemberName: JSONNode]
        /// Whether somebody looked into the object; of one that nobody looks into, any member will do.
        private(set) var isOpen = false
        private var asked: [String] = []
        private var isAsked: Set<MemberName> = []

        init(_ members: [(name: String, value: JSONNode)]) {
            names = members.map(\.name)
            values = Dictionary(members.map { (MemberName($0.name), $0.value) }) { first, _ in first }
        }

        /// Somebody looks into the object.
        func open() { isOpen = true }

        /// The value of a member that somebody asks for.
        func value(of name: String) -> JSONNode? {
            if isAsked.insert(MemberName(name)).inserted { asked.append(name) }
            return self[name]
        }

        /// The value of a member, to be looked at.
        subscript(name: String) -> JSONNode? { values[MemberName(name)] }

        /// Whether nobody asked for a member.
        func isUnasked(_ name: String) -> Bool { !isAsked.contains(MemberName(name)) }

        fileprivate var unasked: Unasked? {
            guard isOpen else { return nil }
            for name in names {
                guard isAsked.contains(MemberName(name)) else { return Unasked(path: [name], asked: asked) }
                if let unasked = self[name]?.unasked { return unasked.within(name) }
            }
            return nil
        }
    }

    /// A member that was sent and that nobody asked for, although others of its object were.
    struct Unasked {
        /// Where it is.
        let path: [String]
        /// The members that were asked for.
        let asked: [String]
    }

    /// The first of them, once the value was decoded.
    var unasked: Unasked? {
        switch self {
        case .object(let members): return members.unasked
        case .array(let elements):
            for (place, element) in elements.enumerated() {
                if let unasked = element.unasked { return unasked.within(String(place)) }
            }
            return nil
        case .null, .boolean, .number, .string: return nil
        }
    }
}

extension JSONNode.Unasked {
    fileprivate func within(_ name: String) -> JSONNode.Unasked { JSONNode.Unasked(path: [name] + path, asked: asked) }
}
