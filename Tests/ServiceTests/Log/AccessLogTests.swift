import Dispatch
import HTTP
import TestSupport
import Testing
import ViewModels

@testable import Service

@Suite("The access log")
struct AccessLogTests {
    @Test("JSON: one object a line, with the route and not the path, and the answer's id")
    func json() async throws {
        try await withService { service in
            let answers = [
                try await service.get("/changes?wait=0&topics=counter"), try await service.post("/counter/decrement"),
                try await service.get("/nothing/here"), try await service.ask("BREW", "/counter"),
                try await service.head("/session"),
            ]
            let expected = [
                ("GET", "/changes", 200.0), ("POST", "/counter/decrement", 409), ("GET", "-", 404), ("-", "-", 405),
                ("HEAD", "/session", 200),
            ]
            let lines = try await service.log.lines(count: 5).map { try JSONValue(Array($0.utf8)) }
            try #require(lines.count == 5)
            for (answer, (method, route, status)) in zip(answers, expected) {
                let id = try #require(answer["Request-Id"])
                let line = try #require(lines.first { $0["requestId"] == .string(id) })
                #expect(line["method"] == .string(method))
                #expect(line["route"] == .string(route))
                #expect(line["status"] == .number(status))
                #expect(line["client"] == "127.0.0.1")
                #expect(line["ending"] == (status == 404 || status == 405 ? "refused" : "sent"))
                #expect((line["bytes"]?.number ?? -1) > Double(answer.body.count))
                #expect((line["microseconds"]?.number ?? -1) >= 0)
                #expect(line["time"]?.string?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil)
            }
        }
    }

    @Test("text: columns with time, client, status, method, route, bytes, microseconds and id")
    func text() async throws {
        try await withService(log: .text) { service in
            let id = try #require(try await service.get("/counter")["Request-Id"])
            let line = try #require(await service.log.lines(count: 1).first)
            let pattern = /(\S+) 127\.0\.0\.1 200 GET \/counter \d+B \d+µs (\S+)/
            let match = try #require(line.wholeMatch(of: pattern))
            #expect(match.1.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil)
            #expect(match.2 == id)
        }
    }

    @Test("a client that left before its answer is logged with 499")
    func left() async throws {
        try await withService { service in
            let waiting = try await service.poll("since=\(try await service.cursor())")
            await service.waits(1)
            waiting.raw.reset()
            let lines = await service.log.lines(count: 2)
            #expect(lines.contains { $0.contains(#""route":"/changes","status":499"#) })
        }
    }

    @Test("many requests at once are a line each, none of them torn")
    func many() async throws {
        try await withService { service in
            let requests = Client.request("GET", "/counter")
            let port = service.port
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        try await onThread {
                            let raw = try RawClient(to: port)
                            for _ in 0..<250 {
                                try raw.send(requests)
                                _ = try raw.readResponse()
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let lines = await service.log.lines(count: 1000)
            let ids = try lines.map { try JSONValue(Array($0.utf8))["requestId"]?.string }
            #expect(lines.count == 1000)
            #expect(Set(ids).count == 1000)
        }
    }

    private static func entry(_ number: Int) -> ExchangeEntry {
        ExchangeEntry(method: .get, route: "/counter", status: 200, microseconds: 7, requestID: "\(number)")
    }

    @Test("what was noted is written by a flush, in order")
    func flushed() async {
        let written = History<[UInt8]>()
        let log = AccessLog(format: .json) { written.note($0) }
        for number in 0..<3 { log.record(Self.entry(number)) }
        #expect(
            await eventually {
                log.flush()
                return !written.elements.isEmpty
            })
        let lines = String(decoding: written.elements.joined(), as: UTF8.self).split(separator: "\n")
        #expect(lines.map { $0.suffix(16) } == (0..<3).map { #""requestId":"\#($0)"}"# })
    }

    @Test("lines that nobody takes are counted instead of kept, and nobody waits for it")
    func dropped() async throws {
        let written = History<[UInt8]>()
        let isWriting = DispatchSemaphore(value: 0)
        let mayWrite = DispatchSemaphore(value: 0)
        let log = AccessLog(format: .json) { text in
            isWriting.signal()
            mayWrite.wait()
            written.note(text)
            mayWrite.signal()
        }
        let count = 80_000
        log.record(Self.entry(0))
        try await onThread { isWriting.wait() }
        // From here on nobody takes any.
        for number in 1..<count { log.record(Self.entry(number)) }
        mayWrite.signal()
        let isCounted = await eventually {
            log.flush()
            return written.elements.last?.starts(with: #"{"dropped""#.utf8) == true
        }
        try #require(isCounted)
        let last = try #require(written.elements.last)
        let dropped = try #require(try JSONValue(last.dropLast())["dropped"]?.number)
        let kept = written.elements.dropLast().joined().count { $0 == UInt8(ascii: "\n") }
        #expect(dropped > 0)
        #expect(kept + Int(dropped) == count)
    }

    @Test(
        "an event loop that is held is a line with its route, which says what that means",
        arguments: [
            (LogFormat.json, 2, #""heldLoop":1,"loops":2,"method":"POST","route":"/errand/run"}"#),
            (.text, 2, "loop 1 of 2 is held by POST /errand/run: it takes no new connections until it is free"),
            (
                .text, 1,
                "loop 1 of 1 is held by POST /errand/run: there is no other, and nobody is served until it is free"
            ),
        ])
    func held(format: LogFormat, loops: Int, end: String) async throws {
        let written = History<[UInt8]>()
        let log = AccessLog(format: format) { written.note($0) }
        log.record(HeldLoop(number: 1, of: loops, method: .post, route: "/errand/run"))
        #expect(await eventually { written.elements.count == 1 })
        #expect(String(utf8: written.elements.joined()).hasSuffix(end + "\n"))
    }

    @Test("each line has the time of its note, also where one page holds several seconds")
    func times() {
        let notes = [0, 0, 86_399, 1_700_000_000].map { LogNote(Self.entry(1), at: $0) }
        let lines = String(decoding: LogLines(.text).text(of: notes), as: UTF8.self).split(separator: "\n")
        #expect(
            lines.map { $0.prefix { $0 != " " } } == [
                "1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "1970-01-01T23:59:59Z", "2023-11-14T22:13:20Z",
            ])
    }
}
