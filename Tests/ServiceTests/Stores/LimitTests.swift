import TestSupport
import Testing
import ViewModels

@Suite("Limits")
struct LimitTests {
    @Test("one session more than there may be is 503; after an end there is room again")
    func sessions() async throws {
        try await withService {
            $0.sessions.sessions = 2
        } _: { service in
            _ = try await service.get("/counter")
            let token = try await service.begin()
            _ = try await service.begin()
            try expect(try await service.post("/sessions"), isProblem: "too-many-sessions", 503)
            #expect(try await service.get("/counter").status == 200)
            _ = try await service.delete("/session", "Authorization: Bearer \(token)")
            _ = try await service.begin()
            try expect(try await service.post("/sessions"), isProblem: "too-many-sessions", 503)
        }
    }

    @Test("where the process has as much memory as it may, whoever begins a session is 503; one in memory goes on")
    func memory() async throws {
        try await withService(log: .text) {
            // The process has more.
            $0.sessions.memoryBytes = 1
        } _: { service in
            let token = try await service.begin()
            let answer = try await service.post("/sessions")
            try expect(answer, isProblem: "memory-full", 503)
            #expect(answer["Retry-After"] == "2")
            try expect(try await service.get("/counter"), isProblem: "memory-full", 503)
            #expect(try await service.post("/counter/increment", "Authorization: Bearer \(token)").status == 200)
            #expect(await eventually { service.log.lines.contains { $0.contains("bound=max-memory limit=1 ") } })
        }
    }

    @Test("too many actions of one session are 429 until as many seconds have passed; others go on")
    func actions() async throws {
        try await withService {
            $0.sessions.actionsPerSecond = 3
        } _: { service in
            let token = try await service.begin()
            for _ in 0..<3 { _ = try await service.post("/counter/increment") }
            let answer = try await service.post("/counter/increment")
            try expect(answer, isProblem: "too-many-actions", 429)
            #expect(answer["Retry-After"] == "1")
            #expect(try await service.get("/counter").json()["text"] == "3")
            #expect(try await service.post("/counter/increment", "Authorization: Bearer \(token)").status == 200)
            service.timeline.advance(by: .seconds(1))
            #expect(try await service.post("/counter/increment").json()["text"] == "4")
        }
    }

    @Test("an async action counts once")
    func asyncActions() async throws {
        try await withService {
            $0.sessions.actionsPerSecond = 3
        } _: { service in
            for status in [200, 200, 200, 429] {
                let answer = try await service.post("/login/validate", json: "{}")
                #expect(answer.status == status)
            }
        }
    }

    /// Eight places beyond the limit are kept for this machine, from which all of these come.
    @Test("one connection more than there may be is 503 with Retry-After")
    func connections() async throws {
        try await withService {
            $0.server.connections = 2
            $0.server.threads = 1
        } _: { service in
            var served: [Client] = []
            for _ in 0..<2 + 8 {
                served.append(try await service.connect())
                _ = try await served[served.count - 1].get("/livez")
            }
            try expect(try await service.get("/livez"), isProblem: "server-full", 503)
            for client in served { client.raw.close() }
        }
    }
}
