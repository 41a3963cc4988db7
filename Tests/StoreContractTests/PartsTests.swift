import Entities
import Foundation
import Locking
import StoreParts
import TestSupport
import Testing

/// Protects stored rows: other bytes are refused, and no byte is lost.
@Suite("The row form")
struct RowFormTests {
    private let stamps = [Stamp(seq: 3, nonce: .max), Stamp(seq: 4, nonce: 0), Stamp(seq: .max, nonce: 77)]

    private func row(_ parts: [StoredPart] = []) -> StoredEntity {
        StoredEntity(id: .session("a"), head: stamps[2], ring: stamps, language: "ja", parts: parts)
    }

    @Test("gives back what it wrote")
    func roundTrip() {
        let parts = [
            StoredPart(name: "counter", version: 1, state: Array(#"{"count":1}"#.utf8), stamp: stamps[0]),
            StoredPart(name: "日本語", version: -2, state: [], stamp: stamps[1]),
            StoredPart(name: "", version: .max, state: Array(repeating: 0xff, count: 300), stamp: stamps[2]),
        ]
        let columns = RowForm.encode(row(parts))
        #expect(RowForm.parts(columns.parts) == parts)
        #expect(RowForm.ring(columns.ring) == stamps)
        let empty = RowForm.encode(row())
        #expect(empty.parts == [1])
        #expect(RowForm.parts(empty.parts) == [])
    }

    @Test("takes no bytes of another form, and no part of its own")
    func damaged() {
        let part = StoredPart(name: "counter", version: 1, state: [1, 2, 3], stamp: stamps[0])
        let columns = RowForm.encode(row([part]))
        #expect(RowForm.parts([]) == nil)
        #expect(RowForm.parts([2] + columns.parts.dropFirst()) == nil)
        #expect(RowForm.ring([2] + columns.ring.dropFirst()) == nil)
        for count in 2..<columns.parts.count { #expect(RowForm.parts(Array(columns.parts.prefix(count))) == nil) }
        #expect(RowForm.parts([1] + Array(repeating: 0xff, count: 11)) == nil)
    }
}

/// Protects the order of commits that one transaction folds.
@Suite("A group")
struct GroupTests {
    @Test("folds commits that build on each other, with their keys and callbacks in order")
    func fold() throws {
        var (one, other) = (Line.session("one"), Line.session("other"))
        let words = History<String>()
        let begin = one.begin()
        let base = one.state.head
        let commits = [begin, other.begin(), one.next("a", key: .named("1")), one.next("b", key: .named("2"))]
        let writes = commits.enumerated().map { place, commit in Write(commit) { _ in words.append("\(place)") } }
        let group = Group(Array(writes.dropFirst()))
        #expect(group.items.map(\.id) == [other.id, one.id])
        let item = try #require(group.items.last)
        #expect(item.base == base)
        #expect(item.last.state.head == one.state.head)
        #expect(item.writes.compactMap(\.commit.key) == [.named("1"), .named("2")])
        item.settle(.stored)
        #expect(words.all == ["2", "3"])
        #expect(group.rest.isEmpty)
        let whole = Group(writes)
        #expect(whole.items.map(\.writes.count) == [3, 1])
        #expect(whole.items.first?.base == nil)
    }

    @Test("leaves commits on another base, and all after them, to the next group")
    func rest() {
        var line = Line.session()
        _ = line.begin()
        var other = line
        let commits = [line.next("a"), other.next("b"), line.next("c")]
        let group = Group(commits.map { Write($0) { _ in } })
        #expect(group.items.map(\.last.state.head) == [commits[0].state.head])
        #expect(group.rest.map(\.commit.id) == [line.id, line.id])
    }

    @Test("separates an end from the commits around it")
    func end() {
        var line = Line.session()
        let commits = [line.begin(), line.end(), line.next("a")]
        let first = Group(commits.map { Write($0) { _ in } })
        #expect(first.items.count == 1 && first.rest.count == 2)
        let second = Group(first.rest)
        #expect(second.items.first?.last.isEnd == true && second.items.first?.writes.count == 1)
        #expect(second.rest.count == 1)
    }
}

/// Protects requests from a thread that sleeps while they wait.
@Suite("A lane")
struct LaneTests {
    @Test("gives the requests in their order, up to the limit, and the rest at once")
    func limit() {
        let lane = Lane<Int>()
        for number in 1...3 { #expect(lane.add(number)) }
        #expect(lane.take(atMost: 2, by: .now) == [1, 2])
        #expect(lane.take(atMost: 2, by: .now) == [3])
        #expect(lane.add(4))
        #expect(lane.take(atMost: 2, by: .now) == [4])
        #expect(lane.take(atMost: 2, by: .now) == [])
    }

    @Test("gives the waiting requests after its close, and then nil again and again")
    func close() {
        let lane = Lane<Int>()
        for number in 1...3 { #expect(lane.add(number)) }
        lane.close()
        #expect(!lane.add(4))
        #expect(lane.take(atMost: 2, by: .now) == [1, 2])
        #expect(lane.take(atMost: 2, by: .now) == [3])
        for _ in 1...2 { #expect(lane.take(atMost: 2, by: .now) == nil) }
    }

    @Test("wakes the thread that takes, while two threads add")
    func wake() {
        let lane = Lane<Int>()
        for _ in 0..<2 {
            Thread.start(named: "adds") { for number in 0..<5_000 { _ = lane.add(number) } }
        }
        var count = 0
        while count < 10_000 {
            let taken = lane.take(atMost: 16, by: .now + .seconds(60)) ?? []
            if taken.isEmpty { break }
            count += taken.count
        }
        #expect(count == 10_000 && lane.take(atMost: 16, by: .now) == [])
    }
}

/// Protects the operator from repeated or missing events about the store.
@Suite("The health of a store")
struct StoreHealthTests {
    @Test("is told once when it is lost and once when it is back")
    func events() {
        let told = Lock<[StoreEvent]>([])
        let health = StoreHealth(tell: { event in told.withLock { $0.append(event) } })
        health.end(nil)
        health.end("full")
        health.end("still full")
        #expect(health.isLost)
        health.end(nil)
        health.end(nil)
        let events = told.withLock { $0 }
        #expect(events.first == .lost(reason: "full") && events.count == 2)
        if case .back? = events.last {} else { Issue.record("The store is not back.") }
    }

    @Test("knows how long a transaction runs")
    func busy() {
        let health = StoreHealth(tell: { _ in })
        #expect(health.busyTime == .zero)
        health.begin()
        #expect(health.busyTime > .zero)
        health.end(nil)
        #expect(health.busyTime == .zero)
    }
}
