/// Names that a generator of code can tell apart: it may keep only their letters and digits, in another case.
struct UniqueNames {
    private var known: Set<String> = []

    /// Takes the names that are in use.
    init(beside names: some Sequence<String>) { for name in names { _ = self.name(name) } }

    /// The name, with a number behind it where an earlier name is like it.
    mutating func name(_ name: String) -> String {
        var (own, count) = (name, 1)
        while !known.insert(own.lowercased().filter { $0.isLetter || $0.isNumber }).inserted {
            count += 1
            own = "\(name)\(count)"
        }
        return own
    }
}
