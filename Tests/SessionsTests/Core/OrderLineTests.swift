import Testing

@testable import Sessions

@Suite("The orders of a session that nobody has carried out")
struct OrderLineTests {
    /// An order that can be told from others.
    private func order(_ number: UInt64) -> Order {
        .load(unless: CommitVersion(number: number, nonce: 0))
    }

    private func number(_ order: Order?) -> UInt64? {
        if case .load(let version) = order { version?.number } else { nil }
    }

    @Test("come out in the order in which they were given, and take few places though the line never empties")
    func order() {
        var line = OrderLine()
        var seen: [UInt64] = []
        for number in 1...5000 {
            var left = [order(UInt64(2 * number - 1)), order(UInt64(2 * number))]
            line.take(from: &left)
            #expect(left.isEmpty)
            // One stays behind at the beginning.
            for _ in 0..<(number == 1 ? 1 : 2) { seen.append(self.number(line.next()) ?? 0) }
        }
        #expect(seen == Array(1...9999))
        #expect(!line.isEmpty)
        #expect(line.storage <= 64)
    }
}
