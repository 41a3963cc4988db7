import Testing

@testable import Entities

/// Protects that what is shown is stored, and that actions come in turn.
@Suite("An action")
struct CoreTurnTests {
    @Test("is answered when its commit is stored, and not before")
    func answeredAfterCommit() {
        let bench = CoreBench()
        bench.act(.inline(.increment))
        #expect(bench.answers.all == [])
        #expect(bench.published.isEmpty)
        bench.answerCommit(.stored)
        #expect(bench.answers.all == ["act: done \"en 1\""])
        #expect(bench.published.count == 1)
    }

    @Test("runs on the result of the one before, which is not stored yet")
    func pipelined() {
        let bench = CoreBench()
        for name in ["1", "2", "3"] { bench.act(.inline(.increment), as: name) }
        #expect(bench.commits.count == 3)
        #expect(bench.commits[1].commit.base == bench.commits[0].commit.state.head)
        #expect(bench.core.committed.text() == "\"en 0\"")
    }

    @Test("that is refused changes nothing and writes nothing")
    func refused() {
        let bench = CoreBench()
        bench.act(.inline(.refuse))
        #expect(bench.answers.all == ["act: refused at \"en 0\""])
        #expect(bench.commits.isEmpty)
        bench.act(.inline(.increment))
        bench.answerCommit(.stored)
        #expect(bench.answers.all.last == "act: done \"en 1\"")
    }

    @Test("that is refused waits for the pending commit that it saw")
    func refusedWaits() {
        let bench = CoreBench()
        bench.act(.inline(.increment), as: "1")
        bench.act(.inline(.refuse), as: "2")
        #expect(bench.answers.all == [])
        bench.answerCommit(.stored)
        #expect(bench.answers.all == ["1: done \"en 1\"", "2: refused at \"en 1\""])
    }

    @Test("that fails is answered with its error")
    func failed() {
        let bench = CoreBench()
        bench.act(.inline(.fail))
        #expect(bench.answers.all == ["act: failed: Broken"])
    }

    @Test("that changes nothing writes nothing")
    func unchanged() {
        let bench = CoreBench()
        bench.act(.inline(.nothing))
        #expect(bench.commits.isEmpty)
        #expect(bench.answers.all == ["act: done \"en 0\""])
    }

    @Test("that posts is a commit, also where it changes nothing")
    func posts() {
        let bench = CoreBench()
        bench.act(.inline(Counters.Action(posts: [("rang", [:])]) { _ in }))
        bench.answerCommit(.stored)
        #expect(bench.published.flatMap(\.posts).map(\.name) == ["rang"])
    }

    @Test("and its reactions are one commit")
    func reactions() {
        let bench = CoreBench()
        bench.act(.inline(Counters.Action(reaction: "other") { $0 += 1 }))
        #expect(bench.commits.count == 1)
        bench.answerCommit(.stored)
        #expect(bench.core.committed.text("other") == "\"en 1\"")
        #expect(bench.core.committed[0].seqs == [1, 1])
        #expect(bench.core.committed[1].seqs == [1, 1])
    }

    @Test("that would make the entity too large fails, and changes nothing")
    func tooLarge() {
        let bench = CoreBench { $0.bytes = 3 }
        bench.act(.inline(Counters.Action { $0 = 999 }), as: "1")
        bench.act(.inline(Counters.Action { $0 = 1_000 }), as: "2")
        bench.answerCommit(.stored)
        #expect(bench.answers.all == ["1: done \"en 999\"", "2: too large"])
    }

    @Test("beyond the bound is 429, and the next one is taken when there is room")
    func queueFull() {
        let bench = CoreBench { $0.queue = 2 }
        for name in ["1", "2", "3"] { bench.act(.inline(.increment), as: name) }
        #expect(bench.answers.all == ["3: queueFull"])
        bench.answerCommit(.stored)
        bench.act(.inline(.increment), as: "4")
        bench.answerCommit(.stored)
        bench.answerCommit(.stored)
        #expect(bench.answers.all.suffix(2) == ["2: done \"en 2\"", "4: done \"en 3\""])
    }

    @Test("with an If-Match is compared within its turn, with what is pending")
    func matchInTurn() {
        let bench = CoreBench()
        let old = bench.core.committed.stamp(of: 0)
        bench.act(.inline(.increment), match: [old], as: "1")
        bench.act(.inline(.increment), match: [old], as: "2")
        #expect(bench.commits.count == 1)
        bench.answerCommit(.stored)
        #expect(bench.answers.all == ["1: done \"en 1\"", "2: 412 at \"en 1\""])
    }

    @Test("that no output shows keeps the stamp of its view model")
    func hidden() {
        let bench = CoreBench()
        bench.act(.inline(.increment))
        bench.answerCommit(.stored)
        let before = bench.core.committed
        bench.act(.inline(.hide))
        bench.answerCommit(.stored)
        #expect(bench.core.committed.stamp(of: 0) == before.stamp(of: 0))
        #expect(bench.core.committed.cursor != before.cursor)
    }
}

