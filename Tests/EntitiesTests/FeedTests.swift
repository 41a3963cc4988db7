import TestSupport
import Testing

@testable import Entities

/// Protects that a cursor gets exactly what came after it.
@Suite("An answer of the feed")
struct FeedAnswerTests {
    private let bench = CoreBench()
    private var state: EntityState { bench.core.committed }

    private func commit(_ action: Counters.Action = .increment, on part: String = "counter") {
        bench.act(.inline(action, on: part))
        bench.answerCommit(.stored)
    }

    private func body(_ question: FeedQuestion = .everything, since position: FeedPosition) throws -> String? {
        try state.answer(question, since: position).map { String(decoding: $0.body, as: UTF8.self) }
    }

    private func question(_ topics: [String]?, values: Bool = true) -> FeedQuestion? {
        FeedQuestion(topics: topics, hasValues: values, declarations: state.initial.declarations)
    }

    @Test("to a cursor of this history is what came after, ordered by seq")
    func delta() throws {
        let cursor = state.cursor
        commit()
        commit(Counters.Action { $0 += 2 })
        #expect(
            try body(since: .cursor(cursor))
                == #"{"kind":"delta","cursor":"\#(state.cursor)","changes":["#
                + #"{"seq":1,"viewModel":"counter","output":"odd","value":true},"#
                + #"{"seq":2,"viewModel":"counter","output":"text","value":"en 3"}]}"#)
    }

    @Test("after a commit that no output shows is none")
    func hidden() throws {
        commit()
        let cursor = state.cursor
        commit(.hide)
        #expect(try body(since: .cursor(cursor)) == nil)
    }

    @Test("to topics has their outputs alone")
    func topics() throws {
        let cursor = state.cursor
        commit()
        let other = try #require(question(["other"]))
        #expect(try body(other, since: .cursor(cursor)) == nil)
        let facet = try #require(question(["counter/parity"]))
        #expect(
            try body(facet, since: .cursor(cursor))
                == #"{"kind":"delta","cursor":"\#(state.cursor)","changes":["#
                + #"{"seq":1,"viewModel":"counter","output":"odd","value":true}]}"#)
    }

    @Test("to a view model and its facet has no output twice")
    func overlapping() {
        #expect(question(["counter/parity", "counter"]) == question(["counter"]))
        #expect(question(["counter", "counter/parity"]) == question(["counter"]))
        #expect(question(["other", "counter"]) == question(["counter", "other"]))
    }

    @Test("to an accepted position stays good when the ring has moved on")
    func position() throws {
        let position = state.idleAnswer().position
        for _ in 0..<300 { commit(on: "other") }
        let counter = try #require(question(["counter"]))
        #expect(try body(counter, since: position) == nil)
        commit()
        #expect(try body(counter, since: position)?.contains(#""kind":"delta""#) == true)
    }

    @Test("to a position of another line is judged by its cursor")
    func anotherLine() throws {
        commit()
        let older = state
        let position = state.idleAnswer().position
        commit()
        let reloaded = EntityState(older.row(.publicSession), of: bench.kind).continuing(state)
        #expect(try reloaded.answer(.everything, since: position) == nil)
        #expect(try reloaded.answer(.everything, since: state.idleAnswer().position)?.kind == .snapshot)
    }
}

/// Protects waits from missed commits and other processes.
@Suite("A wait")
struct WaitsTests {
    @Test("with an unknown cursor of the present seq gets its snapshot with the next commit")
    func unknownThenCommit() {
        let bench = EntityBench()
        bench.wait(since: .cursor(Stamp(seq: 0, nonce: 1)))
        bench.act(.inline(.increment))
        #expect(bench.answers.all == ["wait: snapshot 1", "act: done \"en 1\""])
    }

    @Test("that is cancelled gets no answer")
    func cancelled() {
        let bench = EntityBench()
        bench.entity.cancelWait(bench.wait(since: bench.now))
        #expect(bench.entity.waitCount == 0)
        bench.act(.inline(.increment))
        bench.time.advance(by: .seconds(30))
        #expect(bench.answers.all == ["act: done \"en 1\""])
    }

    @Test("is told of the commit that a draining server has made but not posted yet")
    func dismissed() {
        let bench = EntityBench()
        // This observer comes first, so the server drains between the commit and its post.
        let observer = bench.entity.center.addObserver(forName: Entity.didChange, object: nil, queue: nil) { _ in
            bench.entity.dismissWaits()
        }
        bench.wait(since: bench.now)
        bench.act(.inline(.increment))
        bench.entity.center.removeObserver(observer)
        #expect(bench.answers.all == ["wait: delta 1", "act: done \"en 1\""])
    }

    @Test("shares its body with all waits that ask the same")
    func shared() {
        let bench = EntityBench()
        let bodies = History<String>()
        for _ in 0..<3 {
            bench.entity.wait(.everything, since: bench.now, for: .seconds(25)) { result in
                guard case .success(let answer) = result else { return }
                _ = answer.body.withUnsafeBufferPointer { bodies.append("\($0.baseAddress?.debugDescription ?? "")") }
            }
        }
        bench.act(.inline(.increment))
        #expect(bodies.all.count == 3)
        #expect(Set(bodies.all).count == 1)
    }

    @Test("is told of a commit of another process, even if its hint is lost")
    func lostHint() {
        let bench = EntityBench(isShared: true)
        let other = EntityBench(isShared: true, store: bench.store)
        bench.wait(since: bench.now)
        other.act(.inline(.increment))
        #expect(bench.answers.all == [])
        bench.time.advance(by: .seconds(25))
        #expect(bench.answers.all == ["wait: delta 1"])
    }

    @Test("with a cursor of another process is answered on the latest state")
    func newerCursor() {
        let bench = EntityBench(isShared: true)
        let other = EntityBench(isShared: true, store: bench.store)
        other.act(.inline(.increment))
        bench.wait(since: .cursor(other.cursor))
        #expect(bench.answers.all == [])
        #expect(bench.entity.waitCount > 0)
        #expect(bench.cursor == other.cursor)
    }
}
