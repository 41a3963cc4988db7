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
        let values: [String: JSONNode]
        /// Whether somebody looked into the object; of one that nobody looks into, any member will do.
        private(set) var isOpen = false
        private var asked: [String] = []
        private var isAsked: Set<String> = []

        init(_ members: [(name: String, value: JSONNode)]) {
            names = members.map(\.name)
            values = Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
        }

        /// Somebody looks into the object.
        func open() { isOpen = true }

        func value(of name: String) -> JSONNode? {
            if isAsked.insert(name).inserted { asked.append(name) }
            return values[name]
        }

        /// Whether nobody asked for a member.
        func isUnasked(_ name: String) -> Bool { !isAsked.contains(name) }

        fileprivate var unasked: Unasked? {
            guard isOpen else { return nil }
            for name in names {
                guard isAsked.contains(name) else { return Unasked(path: [name], asked: asked) }
                if let unasked = values[name]?.unasked { return unasked.within(name) }
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
        case .object(let members): members.unasked
        case .array(let elements):
            elements.enumerated().lazy.compactMap { $1.unasked?.within(String($0)) }.first
        case .null, .boolean, .number, .string: nil
        }
    }
}

extension JSONNode.Unasked {
    fileprivate func within(_ name: String) -> JSONNode.Unasked { JSONNode.Unasked(path: [name] + path, asked: asked) }
}
