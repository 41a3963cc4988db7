/// Finds the name or path that a caller probably meant.
package enum Nearest {
    /// The name that takes the fewest edits to reach, the first of several; nil where that is more than a third of it.
    ///
    /// Letters in another case cost nothing. A long name is not looked at: it costs its length for every known one.
    package static func name(to misspelt: String, among known: [String]) -> String? {
        guard misspelt.utf8.count <= 48 else { return nil }
        let wanted = Array(misspelt.lowercased().utf8)
        let distances = known.map { (name: $0, distance: distance(wanted, Array($0.lowercased().utf8))) }
        guard let best = distances.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, best.name.utf8.count / 3) ? best.name : nil
    }

    /// The path that was probably meant, for a request whose path does not exist; without its query.
    ///
    /// Looks first for a path that differs only in case, in slashes at the end or in doubled ones, then for a misspelt one.
    ///
    /// - Parameter templates: what there is; those with parameters are left out.
    package static func path(to unknown: String, among templates: [String]) -> String? {
        let known = templates.filter { !$0.contains("{") }
        let segments = unknown.split(separator: "/")
        let plain = "/" + segments.joined(separator: "/")
        return known.first { $0.lowercased() == plain.lowercased() } ?? name(to: plain, among: known)
    }

    /// The fewest insertions, removals, replacements and swaps of neighbours that make one of the other (optimal string
    /// alignment).
    static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for (row, byte) in left.enumerated() {
            var next = [row + 1]
            for (column, other) in right.enumerated() {
                var cost = min(last[column + 1] + 1, next[column] + 1, last[column] + (byte == other ? 0 : 1))
                if row > 0, column > 0, byte == right[column - 1], left[row - 1] == other {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                next.append(cost)
            }
            (beforeLast, last) = (last, next)
        }
        return last[right.count]
    }
}
