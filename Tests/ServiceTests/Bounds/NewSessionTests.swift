import TestSupport
import Testing
import ViewModels

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
            let twice = try await service.post("/sessions", "X-Forwarded-For: 1.2.3.4", "X-Forwarded-For: 127.0.0.1")
            #expect(twice.status == 429)
        }
    }

    @Test("the log is told of it once a second, with the option, the network and how often")
    func notice() async throws {
        try await withService {
            $0.trustedProxies = .loopback
            $0.service.newSessionsPerMinute = 1
        } _: { service in
            for _ in 0..<4 { _ = try await begin(service, from: "2001:db8:1:2::1") }
            service.timeline.advance(by: .seconds(1))
            _ = try await begin(service, from: "2001:db8:1:2::1")
            let lines = try service.log.lines.map { try JSONValue(Array($0.utf8)) }.filter { $0["bound"] != nil }
            #expect(lines.map { $0["bound"] } == ["max-new-sessions", "max-new-sessions"])
            #expect(lines.map { $0["client"] } == ["2001:db8:1:2::", "2001:db8:1:2::"])
            #expect(lines.map { $0["count"] } == [1, 3])
            #expect(lines.first?["time"]?.string?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil)
        }
    }

    @Test("the other bounds are told of as well, in words where the log is text")
    func otherNotices() async throws {
        try await withService(log: .text) {
            $0.sessions.actionsPerSecond = 1
            $0.sessions.sessions = 1
        } _: { service in
            _ = try await service.begin()
            try expect(try await service.post("/sessions"), isProblem: "too-many-sessions", 503)
            _ = try await service.post("/counter/increment")
            try expect(try await service.post("/counter/increment"), isProblem: "too-many-actions", 429)
            let lines = service.log.lines
            for bound in ["max-sessions", "max-actions"] {
                #expect(lines.contains { $0.hasSuffix(" --\(bound) reached once, last by 127.0.0.1") })
            }
        }
    }
}
