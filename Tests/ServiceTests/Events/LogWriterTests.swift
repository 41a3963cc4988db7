import Dispatch
import Events
import Glibc
import HTTP
import TestSupport
import Testing
import ViewModels

@testable import Service

@Suite("The log")
struct LogWriterTests {
    @Test("JSON: one object a line, with the route and not the path, and the answer's id")
    func json() async throws {
        try await withService { service in
            let answers = [
                try await service.get("/session"), try await service.post("/counter/decrement"),
                try await service.get("/nothing/here"), try await service.ask("BREW", "/counter"),
                try await service.head("/session"),
            ]
            let expected = [
                ("GET", "/session", 200.0), ("POST", "/counter/decrement", 409), ("GET", "-", 404), ("-", "-", 405),
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
                #expect(line["event"] == "request")
                #expect(line["level"] == "info")
                #expect((line["session"] == nil) == (route == "-"))
                #expect(
                    line["problem"] == ["/counter/decrement": "action-disabled", "-": nil][route].flatMap {
                        $0.map { .string($0) }
                    } ?? line["problem"])
                #expect(line["ending"] == "sent")
                if method != "HEAD" { #expect(line["bytes"]?.number == Double(answer.body.count)) }
                #expect((line["microseconds"]?.number ?? -1) >= 0)
                #expect(line["time"]?.string?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
            }
        }
    }

    @Test("text: columns with time, client, status, method, route, bytes, microseconds and id")
    func text() async throws {
        try await withService(log: .text) { service in
            let id = try #require(try await service.get("/session")["Request-Id"])
            let line = try #require(await service.log.lines(count: 1).first)
            let pattern = /(\S+) info 127\.0\.0\.1 200 GET \/session \d+B \d+µs (\S+) session=[0-9a-f]{16}/
            let match = try #require(line.wholeMatch(of: pattern))
            #expect(match.1.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
            #expect(match.2 == id)
        }
    }

