import Foundation

extension JSONShape {
    /// Values that differ from one by little, so that what a type checks may hold still; made as they are asked for.
    func near(_ node: JSONNode) -> AnySequence<JSONNode> {
        func number(_ text: some CustomStringConvertible) -> JSONNode {
            .number(JSONNumber(text: Array("\(text)".utf8)[...]))
        }
        // One more of a large number may be the same.
        func others(_ near: [JSONNode]) -> AnySequence<JSONNode> { AnySequence(near.filter { $0.text != node.text }) }
        switch (schema, node) {
        case (.string, .string(let text)), (.formatted, .string(let text)):
            return others(text.near.map(JSONNode.string))
        case (.integer(let range), .number(let text)):
            let near = text.whole(as: Int128.self).map { $0 > 1 ? [$0 - 1, $0 &+ 1] : [$0 + 1, $0 &- 1] } ?? []
            return others(near.filter(range.contains).map(number))
        case (.number, .number(let text)), (.date, .number(let text)):
            return others(text.real(as: Double.self).map { [number($0 + 1), number($0 / 2)] } ?? [])
        case (.array, .array(let elements)):
            let changed = near(node, self.elements(of: node).prefix(1))
            return elements.isEmpty
                ? changed : AnySequence([AnySequence([.array(elements.dropLast())]), changed].joined())
        case (.dictionary, .object(let members)):
            return near(node, members.all.prefix(1).compactMap { member($0.name, of: node) }[...])
        default: return near(node, members(of: node)[...])
        }
    }

    private func near(_ node: JSONNode, _ parts: ArraySlice<JSONPart>) -> AnySequence<JSONNode> {
        AnySequence(parts.lazy.compactMap { part in part.others.first { _ in true }.map { node.with(part.name, $0) } })
    }
}

extension String {
    /// With another letter at the end, another digit where the last one is, as in a date, and one letter more.
    fileprivate var near: [String] {
        let places = Set([indices.last, lastIndex(where: \.isNumber)].compactMap(\.self)).sorted()
        let changed = places.flatMap { place in
            let others = self[place].isNumber ? ["0", "1"] : self[place].isUppercase ? ["A", "B"] : ["a", "b"]
            return others.map { replacingCharacters(in: place...place, with: $0) }
        }
        return changed + [self + "a"]
    }
}
