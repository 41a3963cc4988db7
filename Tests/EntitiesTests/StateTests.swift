import Testing

@testable import Entities

/// States of one line of commits, in this build.
private struct Line {
    let bench = CoreBench()
    private(set) var states: [EntityState]

    init() { states = [bench.core.committed] }

    var last: EntityState { states[states.count - 1] }

    mutating func commit(_ action: Counters.Action = .increment, on part: String = "counter") {
        states.append(bench.foreign(last, action, on: part))
    }

    /// The last state as another process loads it.
    func loaded(by host: Counters = Counters()) -> EntityState {
        EntityState(last.row(.publicSession), of: EntityKind(host))
    }
}

/// Protects that only cursors of this history are accepted.
@Suite("A cursor")
struct CursorTests {
    @Test("of the ring survives a load if it is one of the last sixteen")
    func sixteen() {
        var line = Line()
        for _ in 0..<20 { line.commit() }
        let loaded = line.loaded()
        #expect(loaded.ring.count == 16)
        #expect(line.states.filter { loaded.position(of: $0.cursor) != nil }.count == 16)
        #expect(loaded.position(of: line.states[4].cursor) == nil)
        #expect(loaded.position(of: line.states[5].cursor) == 5)
    }

    @Test("is kept in memory up to a bound")
    func bounded() {
        var line = Line()
        for _ in 0..<600 { line.commit() }
        #expect(line.states.allSatisfy { $0.ring.count <= EntityState.ringInMemory })
        #expect(line.last.position(of: line.states[599].cursor) == 599)
        #expect(line.last.position(of: line.states[300].cursor) == nil)
    }

    @Test("of another commit with the same seq is not accepted")
    func sameSeq() {
        var one = Line()
        var other = Line()
        one.commit()
        other.commit()
        #expect(one.last.position(of: other.last.cursor) == nil)
    }

    @Test("may be the ETag of a view model")
    func etag() {
        var line = Line()
        line.commit()
        line.commit(on: "other")
        #expect(line.last.position(of: line.last.stamp(of: 0)) == 1)
        #expect(line.loaded().position(of: line.last.stamp(of: 0)) == 1)
    }

    @Test("may be the ETag of an untouched view model")
    func untouched() {
        var line = Line()
        let stamp = line.last.stamp(of: 1)
        line.commit()
        #expect(line.last.position(of: stamp) == 0)
        #expect(line.last.stamp(of: 1) == stamp)
    }
}

/// Protects cursors and tags over restarts.
@Suite("A build that derives the same outputs")
struct SameBuildTests {
    @Test("shows the same cursors and ETags")
    func same() {
        var line = Line()
        line.commit()
        line.commit(.hide, on: "other")
        let loaded = line.loaded()
        #expect(loaded.cursor == line.last.cursor)
        #expect(loaded.ring == line.last.ring)
        for index in 0..<2 { #expect(loaded.stamp(of: index) == line.last.stamp(of: index)) }
    }
}

/// Protects clients from cursors of another build, and stored state from an older one.
@Suite("A build that derives other outputs")
struct OtherBuildTests {
    @Test("shows another cursor and other ETags, and forgets the ring")
    func other() {
        var line = Line()
        line.commit()
        let loaded = line.loaded(by: Counters(suffix: "!"))
        #expect(loaded.head == line.last.head)
        #expect(loaded.ring == [loaded.cursor])
        #expect(loaded.cursor != line.last.cursor)
        #expect(loaded.stamp(of: 0) != line.last.stamp(of: 0))
        #expect(loaded.stamp(of: 1) != line.last.stamp(of: 1))
        for state in line.states { #expect(loaded.position(of: state.cursor) == nil) }
    }

    @Test("shows another ETag of an untouched view model, also of the only one")
    func alone() {
        let stamps = ["", "!"].map { suffix in
            let host = Counters(
                suffix: suffix, declarations: [PartDeclaration(name: "counter", outputs: ["text", "odd"])])
            return EntityState(initial: EntityKind(host)["en"]).stamp(of: 0)
        }
        #expect(stamps[0] != stamps[1])
    }

    @Test("does not believe the ETag of a view model that it derives alike: others differ")
    func etag() {
        var line = Line()
        line.commit()
        let host = Counters(unreadable: "other")
        line.commit(on: "other")
        let loaded = line.loaded(by: host)
        #expect(loaded.stamp(of: 0) == line.last.stamp(of: 0))
        #expect(loaded.position(of: line.last.stamp(of: 0)) == nil)
    }

    @Test("keeps what it cannot read, and answers the rest")
    func unreadable() throws {
        var line = Line()
        line.commit()
        line.commit(on: "other")
        let loaded = line.loaded(by: Counters(unreadable: "other"))
        #expect(loaded.touched.contains { $0.isUnreadable })
        #expect(loaded.text() == "\"en 1\"")
        #expect(throws: ModelUnreadable.self) { try loaded.part("other") }
        #expect(throws: ModelUnreadable.self) { try loaded.body(of: 1) }
        #expect(throws: ModelUnreadable.self) { try loaded.answer(.everything, since: .start) }
        let topic = try #require(
            FeedQuestion(topics: ["counter"], hasValues: true, declarations: loaded.initial.declarations))
        #expect(try loaded.answer(topic, since: .start)?.kind == .snapshot)
        let next = line.bench.foreign(loaded)
        #expect(next.row(.publicSession).parts[1] == loaded.row(.publicSession).parts[1])
    }

    @Test("keeps parts that it does not know")
    func foreign() {
        let stored = StoredPart(name: "retired", version: 3, state: [1, 2], stamp: Stamp(seq: 1, nonce: 2))
        let entity = StoredEntity(
            id: .publicSession, head: Stamp(seq: 1, nonce: 2), ring: [], language: "en", parts: [stored])
        let bench = CoreBench()
        let state = EntityState(entity, of: bench.kind)
        #expect(bench.foreign(state).row(.publicSession).parts.contains(stored))
    }
}

/// Protects clients that wait while another process commits.
@Suite("A reload")
struct ContinuingTests {
    @Test("that descends from the known state keeps the line, and the seqs of what did not change")
    func descends() {
        var line = Line()
        line.commit()
        line.commit(Counters.Action { $0 += 2 })
        let known = line.last
        #expect(known[0].seqs == [2, 1])
        line.commit(on: "other")
        let next = line.loaded().continuing(known)
        #expect(next.lineage == known.lineage)
        #expect(next[0].seqs == [2, 1])
        #expect(next[1].seqs == [3, 3])
        #expect(next.ring == line.last.ring)
    }

    @Test("that does not have our head begins another line")
    func another() {
        var line = Line()
        line.commit()
        let older = line.loaded()
        line.commit()
        let next = older.continuing(line.last)
        #expect(next.lineage == line.last.lineage + 1)
        #expect(next.position(of: line.last.cursor) == nil)
    }

    @Test("takes outputs that are equal again for changed: they may have changed in between")
    func changedBack() {
        var line = Line()
        let known = line.last
        line.commit()
        let between = line.last
        line.commit()
        // `odd` is false, true, false.
        let next = line.loaded().continuing(known)
        #expect(next.text("counter", 1) == known.text("counter", 1))
        #expect(next.position(of: between.cursor) == 1)
        #expect(next[0].seqs[1] > 1)
    }
}
