import Dispatch
import Events
import Foundation
import HTTP
import Locking
import TestSupport
import Testing

@testable import Service

/// A log whose lines a test reads, and whose clock it moves.
final class WrittenLog: Sendable {
    private let text = Lock<[UInt8]>([])
    private let time = Lock(0)
    let format: LogFormat
    let level: Event.Level

    init(_ format: LogFormat = .json, level: Event.Level = .info) { (self.format, self.level) = (format, level) }

    var writer: LogWriter {
        LogWriter(format: format, level: level, now: { self.time.withLock { $0 } }) { lines in
            self.text.withLock { $0 += lines }
        }
    }

    func move(to milliseconds: Int) { time.withLock { $0 = milliseconds } }

    var lines: [String] {
        String(decoding: text.withLock { $0 }, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}

/// Protects the form of the log's lines, and the server from a log that nobody reads.
@Suite("The log")
struct LogWriterTests {
    private static func entry(_ number: Int = 1, status: Int = 200, route: String = "/counter") -> ExchangeEntry {
        ExchangeEntry(method: "GET", route: route, status: status, microseconds: 7, requestID: "\(number)")
    }

    private static let refused = {
        var entry = ExchangeEntry(method: "GET", route: "-", status: 404, microseconds: 7, requestID: "a-1")
        (entry.problem, entry.bytes, entry.path) = ("not-found", 12, "/no%20where\"x")
        return entry
    }()

    private static let failed = {
        var entry = ExchangeEntry(
            method: "POST", route: "/counter/increment", status: 500, microseconds: 1_234_567, requestID: "a-2")
        (entry.session, entry.problem, entry.ending) = (SessionTag(0xabc), "internal-error", .clientGone)
        entry.cause = "a \"bad\"\nerror"
        return entry
    }()

    @Test(
        "a request is a line with its route, and in text also with the path of a request without a route",
        arguments: [
            (
                LogFormat.json, refused,
                #"{"time":"1970-01-01T00:00:01.005Z","level":"info","event":"request","client":"::","method":"GET","#
                    + #""route":"-","status":404,"problem":"not-found","ending":"sent","bytes":12,"microseconds":7,"#
                    + #""requestId":"a-1"}"#
            ),
            (
                .text, refused,
                #"1970-01-01T00:00:01.005Z info request client=:: method=GET path="/no%20where\"x" status=404 "#
                    + "problem=not-found ending=sent bytes=12 microseconds=7 requestId=a-1"
            ),
            (
                .json, failed,
                #"{"time":"1970-01-01T00:00:01.005Z","level":"error","event":"request","client":"::","#
                    + #""session":"0000000000000abc","method":"POST","route":"/counter/increment","status":500,"#
                    + #""problem":"internal-error","ending":"client-gone","bytes":0,"microseconds":1234567,"#
                    + #""requestId":"a-2","cause":"a \"bad\"\nerror"}"#
            ),
            (
                .text, failed,
                "1970-01-01T00:00:01.005Z error request client=:: session=0000000000000abc method=POST "
                    + "route=/counter/increment status=500 problem=internal-error ending=client-gone bytes=0 "
                    + #"microseconds=1234567 requestId=a-2 cause="a \"bad\"\nerror""#
            ),
        ])
    func request(format: LogFormat, entry: ExchangeEntry, line: String) {
        var lines = LogLines(format)
        lines.append(entry, at: 1005)
        #expect(String(decoding: lines.text, as: UTF8.self) == line + "\n")
    }

    private static let lost = Event(
        Event.Kind("store-lost", .error),
        ["path": "/var/lib/a.db", "reason": "a \"bad\"\ndisk", "bytes": 3, "names": .list(["a", "b"])])

    @Test(
        "an event is a line with its level, name and fields, each one word in text",
        arguments: [
            (
                LogFormat.json,
                #"{"time":"1970-01-01T00:00:00.000Z","level":"error","event":"store-lost","path":"/var/lib/a.db","#
                    + #""reason":"a \"bad\"\ndisk","bytes":3,"names":["a","b"]}"#
            ),
            (
                .text,
                "1970-01-01T00:00:00.000Z error store-lost path=/var/lib/a.db "
                    + #"reason="a \"bad\"\ndisk" bytes=3 names=a,b"#
            ),
        ])
    func event(format: LogFormat, line: String) {
        let log = WrittenLog(format)
        let writer = log.writer
        writer.record(Self.lost)
        writer.flush()
        #expect(log.lines == [line])
    }

    @Test(
        "the level of a request is that of its outcome",
        arguments: [
            ("/counter", 200, Event.Level.info), ("/livez", 200, .debug), ("/readyz", 200, .debug),
            ("/readyz", 503, .warning), ("/livez", 404, .info), ("/counter", 404, .info), ("/counter", 429, .warning),
            ("/counter", 500, .error),
            ("/counter", 504, .warning), ("-", 503, .warning),
        ])
    func level(route: String, status: Int, level: Event.Level) {
        #expect(Self.entry(status: status, route: route).level == level)
    }

    @Test("requests and events below the level of the log are left out", arguments: Event.Level.allCases)
    func least(level: Event.Level) {
        let log = WrittenLog(level: level)
        let writer = log.writer
        writer.record(Self.entry())
        writer.record(Self.lost)
        writer.flush()
        #expect(log.lines.count == (level <= .info ? 2 : level <= .error ? 1 : 0))
    }

    @Test("ten events of a kind in a second are a line each; the next line stands for the rest, too")
    func limited() {
        func event(_ client: Int) -> Event { Event(.boundReached, ["client": .number(client)]) }
        let log = WrittenLog(.text)
        let writer = log.writer
        for client in 1...25 { writer.record(event(client)) }
        writer.record(Event(Event.Kind("other", .warning)))
        log.move(to: 1_000)
        for client in 26...27 { writer.record(event(client)) }
        writer.flush()
        let lines =
            (1...10).map { "bound-reached client=\($0)" }
            + ["other", "bound-reached client=26 count=16", "bound-reached client=27"]
        #expect(log.lines.map { $0.components(separatedBy: " warning ")[1] } == lines)
    }

    @Test("lines that nothing takes are counted and not kept, and the recording thread does not wait")
    func dropped() throws {
        let (isWriting, mayWrite) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let text = Lock<[UInt8]>([])
        let writer = LogWriter(format: .json) { lines in
            isWriting.signal()
            mayWrite.wait()
            text.withLock { $0 += lines }
        }
        writer.record(Self.lost)
        isWriting.wait()
        let count = 70_000
        for number in 0..<count { writer.record(Self.entry(number)) }
        for _ in 0..<100 { mayWrite.signal() }
        var lines: [Substring] = []
        // A flush waits a second at most.
        for _ in 0..<60 where lines.last?.contains("lines-dropped") != true {
            writer.flush()
            lines = String(decoding: text.withLock { $0 }, as: UTF8.self).split(separator: "\n")
        }
        let last = try #require(lines.last?.firstMatch(of: /"event":"lines-dropped","count":(\d+)/))
        let dropped = try #require(Int(last.1))
        #expect(dropped > 0)
        #expect(lines.count - 2 + dropped == count)
    }

    @Test(
        "a refused request: text has method and path, JSON no path, and neither what else the client sent",
        arguments: [
            ("GET", "/secret-path?secret=1", "/secret-path", 404), ("DELETE", "/counter?secret=1", "/counter", 405),
            ("BREW", "/counter", "/counter", 405),
        ])
    func refusal(method: String, target: String, path: String, status: Int) async throws {
        try await TestServer.run { server in
            let reply = try await server.ask(
                method, target, "Authorization: Bearer secret", "Cookie: secret=1", body: #"{"secret":1}"#)
            #expect(reply.status == status)
            // The server logs a request after its answer.
            #expect(await eventually { !server.log.entries.isEmpty })
            let entry = try #require(server.log.entries.first)
            #expect(entry.path == path)
            var (columns, json) = (LogLines(.text), LogLines(.json))
            columns.append(entry, at: 0)
            json.append(entry, at: 0)
            let text = String(decoding: columns.text, as: UTF8.self)
            let known = method == "BREW" ? "-" : method
            #expect(text.contains(" method=\(known) path=\(path) status=\(status) "))
            #expect(!text.replacing(path, with: "").contains("secret"))
            #expect(!String(decoding: json.text, as: UTF8.self).contains("secret"))
        }
    }
}
