import Events
import Testing

@testable import Service

/// Protects the log from a flood of equal events.
@Suite("The rate limit of the log")
struct LogLimitTests {
    private static let bound = Event.Kind("bound-reached", .warning)
    private static let other = Event.Kind("other", .warning)

    private static func event(_ client: Int, _ kind: Event.Kind = bound) -> Event {
        Event(kind, ["client": .number(client)])
    }

    private static func fields(_ lines: [String]) -> [String] {
        lines.map { line in String(line.drop { $0 != " " }.dropFirst()) }
    }

    private let log = WrittenLog(.text)

    @Test("ten events of a kind in a second are a line each; the next line stands for the rest, too")
    func limited() {
        let writer = log.writer
        for client in 1...25 { writer.record(Self.event(client)) }
        log.move(to: 1_000)
        for client in 26...27 { writer.record(Self.event(client)) }
        writer.flush()
        let lines = (1...10).map { "client=\($0)" } + ["client=26 count=16", "client=27"]
        #expect(Self.fields(log.lines) == lines.map { "warning bound-reached \($0)" })
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
