import Testing

@testable import Entities

/// Protects the life of an entity that an action makes, and another one ends.
@Suite("A named entity")
struct CoreNamedTests {
    private let order = EntityID(kind: "orders", text: "orders/7f3c")

    @Test("is missing until the action that makes it is stored", arguments: [false, true])
    func made(isShared: Bool) {
        let bench = CoreBench(isShared: isShared, id: order)
        func look(_ result: ReadResult<Stamp>) { if isShared { bench.answerLook(result) } }
        bench.view()
        look(.missing)
        bench.act(.inline(.increment))
        look(.missing)
        #expect(bench.answers.all == ["view: missing", "act: missing"])
        bench.act(.making, as: "make")
        #expect(bench.commits.map { $0.commit.base } == [nil])
        bench.answerCommit(.stored)
        bench.view()
        look(.found(bench.core.committed.head))
        #expect(bench.answers.all.suffix(2) == ["make: done \"en 1\"", "view: done \"en 1\""])
    }

    @Test("is made once, also if another process makes it at the same time")
    func madeOnce() {
        let bench = CoreBench(id: order)
        bench.act(.making, as: "1")
        bench.act(.making, as: "2")
        bench.answerCommit(.conflict)
        bench.answerLoad(bench.foreign(bench.core.committed))
        #expect(bench.answers.all == ["1: exists at \"en 1\"", "2: exists at \"en 1\""])
        #expect(bench.commits.isEmpty)
    }

    @Test("stays missing if the action that makes it is refused")
    func refused() {
        let bench = CoreBench(id: order)
        let making = Call(part: "counter", isMaking: true, body: Counters.Action.refuse)
        bench.act(making, as: "make")
        bench.act(making, key: .named("k"), as: "keyed")
        bench.answerLookUp()
        bench.view()
        #expect(bench.answers.all == ["make: refused at \"en 0\"", "keyed: refused at \"en 0\"", "view: missing"])
        #expect(bench.commits.isEmpty)
    }

    @Test("ends with an action, which deletes the state that it saw")
    func ends() {
        let bench = CoreBench(id: order)
        bench.act(.making, as: "make")
        bench.act(.inline(.end), as: "end")
        bench.act(.inline(.increment), as: "late")
        #expect(bench.ends == [bench.commits[0].commit.state.head])
        bench.answerCommit(.stored)
        bench.answerCommit(.stored)
        #expect(bench.answers.all == ["make: done \"en 1\"", "late: missing", "end: done \"en 2\""])
        #expect(bench.core.isEnded && bench.published.last?.isEnd == true)
    }

    @Test("does not end by an action that saw an old state: the action runs again")
    func conflict() {
        let bench = CoreBench(id: order)
        bench.act(.making, as: "make")
        bench.answerCommit(.stored)
        bench.act(.inline(.end), as: "end")
        let foreign = bench.foreign(bench.core.committed)
        bench.answerCommit(.conflict)
        bench.answerLoad(foreign)
        #expect(bench.ends.last == foreign.head)
        bench.answerCommit(.stored)
        #expect(bench.answers.all == ["make: done \"en 1\"", "end: done \"en 3\""])
    }

    @Test("that another process has ended is missing")
    func endedElsewhere() {
        let bench = CoreBench(isShared: true, id: order)
        bench.act(.making, as: "make")
        bench.answerCommit(.stored)
        bench.view()
        bench.answerLook(.missing)
        #expect(bench.answers.all == ["make: done \"en 1\"", "view: missing"])
        #expect(bench.core.isEnded)
    }
}
