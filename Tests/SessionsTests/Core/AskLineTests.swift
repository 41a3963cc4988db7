import Testing

@testable import Sessions

@Suite("The line before a session's turn")
struct AskLineTests {
    private func ask(_ number: UInt64) -> Ask { Ask(.reload(Asker()), arrival: number) }

    @Test("lets asks through in the order in which they came")
    func order() {
        var line = AskLine()
        for number in 1...100 { line.append(ask(UInt64(number))) }
        var seen: [UInt64] = []
        while let next = line.next() { seen.append(next.arrival) }
        #expect(seen == Array(1...100))
        #expect(line.isEmpty)
    }

    @Test("lets nobody through who was taken out")
    func removal() {
        var line = AskLine()
        for number in 1...3 { line.append(ask(UInt64(number))) }
        let removals = (1...2).map { _ in line.remove { $0.arrival == 2 } }
        #expect(removals == [true, false])
        #expect(line.count == 2)
        let next = (1...3).map { _ in line.next()?.arrival }
        #expect(next == [1, 3, nil])
    }

    @Test("lets one through before the others that goes before them, wherever the line begins")
    func ahead() {
        var line = AskLine()
        func add(_ number: UInt64) {
            var ask = ask(number)
            ask.isAhead = true
            line.add(ask)
        }
        line.append(ask(1))
        add(2)
        line.append(ask(3))
        var seen = [line.next()?.arrival]
        add(4)
        #expect(line.count == 3)
        seen += (1...4).map { _ in line.next()?.arrival }
        #expect(seen == [2, 4, 1, 3, nil])
        add(5)
        #expect(line.next()?.arrival == 5)
        #expect(line.isEmpty)
    }

    @Test("keeps few places for those who have gone, also where it never empties")
    func storage() {
        var line = AskLine()
        for number in 1...40 { line.append(ask(UInt64(number))) }
        for number in 41...5000 {
            line.append(ask(UInt64(number)))
            _ = line.next()
        }
        #expect(line.count == 40)
        #expect(line.storage <= 128)
    }

    @Test("keeps few places also where those behind one that takes long come and go")
    func removals() {
        var line = AskLine()
        for number in 1...5000 {
            line.append(ask(UInt64(number)))
            if number > 1 { _ = line.remove { $0.arrival == UInt64(number) } }
        }
        #expect(line.count == 1)
        #expect(line.storage <= 32)
        #expect(line.actions == 0)
        let next = line.next()?.arrival
        #expect(next == 1)
    }
}
