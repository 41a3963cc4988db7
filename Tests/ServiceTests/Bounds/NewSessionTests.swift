import HTTP
import TestSupport
import Testing
import ViewModels

@testable import Service

@Suite("The sessions that one network may begin")
struct NewSessionTests {
    private func begin(_ service: LiveService, from client: String) async throws -> ReceivedResponse {
        try await service.post("/sessions", "X-Forwarded-For: \(client)")
    }

    private func begin(
        _ service: LiveService, from client: String, is status: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let answer = try await begin(service, from: client)
        #expect(answer.status == status, sourceLocation: sourceLocation)
    }

    @Test("one more than may be within a minute is 429; other networks and later minutes are let in")
    func bound() async throws {
        try await withService {
            $0.trustedProxies = .loopback
            $0.service.newSessionsPerMinute = 3
        } _: { service in
            for _ in 0..<3 { try await begin(service, from: "203.0.113.7", is: 201) }
            let answer = try await begin(service, from: "203.0.113.7")
            try expect(answer, isProblem: "too-many-new-sessions", 429)
            #expect(answer["Retry-After"] == "20")
            try await begin(service, from: "203.0.113.8", is: 201)
            #expect(try await service.get("/counter", "X-Forwarded-For: 203.0.113.7").status == 200)
            service.timeline.advance(by: .seconds(20))
            try await begin(service, from: "203.0.113.7", is: 201)
            try await begin(service, from: "203.0.113.7", is: 429)
        }
    }

    @Test("those that the store could not begin do not count")
    func notBegun() async throws {
        try await withService {
            $0.trustedProxies = .loopback
            $0.service.newSessionsPerMinute = 2
        } _: { service in
            for _ in 0..<5 {
                service.store.next(.commit, .refuse)
                let answer = try await begin(service, from: "203.0.113.7")
                try expect(answer, isProblem: "store-unavailable", 503)
            }
            for _ in 0..<2 { try await begin(service, from: "203.0.113.7", is: 201) }
            try await begin(service, from: "203.0.113.7", is: 429)
        }
    }

    @Test("an IPv6 client is its /64: it has addresses without number")
    func network() async throws {
        try await withService {
            $0.trustedProxies = .loopback
            $0.service.newSessionsPerMinute = 1
        } _: { service in
            try await begin(service, from: "2001:db8:1:2::1", is: 201)
            try await begin(service, from: "2001:db8:1:2:ffff::1", is: 429)
            try await begin(service, from: "2001:db8:1:3::1", is: 201)
        }
    }

    @Test("this machine's own clients are exempt, and nobody can pass for one behind a proxy on this machine")
    func loopback() async throws {
        try await withService {
            $0.service.newSessionsPerMinute = 1
        } _: { service in
            for _ in 0..<3 { try await begin(service, from: "203.0.113.7", is: 201) }
        }
        try await withService {
            $0.trustedProxies = .loopback
            $0.service.newSessionsPerMinute = 1
        } _: { service in
            try await begin(service, from: "127.0.0.1", is: 201)
            try await begin(service, from: "127.0.0.1", is: 429)
            try await begin(service, from: "nonsense", is: 429)
            let twice = try await service.post("/sessions", "X-Forwarded-For: nonsense", "X-Forwarded-For: 127.0.0.1")
            #expect(twice.status == 429)
        }
    }

    @Test("the log is told of it once a second, with the option, the limit, the network and how often")
    func notice() async throws {
        try await withService {
            $0.trustedProxies = .loopback
            $0.service.newSessionsPerMinute = 1
        } _: { service in
            for _ in 0..<4 { _ = try await begin(service, from: "2001:db8:1:2::1") }
            try await service.timeline.sleeper(until: .seconds(1))
            service.timeline.advance(by: .seconds(1))
            func notices() -> [JSONValue] {
                service.log.lines.compactMap { try? JSONValue(Array($0.utf8)) }.filter { $0["bound"] != nil }
            }
            #expect(await eventually { notices().count == 2 })
            #expect(notices().map { $0["bound"] } == ["max-new-sessions", "max-new-sessions"])
            #expect(notices().map { $0["limit"] } == [1, 1])
            #expect(notices().map { $0["client"] } == ["2001:db8:1:2::", "2001:db8:1:2::"])
            #expect(notices().map { $0["count"] } == [1, 2])
            #expect(
                notices().first?["time"]?.string?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
        }
    }

    @Test("the other bounds are told of as well, in words where the log is text, and the rest when the server stops")
    func otherNotices() async throws {
        try await withService(log: .text) {
            $0.sessions.actionsPerSecond = 1
            $0.sessions.sessions = 1
        } _: { service in
            _ = try await service.begin()
            try expect(try await service.post("/sessions"), isProblem: "too-many-sessions", 503)
            _ = try await service.post("/counter/increment")
            for _ in 0..<3 {
                try expect(try await service.post("/counter/increment"), isProblem: "too-many-actions", 429)
            }
            func lines(_ end: String) -> Int { service.log.lines.count { $0.hasSuffix(end) } }
            func line(_ bound: String, _ count: Int) -> String {
                " warning bound-reached bound=\(bound) limit=1 client=127.0.0.1 count=\(count)"
            }
            #expect(lines(line("max-sessions", 1)) == 1)
            #expect(lines(line("max-actions", 1)) == 1)
            #expect(lines(line("max-actions", 2)) == 0)
            await service.stop(within: .zero)
            #expect(lines(line("max-actions", 2)) == 1)
        }
    }

    @Test("what is no option and nobody's doing is told without a limit or a client that nobody knows")
    func unknown() {
        func text(_ limit: Int?) -> String {
            let note = LogNote(.event(.boundReached("open-files", limit: limit, by: nil)), at: 0)
            return String(decoding: LogLines(LogStyle(format: .text)).text(of: [note]), as: UTF8.self)
        }
        #expect(text(nil) == "1970-01-01T00:00:00.000Z warning bound-reached bound=open-files\n")
        #expect(text(1024) == "1970-01-01T00:00:00.000Z warning bound-reached bound=open-files limit=1024\n")
    }
}
