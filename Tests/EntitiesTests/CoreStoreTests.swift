import Testing

@testable import Entities

/// Protects actions when two processes write at once.
@Suite("When a commit conflicts")
struct CoreConflictTests {
    @Test("the core reloads and repeats the actions in their order")
    func repeats() {
        let bench = CoreBench()
        for name in ["1", "2"] { bench.act(.inline(.increment), as: name) }
        bench.act(.inline(.refuse), as: "3")
        let foreign = bench.foreign(bench.core.committed)
        bench.answerCommit(.conflict)
        #expect(bench.answers.all == [])
        bench.answerLoad(foreign)
        bench.answerCommit(.stored)  // of a commit that was dropped
        #expect(bench.answers.all == [])
        bench.answerCommit(.stored)
        bench.answerCommit(.stored)
        #expect(bench.answers.all == ["1: done \"en 2\"", "2: done \"en 3\"", "3: refused at \"en 3\""])
    }

    @Test("an action is 503 after sixteen repeats")
    func atMost() {
        let bench = CoreBench()
        bench.act(.inline(.increment))
        for _ in 0..<17 {
            bench.answerCommit(.conflict)
            bench.answerLoad(bench.foreign(bench.core.committed))
        }
        #expect(bench.answers.all == ["act: conflict"])
        #expect(bench.commits.isEmpty)
    }

    @Test("the observers are told of the reloaded state")
    func published() {
        let bench = CoreBench()
        bench.act(.inline(.increment))
        bench.answerCommit(.conflict)
        let foreign = bench.foreign(bench.core.committed)
        bench.answerLoad(foreign)
        #expect(bench.published.map { $0.state.cursor } == [foreign.cursor])
    }

    @Test("a store that does not load is 503, and the next ask tries again")
    func loadFails() {
        let bench = CoreBench()
        bench.act(.inline(.increment), as: "1")
        bench.answerCommit(.conflict)
        bench.answerLoad(.failed)
        #expect(bench.answers.all == ["1: storeAway"])
        bench.view()
        bench.answerLoad(bench.foreign(bench.core.committed))
        #expect(bench.answers.all.last == "view: done \"en 1\"")
    }

    @Test("a store that refuses is 503")
    func refused() {
        let bench = CoreBench()
        bench.act(.inline(.increment))
        bench.answerCommit(.refused)
        #expect(bench.answers.all == ["act: storeAway"])
    }
}

/// Protects that an action whose commit is unknown is not done twice.
@Suite("When nobody knows whether a commit is stored")
struct CoreUnknownTests {
    @Test("its action is 503 at once and is not repeated, and the state is loaded")
    func unknown() {
        let bench = CoreBench()
        bench.act(.inline(.increment), as: "1")
        bench.act(.inline(.refuse), as: "2")
        bench.answerCommit(.unknown)
        #expect(bench.answers.all == ["1: outcomeUnknown"])
        bench.answerLoad(.missing)
        // The refusal wrote nothing, so it runs again.
        #expect(bench.answers.all == ["1: outcomeUnknown", "2: refused at \"en 0\""])
    }
}

/// Protects that an action with a key is done once, in the commit of its change.
@Suite("An idempotency key")
struct CoreKeyTests {
    @Test("is stored in the commit of its change")
    func sameCommit() {
        let bench = CoreBench()
        bench.act(.inline(.increment), key: .named("k"))
        bench.answerLookUp()
        #expect(bench.commits.count == 1)
        #expect(bench.commits[0].commit.key?.remembered.body == Array("\"en 1\"".utf8))
    }

    @Test("of a refused action is a commit without changes")
    func refused() {
        let bench = CoreBench()
        bench.act(.inline(.refuse), key: .named("k"))
        bench.answerLookUp()
        #expect(bench.commits[0].commit.key?.remembered.status == 409)
        #expect(bench.commits[0].commit.row.parts == [])
        bench.answerCommit(.stored)
        #expect(bench.answers.all == ["act: refused at \"en 0\""])
    }