/// Protects that all outputs follow the language.
@Suite("A change of language")
struct CoreLanguageTests {
    @Test("stamps every view model, touched or not")
    func stampsAll() {
        let bench = CoreBench()
        bench.act(.inline(.increment))
        bench.answerCommit(.stored)
        let before = bench.core.committed
        bench.change(to: "ja")
        bench.answerCommit(.stored)
        let after = bench.core.committed
        #expect(after.text() == "\"ja 1\"")
        #expect(after.text("other") == "\"ja 0\"")
        for index in 0..<2 {
            #expect(after.stamp(of: index) != before.stamp(of: index))
            #expect(after[index].seqs == [2, 2])
        }
    }

    @Test("is stored with the row")
    func stored() {
        let bench = CoreBench()
        bench.change(to: "ja")
        #expect(bench.commits[0].commit.row.language == "ja")
        #expect(bench.commits[0].commit.row.parts.map(\.name) == ["counter", "other"])
        let loaded = EntityState(bench.commits[0].commit.row, of: bench.kind)
        #expect(loaded.cursor == bench.commits[0].commit.state.cursor)
        #expect(loaded.text() == "\"ja 0\"")
    }
}

/// Protects that a slow action runs once, within its deadline.
@Suite("A slow action")
struct CoreSlowTests {
    @Test("starts when nothing is pending, and keeps the turn")
    func keepsTurn() {
        let bench = CoreBench()
        bench.act(.inline(.increment), as: "1")
        bench.act(.slow(.increment), as: "2")
        bench.act(.inline(.increment), as: "3")
        #expect(bench.slow.isEmpty)
        bench.answerCommit(.stored)
        #expect(bench.slow.count == 1)
        #expect(bench.commits.isEmpty)
        bench.finishSlow()
        #expect(bench.commits.count == 2)
        bench.answerCommit(.stored)
        bench.answerCommit(.stored)
        #expect(bench.answers.all == ["1: done \"en 1\"", "2: done \"en 2\"", "3: done \"en 3\""])
    }

    @Test("does not hold up views")
    func views() {
        let bench = CoreBench()
        bench.act(.slow(.increment))
        bench.view()
        #expect(bench.answers.all == ["view: done \"en 0\""])
    }

    @Test("is 504 at its deadline, and its late result is dropped")
    func deadline() {
        let bench = CoreBench()
        bench.act(.slow(.increment), as: "1")
        bench.handle(.ran(bench.slow[0].number, .failure(.timedOut)))
        #expect(bench.answers.all == ["1: timed out"])
        bench.act(.slow(.nothing), as: "2")
        let late = bench.slow.removeFirst()
        bench.handle(.ran(late.number, .success(Changes())))
        #expect(bench.answers.all == ["1: timed out"])
        bench.finishSlow()
        #expect(bench.answers.all == ["1: timed out", "2: done \"en 0\""])
    }

    @Test("with a key stores its 504")
    func deadlineWithKey() {
        let bench = CoreBench()
        bench.act(.slow(.increment), key: .named("k"))
        bench.answerLookUp()
        bench.handle(.ran(bench.slow[0].number, .failure(.timedOut)))
        #expect(bench.commits[0].commit.key?.remembered.status == 504)
        bench.answerCommit(.stored)
        #expect(bench.answers.all == ["act: timed out"])
    }

    @Test("is not repeated when its commit conflicts")
    func conflict() {
        let bench = CoreBench()
        bench.act(.slow(.increment))
        bench.finishSlow()
        bench.answerCommit(.conflict)
        bench.answerLoad(bench.foreign(bench.core.committed))
        #expect(bench.answers.all == ["act: conflict"])
        #expect(bench.slow.isEmpty)
    }

    @Test("that does not find room in the executor is 503")
    func busy() {
        let bench = CoreBench()
        bench.act(.slow(.increment))
        bench.handle(.ran(bench.slow[0].number, .failure(.busy)))
        #expect(bench.answers.all == ["act: busy"])
    }

    @Test("looks at the head of a shared store before it starts")
    func looksFirst() {
        let bench = CoreBench(isShared: true)
        bench.act(.slow(.increment))
        #expect(bench.slow.isEmpty)
        let foreign = bench.foreign(bench.core.committed)
        bench.answerLook(.found(foreign.head))
        bench.answerLoad(foreign)
        bench.answerLook(.found(foreign.head))
        bench.finishSlow()
        bench.answerCommit(.stored)
        #expect(bench.answers.all == ["act: done \"en 2\""])
    }

    @Test("whose state was reloaded under it is 503")
    func reloaded() {
        let bench = CoreBench(isShared: true)
        bench.act(.slow(.increment))
        bench.answerLook(.missing)
        bench.view()
        let foreign = bench.foreign(bench.core.committed)
        bench.answerLook(.found(foreign.head))
        bench.answerLoad(foreign)
        bench.finishSlow()
        #expect(bench.answers.all == ["view: done \"en 1\"", "act: conflict"])
        #expect(bench.commits.isEmpty)
    }

    @Test("that comes to its result while the core reloads is 503")
    func reloading() {
        let bench = CoreBench(isShared: true)
        bench.act(.slow(.increment))
        bench.answerLook(.missing)
        bench.view()
        let foreign = bench.foreign(bench.core.committed)
        bench.answerLook(.found(foreign.head))
        bench.finishSlow()
        bench.answerLoad(foreign)
        #expect(bench.answers.all == ["act: conflict", "view: done \"en 1\""])
        #expect(bench.commits.isEmpty)
    }
}
