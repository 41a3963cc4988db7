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
        /// Up to so many are found by looking through them, which is faster than a dictionary.
        static let few = 8

        /// In the order of the text.
        let all: [(name: String, value: JSONNode)]
        /// Where each is, unless they are few.
        private let places: [MemberName: Int]
        /// Whether somebody looked into the object; of one that nobody looks into, any member will do.
        private(set) var isOpen = false
        private var asked: [String] = []
        private var isAsked: [Bool]

        init(_ members: [(name: String, value: JSONNode)]) {
            all = members
            isAsked = Array(repeating: false, count: members.count)
            places =
                members.count <= Self.few
                ? [:] : Dictionary(zip(members.lazy.map { MemberName($0.name) }, members.indices)) { first, _ in first }
        }

        /// In the order of the text.
        var names: [String] { all.map(\.name) }

        /// Looks at a member without asking for it.
        subscript(name: String) -> JSONNode? { place(of: name).map { all[$0].value } }

        /// Somebody looks into the object.
        func open() { isOpen = true }

        /// Asks for a member.
        func value(of name: String) -> JSONNode? {
            guard let place = place(of: name) else {
                if !asked.contains(name) { asked.append(name) }
                return nil
            }
            if !isAsked[place] { asked.append(name) }
            isAsked[place] = true
            return all[place].value
        }

        /// Whether nobody asked for a member.
        func isUnasked(_ name: String) -> Bool { place(of: name).map { !isAsked[$0] } ?? true }

        private func place(of name: String) -> Int? {
            let name = MemberName(name)
            return all.count <= Self.few ? all.firstIndex { MemberName($0.name) == name } : places[name]
        }

        fileprivate var unasked: Unasked? {
            guard isOpen else { return nil }
            for (place, member) in all.enumerated() {
                guard isAsked[place] else { return Unasked(asked: asked).within(member.name) }
                if let unasked = member.value.unasked { return unasked.within(member.name) }
            }
            return nil
        }
    }

    /// A member that was sent and that nobody asked for, although others of its object were.
    struct Unasked {
        /// The members that were asked for.
        let asked: [String]
        /// From it outwards: at its end a name is added without copying the others.
        private var trail: [String] = []

        fileprivate init(asked: [String]) { self.asked = asked }

        /// Where it is.
        var path: [String] { trail.reversed() }

        fileprivate consuming func within(_ name: String) -> Unasked {
            trail.append(name)
            return self
        }
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
