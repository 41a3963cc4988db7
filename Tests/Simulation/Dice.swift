/// A seeded random source (SplitMix64; Steele, Lea, Flood 2014).
struct Dice {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to `count`, without it.
    mutating func roll(_ count: Int) -> Int { Int(next() % UInt64(count)) }

    /// Happens once in so many times.
    mutating func oneIn(_ count: Int) -> Bool { roll(count) == 0 }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[roll(elements.count)] }
}