    @Test("a client that hung up before its answer is logged so")
    func left() async throws {
        try await withService { service in
            let waiting = try await service.poll("since=\(try await service.cursor())")
            await service.waits(1)
            waiting.raw.reset()
            let lines = await service.log.lines(count: 2)
            #expect(lines.contains { $0.contains(#""route":"/changes","status":200,"ending":"client-gone""#) })
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
        ExchangeEntry(method: "GET", route: "/counter", status: 200, microseconds: 7, requestID: "\(number)")
    }

    @Test("what was noted is written by a flush, in order")
    func flushed() async {
        let written = History<[UInt8]>()
        let log = LogWriter(format: .json) { written.note($0) }
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
        let log = LogWriter(format: .json) { text in
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
            return String(utf8: written.elements.last ?? []).contains(#""event":"lines-dropped""#)
        }
        try #require(isCounted)
        let lines = String(utf8: written.elements.joined()).split(separator: "\n")
        let last = try #require(lines.last)
        let dropped = try #require(try JSONValue(Array(last.utf8))["count"]?.number)
        #expect(dropped > 0)
        #expect(lines.count - 1 + Int(dropped) == count)
    }

    private static let event = Event(
        Event.Kind("store-lost", .error, ["path", "reason", "count", "names"]),
        ["path": "/var/lib/a.db", "reason": "a \"bad\"\ndisk", "count": 3, "names": .list(["a", "b"])])

    @Test(
        "another event is a line with its level, its name and its fields, each of them one word where the log is text",
        arguments: [
            (
                LogFormat.json,
                #"{"time":"1970-01-01T00:00:01.005Z","level":"error","event":"store-lost","path":"/var/lib/a.db","#
                    + #""reason":"a \"bad\"\ndisk","count":3,"names":["a","b"]}"#
            ),
            (
                .text,
                "1970-01-01T00:00:01.005Z error store-lost path=/var/lib/a.db "
                    + #"reason="a \"bad\"\ndisk" count=3 names=a,b"#
            ),
        ])
    func event(format: LogFormat, line: String) {
        let lines = LogLines(LogStyle(format: format)).text(of: [LogNote(.event(Self.event), at: 1005)])
        #expect(String(utf8: lines) == line + "\n")
    }

    @Test("another event is written at once, behind the requests before it")
    func urgent() async {
        let written = History<[UInt8]>()
        let log = LogWriter(format: .text) { written.note($0) }
        log.record(Self.entry(1))
        log.record(Self.event)
        #expect(await eventually { !written.elements.isEmpty })
        let lines = String(utf8: written.elements.joined()).split(separator: "\n")
        #expect(lines.map { $0.contains(" store-lost ") } == [false, true])
    }

    @Test(
        "the level of a request is that of its outcome, and less than the log's level is not written",
        arguments: [
            ("/counter", 200, ExchangeEntry.Ending.sent, Event.Level.info), ("/livez", 200, .sent, .debug),
            ("/readyz", 200, .sent, .debug), ("/readyz", 503, .sent, .warning), ("/livez", 404, .sent, .info),
            ("/counter", 404, .sent, .info), ("/counter", 500, .sent, .error), ("/counter", 504, .sent, .warning),
            ("-", 503, .sent, .warning), ("/changes", 200, .clientGone, .info),
        ])
    func levels(route: String, status: Int, ending: ExchangeEntry.Ending, level: Event.Level) {
        let entry = ExchangeEntry(
            method: "GET", route: route, status: status, ending: ending, microseconds: 1, requestID: "1")
        for least in Event.Level.allCases {
            let written = History<[UInt8]>()
            let log = LogWriter(format: .json, level: least) { written.note($0) }
            log.record(entry)
            log.flush()
            let text = String(utf8: written.elements.joined())
            #expect(text.contains(#""level":"\#(level)""#) == (level >= least))
            #expect(text.isEmpty == (level < least))
        }
    }

    @Test(
        "in the journal each line begins with its priority",
        arguments: [
            (Event.Level.debug, "<7>"), (.info, "<6>"), (.warning, "<4>"), (.error, "<3>"), (.critical, "<2>"),
        ])
    func priorities(level: Event.Level, prefix: String) {
        let note = LogNote(.event(Event(Event.Kind("a", level, []))), at: 0)
        let style = LogStyle(format: .json, hasPriorities: true)
        #expect(String(utf8: LogLines(style).text(of: [note])).hasPrefix(prefix + #"{"time""#))
    }

    @Test("the journal is known by its file, not by the variable alone")
    func journal() throws {
        var status = stat()
        #expect(fstat(0, &status) == 0)
        let name = "\(status.st_dev):\(status.st_ino)"
        #expect(LogWriter.isJournal(0, environment: ["JOURNAL_STREAM": name]))
        #expect(!LogWriter.isJournal(0, environment: ["JOURNAL_STREAM": name + "0"]))
        #expect(!LogWriter.isJournal(0, environment: [:]))
    }

    @Test(
        "a request's trace is told where it is one",
        arguments: [
            ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", true),
            ("cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00", true),
            ("ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", false),
            ("00-00000000000000000000000000000000-b7ad6b7169203331-01", false),
            ("00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", false),
            ("00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01", false),
            ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331", false), ("secret", false), ("", false),
        ])
    func trace(traceparent: String, isTold: Bool) async throws {
        try await withService { service in
            _ = try await service.get("/counter", "traceparent: \(traceparent)")
            let line = try #require(await service.log.lines(count: 1).last)
            let said = try JSONValue(Array(line.utf8))["traceparent"]
            #expect(said == (isTold ? .string(traceparent) : nil))
        }
    }

    @Test("a session has one name in all lines, another session another, and it is neither token nor id")
    func sessions() async throws {
        try await withService { service in
            let answer = try await service.post("/sessions")
            let token = try #require(try answer.json()["token"]?.string)
            let id = try #require(try answer.json()["id"]?.string)
            _ = try await service.get("/counter", "Authorization: Bearer \(token)")
            _ = try await service.get("/counter")
            let lines = await service.log.lines(count: 3).suffix(3)
            let names = try lines.map { try JSONValue(Array($0.utf8))["session"]?.string }
            #expect(names[0] != nil && names[0] == names[1] && names[1] != names[2])
            #expect(!lines.joined().contains(token) && !lines.joined().contains(id))
        }
    }

    @Test("a stop stands in the log, with the reason, before and behind what it ended")
    func stop() async throws {
        try await withService { service in
            _ = try await service.get("/counter")
            _ = await service.log.lines(count: 1)
            await service.stop(within: .zero)
            let names = try service.log.lines.map { try JSONValue(Array($0.utf8))["event"]?.string }
            #expect(names == ["request", "drain-begun", "drain-ended"])
        }
    }

    @Test("each line has the time of its note, also where one page holds several seconds")
    func times() {
        let notes = [0, 7, 86_399_042, 1_700_000_000_999].map { LogNote(.request(Self.entry(1)), at: $0) }
        let lines = String(decoding: LogLines(LogStyle(format: .text)).text(of: notes), as: UTF8.self).split(
            separator: "\n")
        #expect(
            lines.map { $0.prefix { $0 != " " } } == [
                "1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.007Z", "1970-01-01T23:59:59.042Z",
                "2023-11-14T22:13:20.999Z",
            ])
    }
}
