import Locking
import TestSupport
import Testing
import ViewModels

/// The reading end of an event stream.
final class EventReader: Sendable {
    struct Event: Sendable, Equatable {
        var event: String?
        var id: String?
        var data: String?
        var retry: String?

        func json() throws -> JSONValue { try JSONValue(Array((data ?? "").utf8)) }
    }

    let client: Client
    /// What was received and is not yet an event: a chunk may hold several events.
    private let pending = Lock<[UInt8]>([])

    init(client: Client) { self.client = client }

    /// The answer's head.
    func head() async throws -> ReceivedResponse { try await onThread { [raw = client.raw] in try raw.readHead() } }

    /// The next event.
    ///
    /// - Returns: nil at the end of the stream.
    func next() async throws -> Event? {
        while true {
            let text = pending.withLock { pending in
                pending.firstRange(of: Array("\n\n".utf8)).map { end in
                    defer { pending.removeSubrange(..<end.upperBound) }
                    return String(utf8: pending[..<end.lowerBound])
                }
            }
            if let text { return try Self.event(text) }
            guard let chunk = try await onThread({ [raw = client.raw] in try raw.readChunk() }) else {
                #expect(pending.withLock { $0.isEmpty }, "The stream ended within an event.")
                return nil
            }
            pending.withLock { $0 += chunk }
        }
    }

    private static func event(_ text: String) throws -> Event {
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

    /// Reads the head and the first event, which comes at once and says after how long to come back.
    @discardableResult
    func opened() async throws -> Event {
        #expect(try await head().status == 200)
        var first = try #require(try await next())
        #expect(first.retry == "2000")
        first.retry = nil
        return first
    }
}
