import TestSupport
import Testing

@Suite("Stream or poll")
struct NegotiationTests {
    @Test(
        "an event stream is given to who prefers one, JSON to everybody else",
        arguments: [
            (nil, false), ("*/*", false), ("application/json", false), ("text/event-stream", true),
            ("TEXT/Event-Stream", true), ("text/event-stream;q=0.9, application/json;q=0.8", true),
            ("text/event-stream, */*;q=0.1", true), ("text/event-stream;q=0.5, application/json", false),
            ("application/json, text/event-stream", false), ("text/event-stream;q=0", false), ("text/*", false),
            ("text/html", false), ("text/event-stream; charset=utf-8", true),
        ] as [(String?, Bool)])
    func accept(header: String?, isStream: Bool) async throws {
        try await withService { service in
            let client = try await service.connect()
            try await client.send("GET", "/changes", header.map { ["Accept: \($0)"] } ?? [])
            let head = try await EventReader(client: client).head()
            #expect(head.status == 200)
            #expect(head["Content-Type"] == (isStream ? "text/event-stream; charset=utf-8" : "application/json"))
        }
    }

    @Test(
        "two lines of Accept are one list",
        arguments: [
            (["application/json;q=0.5", "text/event-stream"], true),
            (["text/event-stream", "application/json"], false),
            (["text/html", "image/png ", "\ttext/event-stream"], true), (["", "text/event-stream"], true),
            (["text/event-stream;q=0.5", "application/json"], false),
        ])
    func lines(values: [String], isStream: Bool) async throws {
        try await withService { service in
            let client = try await service.connect()
            // Another field between them, and one of a name that begins like theirs.
            let fields = values.flatMap { ["accept:\($0)", "X: Accept: text/html", "Accept-Encoding: text/html"] }
            try await client.send("GET", "/changes", fields)
            let head = try await EventReader(client: client).head()
            #expect(head["Content-Type"] == (isStream ? "text/event-stream; charset=utf-8" : "application/json"))
        }
    }
}
