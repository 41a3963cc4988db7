/// A set of outputs, counted through all view models of a catalogue.
public struct OutputSet: Hashable, Sendable {
    private var words: [UInt64]

    /// The empty set.
    public init() { words = [] }

    /// Adds an output by its place.
    public mutating func insert(_ output: Int) {
        while words.count <= output / 64 { words.append(0) }
        words[output / 64] |= 1 << UInt64(output % 64)
    }

    /// Whether an output is in the set.
    public func contains(_ output: Int) -> Bool {
        output / 64 < words.count && words[output / 64] & (1 << UInt64(output % 64)) != 0
    }

    /// Whether the two sets have an output in common.
    public func intersects(_ other: OutputSet) -> Bool { zip(words, other.words).contains { $0 & $1 != 0 } }
}
