/// The members of a stored model that this build does not know: they are stored again with every change, for the build
/// that does.
///
/// They are kept in objects by the members that lead there, which are a dictionary's keys too. An element of a list has no
/// name: what it has beside what is known is kept as long as there is an element in that list whose known part is the same.
struct KeptMembers {
    /// Those of this object.
    private var members: [(name: String, value: JSONNode)] = []
    /// Those of the objects and lists inside it, by member.
    private var nested: [String: KeptMembers] = [:]
    /// Those of the elements of a list, by the text that this build makes of the element.
    private var elements: [[UInt8]: [KeptMembers]] = [:]

    /// Takes what nobody asked for while a model was decoded; nil where everything was.
    ///
    /// - Parameter model: what this build read, which is encoded only where elements of lists are to be known again: what
    ///   stands in for their missing members is part of their text.
    init?(unaskedIn node: JSONNode, readAs model: some Encodable) {
        self.init(unaskedIn: node, encodedAs: nil)
        guard hasElements, let encoded = try? JSONGrammar.read(JSON.encode(object: model)) else { return }
        self.init(unaskedIn: node, encodedAs: encoded)
    }

    private init?(unaskedIn node: JSONNode, encodedAs encoded: JSONNode?) {
        switch node {
        case .object(let object):
            guard object.isOpen else { return nil }
            for (name, value) in object.all {
                if object.isUnasked(name) {
                    members.append((name, value))
                } else {
                    nested[name] = KeptMembers(unaskedIn: value, encodedAs: encoded?.member(name))
                }
            }
        case .array(let array):
            let encoded = encoded?.elements(as: array)
            for (place, element) in array.enumerated() {
                guard let kept = KeptMembers(unaskedIn: element, encodedAs: encoded?[place]) else { continue }
                elements[(encoded?[place] ?? element.known).text, default: []].append(kept)
            }
        case .null, .boolean, .number, .string: break
        }
        if isEmpty { return nil }
    }

    private init() {}

    private var hasElements: Bool { !elements.isEmpty || nested.values.contains { $0.hasElements } }

    private var isEmpty: Bool { members.isEmpty && nested.isEmpty && elements.isEmpty }

    /// Where they are, in no order.
    var places: [ModelReading.Place] {
        members.map { ModelReading.Place(object: [], member: $0.name) }
            + nested.flatMap { name, kept in kept.places.map { $0.within(name) } }
            + elements.values.joined().flatMap { kept in kept.places.map { $0.within(JSONNodeKey.any.stringValue) } }
    }

    /// Adds what was kept to what this build makes of the model.
    ///
    /// - Returns: the whole, and what of it is still kept: what has gone with its object does not come back.
    func added(to node: JSONNode) -> (JSONNode, KeptMembers?) {
        var rest = KeptMembers()
        let whole: JSONNode
        switch node {
        case .object(let object):
            var all = object.all
            for index in all.indices {
                guard let kept = nested[all[index].name] else { continue }
                (all[index].value, rest.nested[all[index].name]) = kept.added(to: all[index].value)
            }
            rest.members = members.filter { object[$0.name] == nil }
            whole = .object(JSONNode.Members(all + rest.members))
        case .array(let array):
            var elements = elements
            whole = .array(
                array.map { element in
                    let text = element.text
                    guard let kept = elements[text]?.first else { return element }
                    elements[text]?.removeFirst()
                    let (whole, keptOn) = kept.added(to: element)
                    if let keptOn { rest.elements[text, default: []].append(keptOn) }
                    return whole
                })
        default: whole = node
        }
        return (whole, rest.isEmpty ? nil : rest)
    }
}

extension JSONNode {
    fileprivate func member(_ name: String) -> JSONNode? {
        if case .object(let object) = self { object[name] } else { nil }
    }

    /// Those of a list that was read of stored elements, place by place; nil where they stand in another order now, as those of a
    /// set, or are others.
    fileprivate func elements(as stored: [JSONNode]) -> [JSONNode]? {
        guard case .array(let array) = self, array.count == stored.count,
            zip(array, stored).allSatisfy({ $0.isMade(of: $1) })
        else { return nil }
        return array
    }

    /// Whether all that was asked for of a stored value is in it as it was.
    private func isMade(of stored: JSONNode) -> Bool {
        switch (self, stored) {
        case (.object(let made), .object(let stored)):
            stored.all.allSatisfy { name, value in
                stored.isOpen && stored.isUnasked(name) || made[name]?.isMade(of: value) == true
            }
        case (.array, .array(let stored)): elements(as: stored) != nil
        default: text == stored.text
        }
    }

    /// Without the members that nobody asked for.
    fileprivate var known: JSONNode {
        switch self {
        case .object(let object) where object.isOpen:
            .object(
                Members(
                    object.all.filter { !object.isUnasked($0.name) }.map { ($0.name, $0.value.known) }))
        case .array(let array): .array(array.map(\.known))
        default: self
        }
    }
}
