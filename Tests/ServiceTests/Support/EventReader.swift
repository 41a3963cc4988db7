import TestSupport
import Testing

/// The reading end of an event stream.
struct EventReader: Sendable {
    struct Event: Sendable, Equatable {
        var event: String?
        var id: String?
        var data: String?
        var retry: String?

        func json() throws -> JSONValue { try JSONValue(Array((data ?? "").utf8)) }
    }

    let client: Client

    /// The answer's head.
    func head() async throws -> ReceivedResponse { try await onThread { [raw = client.raw] in try raw.readHead() } }

    /// The next event; each comes in a chunk of its own.
    ///
    /// - Returns: nil at the end of the stream.
    func next() async throws -> Event? {
        guard let chunk = try await onThread({ [raw = client.raw] in try raw.readChunk() }) else { return nil }
        let text = String(utf8: chunk)
        try #require(text.hasSuffix("\n\n"))
        var event = Event()
        for line in text.split(separator: "\n") {
            let colon = try #require(line.firstRange(of: ": "))
            let value = String(line[colon.upperBound...])
            switch line[..<colon.lowerBound] {
            case "event": event.event = value
            case "id": event.id = value
            case "data": event.data = value
            case "retry": event.retry = value
            default: Issue.record("A field that is not in the contract: \(line)")
            }
        }
        return event
    }

    /// Reads the head and the retry time, which come first.
    func opened() async throws {
        #expect(try await head().status == 200)
        #expect(try await next() == Event(retry: "2000"))
    }
}
