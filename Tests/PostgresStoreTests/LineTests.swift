import StoreParts
import Testing

@Suite("What a thread takes from its line at once")
struct LineTests {
    private func line(_ weights: [Int], most: Int) -> Line<Int> {
        let line = Line<Int>(most: most) { $0 }
        for weight in weights { _ = line.append(weight) }
        return line
    }

    @Test("is as much as it may weigh, in order, and the rest the next time")
    func weight() {
        let line = line([3, 3, 3, 5, 5, 1], most: 10)
        #expect(line.take(upTo: 9, sleeps: false) == [3, 3, 3])
        #expect(line.take(upTo: 9, sleeps: false) == [5, 5])
        #expect(line.take(upTo: 9, sleeps: false) == [1])
        #expect(line.take(upTo: 9, sleeps: false) == [])
    }

    @Test("is one that is heavier than all may be together")
    func heavy() {
        let line = line([100, 1, 1, 100], most: 10)
        #expect(line.take(upTo: 9, sleeps: false) == [100])
        #expect(line.take(upTo: 9, sleeps: false) == [1, 1])
        #expect(line.take(upTo: 9, sleeps: false) == [100])
    }

    @Test("is no more than it is asked for")
    func count() {
        let line = line([1, 1, 1, 1], most: 10)
        #expect(line.take(upTo: 3, sleeps: false) == [1, 1, 1])
        #expect(line.take(upTo: 3, sleeps: false) == [1])
    }
}
