/// The commits that changed the rows of a list by key, so that the feed need not send the whole list.
package struct RowHistory: Sendable {
    /// The last commits that changed and placed each row, in the order of the list.
    private(set) var rows: [(changed: UInt64, placed: UInt64)]
    /// The removed keys, oldest first.
    private(set) var removed: [(key: [UInt8], seq: UInt64)] = []
    /// A client that does not know this commit needs the whole list.
    private(set) var start: UInt64

    /// How many removed keys are remembered.
    static let removedLimit = 256

    /// Begins with a list without older history.
    init(_ rows: [Part.Row], seq: UInt64) {
        self.rows = Array(repeating: (seq, seq), count: rows.count)
        start = seq
    }

    /// The history after a commit, of the rows and the JSON of their output before and after it.
    func after(
        _ old: (rows: [Part.Row], text: [UInt8]), _ new: (rows: [Part.Row], text: [UInt8]), seq: UInt64
    ) -> RowHistory {
        var history = self
        let places = Dictionary(old.rows.enumerated().map { ($1.key, $0) }) { first, _ in first }
        let before = new.rows.map { places[$0.key] }
        let kept = Self.increasing(before.map { $0 ?? -1 })
        history.rows = zip(new.rows, before).enumerated().map { place, row in
            let (row, before) = row
            guard let before else { return (seq, seq) }
            let isSame = old.text[old.rows[before].range] == new.text[row.range]
            return (isSame ? rows[before].changed : seq, kept[place] ? rows[before].placed : seq)
        }
        let keys = Set(new.rows.map { $0.key })
        history.removed.removeAll { keys.contains($0.key) }
        for row in old.rows where !keys.contains(row.key) { history.removed.append((row.key, seq)) }
        let surplus = history.removed.count - Self.removedLimit
        if surplus > 0 {
            history.start = max(history.start, history.removed[surplus - 1].seq)
            history.removed.removeFirst(surplus)
        }
        return history
    }

    /// Marks the elements of one longest increasing subsequence: these rows stay, and the others move.
    ///
    /// Fredman, 1975. Ignores negative elements.
    private static func increasing(_ places: [Int]) -> [Bool] {
        // For each length, the index of the smallest last element of a subsequence.
        var tails: [Int] = []
        var previous = Array(repeating: -1, count: places.count)
        for (index, place) in places.enumerated() where place >= 0 {
            var (low, high) = (0, tails.count)
            while low < high {
                let middle = (low + high) / 2
                if places[tails[middle]] < place { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = tails[low - 1] }
            if low == tails.count { tails.append(index) } else { tails[low] = index }
        }
        var isKept = Array(repeating: false, count: places.count)
        var index = tails.last ?? -1
        while index >= 0 {
            isKept[index] = true
            index = previous[index]
        }
        return isKept
    }
}
