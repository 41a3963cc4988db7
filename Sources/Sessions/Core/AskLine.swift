/// Who waits for the turn: a queue whose head moves along instead of the rest.
struct AskLine: Sendable {
    private var waiting: [Ask?] = []
    private var first = 0
    private(set) var count = 0
    /// How many of them are actions.
    private(set) var actions = 0

    var isEmpty: Bool { count == 0 }
    /// How many places are kept, those of whom have gone among them.
    var storage: Int { waiting.count }

    mutating func append(_ ask: Ask) {
        waiting.append(ask)
        count += 1
        actions += ask.isAction ? 1 : 0
    }

    /// Whoever is next, who then is in line no more.
    mutating func next() -> Ask? {
        while first < waiting.count {
            let ask = waiting[first].take()
            first += 1
            if let ask {
                count -= 1
                actions -= ask.isAction ? 1 : 0
                tidy()
                return ask
            }
        }
        tidy()
        return nil
    }

    /// Takes out whom a condition names.
    ///
    /// - Returns: whether there was one.
    mutating func remove(where isMeant: (Ask) -> Bool) -> Bool {
        guard let index = waiting.indices.first(where: { waiting[$0].map(isMeant) ?? false }) else { return false }
        actions -= waiting[index]?.isAction == true ? 1 : 0
        waiting[index] = nil
        count -= 1
        // Whoever stands behind one that takes long may come and go.
        if waiting.count > 2 * count + 16 {
            waiting = waiting[first...].filter { $0 != nil }
            first = 0
        }
        return true
    }

    /// Forgets those who have gone once they are the greater part: a line that never empties must not grow for ever.
    private mutating func tidy() {
        if count == 0 {
            waiting.removeAll(keepingCapacity: waiting.capacity <= 16)
            first = 0
        } else if first >= 16, first * 2 >= waiting.count {
            waiting.removeFirst(first)
            first = 0
        }
    }
}
