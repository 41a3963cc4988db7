/// What a build's view models show before anybody has touched them, as a mark for each.
///
/// Nothing else is stored of a view model that was never touched: by its mark another build sees that it shows something
/// else there, or has a view model more, and tells whoever follows the session.
public struct Beginnings: Hashable, Sendable {
    /// A mark for each view model, in the order of the catalogue; empty where it is not known.
    public let marks: [UInt32]

    /// Takes marks from a store.
    public init(marks: [UInt32] = []) { self.marks = marks }

    /// Whether a view model that was never touched shows what it did; also where nothing is known.
    func has(_ mark: UInt32) -> Bool { marks.isEmpty || marks.contains(mark) }
}