    @Test("that the store has is replayed, and nothing runs")
    func replayed() throws {
        let bench = CoreBench()
        bench.act(.inline(.increment), key: .named("k"), as: "1")
        bench.answerLookUp()
        let key = try #require(bench.commits[0].commit.key)
        bench.answerCommit(.stored)
        bench.act(.inline(.increment), key: .named("k"), as: "2")
        bench.answerLookUp(.found(key))
        bench.act(.inline(.increment), key: .named("k", request: "another"), as: "3")
        bench.answerLookUp(.found(key))
        #expect(bench.answers.all == ["1: done \"en 1\"", "2: replayed 200 \"en 1\"", "3: mismatch"])
        #expect(bench.core.committed.text() == "\"en 1\"")
    }

    @Test("of a pending commit answers both")
    func pending() {
        let bench = CoreBench()
        bench.act(.inline(.increment), key: .named("k"), as: "1")
        bench.answerLookUp()
        bench.act(.inline(.increment), key: .named("k"), as: "2")
        bench.act(.inline(.increment), key: .named("k", request: "another"), as: "3")
        #expect(bench.answers.all == [])
        bench.answerCommit(.stored)
        #expect(bench.answers.all == ["1: done \"en 1\"", "2: replayed 200 \"en 1\"", "3: mismatch"])
    }

    @Test("is looked for again after a conflict: another process may have stored it")
    func conflict() throws {
        let bench = CoreBench()
        bench.act(.inline(.increment), key: .named("k"))
        bench.answerLookUp()
        let key = try #require(bench.commits[0].commit.key)
        bench.answerCommit(.conflict)
        bench.answerLoad(bench.foreign(bench.core.committed))
        bench.answerLookUp(.found(key))
        #expect(bench.answers.all == ["act: replayed 200 \"en 1\""])
    }

    @Test("beyond the bound is 429")
    func tooMany() {
        let bench = CoreBench { $0.keys = 2 }
        bench.act(.inline(.increment), key: .named("1"), as: "1")
        bench.answerLookUp(.missing(count: 1))
        bench.act(.inline(.increment), key: .named("2"), as: "2")
        bench.answerLookUp(.missing(count: 1))
        #expect(bench.answers.all == ["2: tooManyKeys"])
    }

    @Test("that the store cannot look for is 503, and nothing runs")
    func lookUpFails() {
        let bench = CoreBench()
        bench.act(.inline(.increment), key: .named("k"))
        bench.answerLookUp(.failed)
        #expect(bench.answers.all == ["act: storeAway"])
    }

    @Test("with a failed If-Match is not stored")
    func precondition() {
        let bench = CoreBench()
        bench.act(.inline(.increment), key: .named("k"), match: [])
        bench.answerLookUp()
        #expect(bench.answers.all == ["act: 412 at \"en 0\""])
        #expect(bench.commits.isEmpty)
    }
}

/// Protects readers of one replica from the state before another one's commit.
@Suite("On a shared store")
struct CoreSharedTests {
    @Test("a view looks at the head, and one look serves all that came before it")
    func oneLook() {
        let bench = CoreBench(isShared: true)
        for _ in 0..<3 { bench.view() }
        #expect(bench.looks.count == 1)
        bench.answerLook(.missing)
        #expect(bench.answers.all == ["view: done \"en 0\""])
        #expect(bench.looks.count == 1)
        bench.answerLook(.missing)
        #expect(bench.answers.all.count == 3)
    }

    @Test("a view of a moved head loads")
    func moved() {
        let bench = CoreBench(isShared: true)
        bench.view()
        let foreign = bench.foreign(bench.core.committed)
        bench.answerLook(.found(foreign.head))
        bench.answerLoad(foreign)
        #expect(bench.answers.all == ["view: done \"en 1\""])
    }

