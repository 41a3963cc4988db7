import Events
import TestSupport
import Testing

@Suite("Events that come by the thousand")
struct EventPaceTests {
    private let log = RecordedEvents()
    private let time = ManualTimeline()
    private static let kind = Event.Kind("bound-reached", .warning, ["bound", "by", "count"])

    private func pace() -> EventPace { EventPace(log: log, by: time) }

    private func event(_ bound: String, by client: String? = nil, count: Int? = nil) -> Event {
        Event(Self.kind, ["bound": .text(bound), "by": client.map { .text($0) }, "count": count.map { .number($0) }])
    }

    private func told(_ count: Int) async { #expect(await eventually { log.all.count == count }) }

    @Test("the first is told at once, and the like that came within a second at its end, the latest of them, counted")
    func rate() async throws {
        let pace = pace()
        for _ in 0..<1001 { pace.tell(event("max-streams", by: "first"), alike: "max-streams") }
        pace.tell(event("max-streams", by: "second"), alike: "max-streams")
        #expect(log.all == [event("max-streams", by: "first", count: 1)])
        try await time.sleeper(until: .seconds(1))
        time.advance(by: .seconds(1))
        await told(2)
        #expect(log.all.last == event("max-streams", by: "second", count: 1001))
        // That one has a second of its own.
        pace.tell(event("max-streams"), alike: "max-streams")
        #expect(log.all.count == 2)
        try await time.sleeper(until: .seconds(2))
        time.advance(by: .seconds(1))
        await told(3)
        #expect(log.all.last == event("max-streams", count: 1))
        pace.tellAll()
    }

    @Test("after a second in which none came, the next is told at once, and no timer is left")
    func quiet() async throws {
        let pace = pace()
        pace.tell(event("max-streams"), alike: "max-streams")
        try await time.sleeper(until: .seconds(1))
        time.advance(by: .seconds(1))
        await told(1)
        // The timer's task ends its silence when it gets to run.
        #expect(
            await eventually {
                pace.tell(event("max-streams"), alike: "max-streams")
                return log.all.count > 1
            })
        try await time.sleeper(until: .seconds(2))
        pace.tellAll()
        try await time.sleepers(count: 0)
    }

    @Test("at the end what was held back is told without waiting, once")
    func end() async throws {
        let pace = pace()
        for bound in ["max-streams", "max-actions", "max-sessions"] { pace.tell(event(bound), alike: bound) }
        for bound in ["max-streams", "max-actions", "max-streams"] { pace.tell(event(bound), alike: bound) }
        pace.tellAll()
        #expect(log.all.dropFirst(3) == [event("max-actions", count: 1), event("max-streams", count: 2)])
        time.advance(by: .seconds(5))
        try await time.sleepers(count: 0)
        pace.tellAll()
        #expect(log.all.count == 5)
    }

    @Test("what is not alike, or of another kind, is not silenced")
    func apart() {
        let pace = pace()
        pace.tell(event("max-streams"), alike: "max-streams")
        pace.tell(event("memory"), alike: "memory")
        pace.tell(Event(Event.Kind("action-timed-out", .warning, ["count"])), alike: "memory")
        #expect(log.all.map(\.kind.name) == ["bound-reached", "bound-reached", "action-timed-out"])
        pace.tellAll()
    }
}

@Suite("Events")
struct EventTests {
    @Test("a field without a value is left out, the others stay in their order")
    func fields() {
        let event = Event(
            Event.Kind("a", .info, ["x", "y", "z"]),
            ["z": 1, "y": nil, "x": "two"] as KeyValuePairs<String, Event.Value?>)
        #expect(event.fields.map(\.name) == ["z", "x"])
        #expect(event["x"] == "two")
        #expect(event["y"] == nil)
    }

    @Test("levels are ordered from debug to critical")
    func levels() {
        #expect(Event.Level.allCases.sorted() == [.debug, .info, .warning, .error, .critical])
    }

    @Test("a session has the same tag each time, another session another, and each is 16 digits")
    func tags() {
        let tags = (0..<1000).map { SessionTag(of: $0) }
        #expect(Set(tags).count == 1000)
        #expect(tags == (0..<1000).map { SessionTag(of: $0) })
        #expect(tags.allSatisfy { $0.description.wholeMatch(of: /[0-9a-f]{16}/) != nil })
        #expect(SessionTag(7)?.description == "0000000000000007")
        #expect(SessionTag(0) == nil)
    }
}
