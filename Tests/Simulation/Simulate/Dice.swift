/// A seeded generator: SplitMix64 (Steele, Lea, Flood 2014).
struct Dice {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0xD134_2543_DE82_EF95 &+ 1 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// A number from 0 to `bound - 1`.
    mutating func below(_ bound: Int) -> Int { bound <= 1 ? 0 : Int(next() >> 33) % bound }

    /// Whether something happens that does so many times in a thousand.
    mutating func happens(_ perMille: Int) -> Bool { perMille > 0 && below(1000) < perMille }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    /// The place of one of several, by their weights.
    mutating func weighted(_ weights: [Int]) -> Int {
        var left = below(max(1, weights.reduce(0, +)))
        for (place, weight) in weights.enumerated() {
            if left < weight { return place }
            left -= weight
        }
        return 0
    }
}