    @Test("a view that finds a pending commit waits for its answer")
    func pending() {
        let bench = CoreBench(isShared: true)
        bench.act(.inline(.increment))
        bench.view()
        bench.answerLook(.found(bench.commits[0].commit.state.head))
        #expect(bench.answers.all == [])
        bench.answerCommit(.stored)
        #expect(bench.answers.all == ["act: done \"en 1\"", "view: done \"en 1\""])
    }

    @Test("a synchronous action runs without a look")
    func noLook() {
        let bench = CoreBench(isShared: true)
        bench.act(.inline(.increment))
        #expect(bench.looks.isEmpty)
        #expect(bench.commits.count == 1)
    }

    @Test("a result that writes nothing looks, and runs again on moved state", arguments: ["refuse", "nothing", "412"])
    func result(kind: String) {
        let bench = CoreBench(isShared: true)
        let match = kind == "412" ? [Stamp.none] : nil
        bench.act(.inline(kind == "refuse" ? .refuse : .nothing), match: match)
        #expect(bench.answers.all == [])
        let foreign = bench.foreign(bench.core.committed)
        bench.answerLook(.found(foreign.head))
        bench.answerLoad(foreign)
        bench.answerLook(.found(foreign.head))
        let word = ["refuse": "refused at", "nothing": "done", "412": "412 at"][kind] ?? ""
        #expect(bench.answers.all == ["act: \(word) \"en 1\""])
    }

    @Test("a look that fails is 503")
    func lookFails() {
        let bench = CoreBench(isShared: true)
        bench.view()
        bench.act(.slow(.increment))
        bench.answerLook(.failed)
        bench.answerLook(.failed)
        #expect(bench.answers.all == ["view: storeAway", "act: storeAway"])
        bench.act(.inline(.increment))
        #expect(bench.commits.count == 1)
    }

    @Test("a session whose row is gone has ended")
    func gone() {
        let bench = CoreBench(isShared: true, id: .session("s"))
        bench.view()
        bench.answerLook(.missing)
        #expect(bench.answers.all == ["view: ended"])
        #expect(bench.published.last?.isEnd == true)
    }
}

/// Protects that nothing is answered after the end.
@Suite("The end of an entity")
struct CoreEndTests {
    @Test("goes ahead of the queue, and everything unanswered is 401")
    func ahead() {
        let bench = CoreBench(id: .session("s"))
        bench.act(.slow(.increment), as: "running")
        bench.act(.inline(.increment), as: "queued")
        bench.end()
        #expect(bench.ends.count == 1)
        bench.answerCommit(.stored)
        #expect(bench.answers.all == ["running: ended", "queued: ended", "end: done \"en 0\""])
        #expect(bench.published.last?.isEnd == true)
        bench.finishSlow()
        bench.view()
        #expect(bench.answers.all.suffix(1) == ["view: ended"])
        #expect(bench.commits.isEmpty)
    }

    @Test("compares with the state that it saw, and is tried again ahead of the queue")
    func conflict() {
        let bench = CoreBench(id: .session("s"))
        bench.end()
        bench.act(.inline(.increment))
        let foreign = bench.foreign(bench.core.committed)
        bench.answerCommit(.conflict)
        bench.answerLoad(foreign)
        #expect(bench.ends.last == foreign.head && bench.commits.count == 1)
        bench.answerCommit(.stored)
        #expect(bench.answers.all == ["act: ended", "end: done \"en 1\""])
    }

    @Test("that the store refuses is 503, and the queue goes on")
    func refused() {
        let bench = CoreBench(id: .session("s"))
        bench.end()
        bench.act(.inline(.increment))
        #expect(bench.commits.count == 1)
        bench.answerCommit(.refused)
        bench.answerLoad(bench.core.committed)
        bench.answerCommit(.stored)
        #expect(bench.answers.all == ["end: storeAway", "act: done \"en 1\""])
    }
}
