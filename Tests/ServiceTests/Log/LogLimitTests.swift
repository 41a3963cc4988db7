import Events
import Testing

@testable import Service

@Suite("The rate limit of the log")
struct LogLimitTests {
    private static let bound = Event.Kind("bound-reached", .warning, ["client"])
    private static let other = Event.Kind("other", .warning, ["client"])

    private static func event(_ client: Int, _ kind: Event.Kind = bound) -> Event {
        Event(kind, ["client": .number(client)])
    }

    private static func fields(_ lines: [String]) -> [String] {
        lines.map { line in String(line.drop { $0 != " " }.dropFirst()) }
    }

    private let log = WrittenLog(.text)

    @Test("ten events of a kind in a second are a line each; one line at its end stands for the rest")
    func limited() {
        let writer = log.writer
        for client in 1...25 { writer.record(Self.event(client)) }
        writer.flush()
        #expect(
            Self.fields(log.lines)
                == (1...10).map { "warning bound-reached client=\($0)" } + ["warning bound-reached client=25 count=15"])
    }

    @Test("the next second begins anew, and the line for the rest of the last one goes before it")
    func nextSecond() {
        let writer = log.writer
        for client in 1...12 { writer.record(Self.event(client)) }
        log.move(to: 1_000)
        writer.record(Self.event(13))
        writer.flush()
        #expect(
            Self.fields(log.lines).suffix(2)
                == ["warning bound-reached client=12 count=2", "warning bound-reached client=13"])
        #expect(
            log.lines.suffix(2).map { String($0.prefix(24)) } == [
                "1970-01-01T00:00:00.000Z", "1970-01-01T00:00:01.000Z",
            ])
    }

    @Test("a second that is over gives its line, and a second that is not over keeps it back")
    func held() {
        var limit = LogLimit()
        for client in 1...12 { _ = limit.take(Self.event(client), at: 300) }
        #expect(limit.takeHeld(before: 999).isEmpty)
        #expect(limit.takeHeld(before: 1_000).count == 1)
        #expect(limit.takeHeld(before: 2_000).isEmpty)
    }

    @Test("only the first event that a second holds back asks for a look at its end")
    func beginsHolding() {
        var limit = LogLimit()
        let begins = (1...13).map { limit.take(Self.event($0), at: 0).beginsHolding }
        #expect(begins == (1...13).map { $0 == 11 })
    }

    @Test("one kind does not limit another, and requests have no limit")
    func apart() {
        let writer = log.writer
        for client in 1...20 { writer.record(Self.event(client)) }
        writer.record(Self.event(1, Self.other))
        writer.flush()
        #expect(log.lines.contains { $0.hasSuffix("warning other client=1") })
    }
}
