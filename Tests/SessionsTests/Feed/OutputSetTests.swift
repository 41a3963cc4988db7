import Sessions
import Testing

@Suite("OutputSet")
struct OutputSetTests {
    @Test(
        "holds what was put in and nothing else", arguments: [[], [0], [63], [64], [0, 63, 64, 127, 128], [200, 3]])
    func contains(members: [Int]) {
        let set = OutputSet(members)
        for output in 0..<300 { #expect(set.contains(output) == members.contains(output)) }
    }

    @Test("does not depend on the order")
    func order() {
        #expect(OutputSet([1, 70, 200]) == OutputSet([200, 1, 70, 70]))
        #expect(Set([OutputSet([1, 70]), OutputSet([70, 1])]).count == 1)
    }
}

extension OutputSet {
    init(_ members: [Int]) {
        self.init()
        for member in members { insert(member) }
    }
}
