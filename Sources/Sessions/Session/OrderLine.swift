/// Orders that are to be carried out: a queue whose head moves along instead of the rest.
struct OrderLine: Sendable {
    private var orders: [Order?] = []
    private var first = 0

    var isEmpty: Bool { first == orders.count }
    /// How many places are kept, those of what was carried out among them.
    var storage: Int { orders.count }

    /// Whether the next one works on the live view models; nil where there is none.
    var isNextOnStage: Bool? { isEmpty ? nil : orders[first]?.isOnStage }

    /// Takes over what a core has left.
    mutating func take(from left: inout [Order]) {
        guard !left.isEmpty else { return }
        // Those who have gone are forgotten here: a line that never empties must not grow for ever.
        if first >= 16, first * 2 >= orders.count {
            orders.removeFirst(first)
            first = 0
        }
        for order in left { orders.append(order) }
        left.removeAll(keepingCapacity: true)
    }

    /// The next one, of which nothing is kept: what it holds is changed in place.
    mutating func next() -> Order? {
        defer { first += 1 }
        return orders[first].take()
    }
}
