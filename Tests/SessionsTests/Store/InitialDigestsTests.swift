import Testing

@testable import Sessions

@Suite("What is kept of untouched view models")
struct InitialDigestsTests {
    @Test("remembers a bounded number of those that builds lack, the latest first")
    func bounded() {
        let digests = (1...100).reduce(InitialDigests()) { known, name in
            InitialDigests(digests: [7, 0, UInt32(name), 1, 1]).remembering(known)
        }
        #expect(digests.shapes.map(\.name) == [100] + (68...99).reversed())
        #expect(digests.shapes.filter { !$0.isGone }.map(\.name) == [100])
        #expect(digests.digests.count == 2 + 3 + 1 + 3 * InitialDigests.kept)
    }
}
