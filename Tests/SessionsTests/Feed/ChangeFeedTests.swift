import Samples
import TestSupport
import Testing
import ViewModels

@testable import Sessions

@Suite("ChangeFeed")
struct ChangeFeedTests {
    private static let catalogue = Catalogue(
        Catalogue.samples.viewModels.filter { ["counter", "login"].contains($0.name.rawValue) })

    private static let untouched = Untouched(catalogue, in: .japanese)

    private let steps = Steps()
    private var epoch: Epoch { steps.history.epoch }

    /// A feed in which counter (three outputs, 0 to 2) and login (two, 3 and 4) show these values since these commits.
    private func feed(at seq: UInt64, counter: [(Int, UInt64)], login: [(Int, UInt64)]) -> ChangeFeed {
        var feed = ChangeFeed(untouched: Self.untouched, head: steps.head(0))
        for (place, cells) in [counter, login].enumerated() {
            feed.show(view(at: place, cells.map { (value: "\($0)", seq: $1) }), at: place)
        }
        feed.advance(to: steps.head(seq))
        return feed
    }

    private func view(at place: Int, _ cells: [(value: String, seq: UInt64)]) -> View {
        let declaration = Self.catalogue.viewModels[place]
        let outputs = zip(declaration.outputNames, cells).map { name, cell in
            OutputRecord(name: name.rawValue, value: Array(cell.value.utf8), seq: cell.seq)
        }
        let record = ViewModelRecord(name: declaration.name.rawValue, model: [], outputs: outputs)
        return View(declaration, history: steps.history, record: record)
    }

    private var example: ChangeFeed { feed(at: 7, counter: [(10, 6), (11, 2), (12, 6)], login: [(13, 5), (14, 7)]) }

    private func query(_ seq: UInt64, topics: OutputSet? = nil, values: Bool = true) -> FeedQuery {
        FeedQuery(since: Cursor(epoch: epoch, seq: seq), topics: topics, includesValues: values)
    }

    @Test("a delta is in the order of seq, within a commit in declared order")
    func order() throws {
        let said = try Said(#require(example.answer(to: query(1))))
        #expect(said.kind == "delta")
        #expect(said.cursor == "\(epoch).7")
        #expect(
            said.places == ["2 counter.enabled", "5 login.text", "6 counter.text", "6 counter.alpha", "7 login.color"])
        #expect(said.changes.map(\.value) == [11, 13, 10, 12, 14])
    }

    @Test("is written as the contract has it")
    func text() throws {
        let answer = try #require(example.answer(to: query(6)))
        #expect(
            String(utf8: answer.json)
                == #"{"kind":"delta","cursor":"\#(epoch).7","changes":[{"seq":7,"viewModel":"login","output":"color","value":14}]}"#
        )
    }

    @Test(
        "one seq is never split: from any cursor a commit is told whole or not at all",
        arguments: 0..<7 as Range<UInt64>)
    func whole(since: UInt64) throws {
        let said = try Said(#require(example.answer(to: query(since))))
        #expect(said.changes.allSatisfy { $0.seq > since })
        let all = try Said(#require(example.answer(to: query(0))))
        #expect(said.changes == all.changes.filter { $0.seq > since })
    }

    @Test("a consumer that knows everything is told nothing")
    func nothingNew() { #expect(example.answer(to: query(7)) == nil) }

    @Test("a consumer with no cursor gets a snapshot: initial")
    func initial() throws {
        let said = try Said(#require(example.answer(to: FeedQuery())))
        #expect(said.kind == "snapshot")
        #expect(said.reason == "initial")
        #expect(said.changes.count == 5)
        #expect(said.cursor == "\(epoch).7")
    }

    @Test("a cursor of another incarnation gets a snapshot: epoch")
    func otherEpoch() throws {
        let since = Cursor(epoch: try #require(Epoch("other")), seq: 7)
        let said = try Said(#require(example.answer(to: FeedQuery(since: since))))
        #expect(said.reason == "epoch")
        #expect(said.changes.count == 5)
    }

    @Test("a cursor after the latest commit gets a snapshot: future")
    func future() throws {
        let said = try Said(#require(example.answer(to: query(8))))
        #expect(said.reason == "future")
        #expect(said.changes.count == 5)
    }

    @Test("topics leave out the other outputs, and the cursor moves past them")
    func topics() throws {
        let said = try Said(#require(example.answer(to: query(1, topics: OutputSet([0])))))
        #expect(said.places == ["6 counter.text"])
        #expect(said.cursor == "\(epoch).7")
        let snapshot = try Said(#require(example.answer(to: FeedQuery(topics: OutputSet([3, 4])))))
        #expect(snapshot.places == ["5 login.text", "7 login.color"])
    }

    @Test("a change of other topics is no news")
    func otherTopics() { #expect(example.answer(to: query(2, topics: OutputSet([1]))) == nil) }

    @Test("values=none tells what changed and not to what")
    func withoutValues() throws {
        let said = try Said(#require(example.answer(to: query(1, values: false))))
        #expect(said.places.count == 5)
        #expect(said.changes.allSatisfy { $0.value == nil })
    }

    @Test("a value of null is told as one")
    func null() throws {
        var feed = example
        feed.show(view(at: 1, [(value: "null", seq: 8), (value: "1", seq: 1)]), at: 1)
        feed.advance(to: steps.head(8))
        let answer = try #require(feed.answer(to: query(7)))
        #expect(String(utf8: answer.json).hasSuffix(#""output":"text","value":null}]}"#))
    }

    @Test("a view's entity tag is the cursor of its last change, not of the feed")
    func entityTags() throws {
        #expect(example.view(at: 0)?.entityTag == "\"\(epoch).6\"")
        #expect(example.view(at: 1)?.entityTag == "\"\(epoch).7\"")
    }

    @Test("what nobody has touched is in a snapshot as the build shows it, and in no delta")
    func untouched() throws {
        var feed = ChangeFeed(untouched: Self.untouched, head: steps.head(0))
        let topics = OutputSet([0, 4])
        let snapshot = try Said(#require(feed.answer(to: FeedQuery(topics: topics))))
        #expect(snapshot.places == ["0 counter.text", "0 login.color"])
        #expect(feed.view(at: 0)?.entityTag == "\"\(epoch).0\"")
        #expect(feed.record(at: 0) == nil)
        feed.advance(to: steps.head(1))
        #expect(feed.answer(to: query(0)) == nil)
    }

    @Test("what was looked at has another cursor once a history is new, and is stored no more than before")
    func kept() throws {
        var feed = ChangeFeed(untouched: Self.untouched, head: steps.head(0))
        let kept = feed.keptView(at: 0)
        let before = try #require(kept)
        feed.advance(to: SessionHead(version: .first(), seq: 0, history: SessionHistory(beginningIn: 2)))
        let after = try #require(feed.view(at: 0))
        #expect(after.entityTag != before.entityTag)
        #expect(after.json == before.json)
        #expect(feed.record(at: 0) == nil)
    }
}
