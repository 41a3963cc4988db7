import Service
import Sessions
import TestSupport
import Testing
import ViewModels

@Suite("Secrets")
struct SecretTests {
    static let marker = "himitsu-7f3a"

    /// All of an answer that its reader sees.
    private static func everything(of answer: ReceivedResponse) -> String {
        answer.headers.map { "\($0.name): \($0.value)\n" }.joined() + answer.text
    }

    @Test("nothing a caller sent comes back in an answer or stands in the log", arguments: [LogFormat.json, .text])
    func nothingComesBack(format: LogFormat) async throws {
        try await withService(log: format) { service in
            let m = Self.marker
            let json = "Content-Type: application/json"
            let requests: [(String, String, [String], String?)] = [
                ("GET", "/counter", ["Authorization: Bearer \(m)"], nil),
                ("GET", "/counter", ["Authorization: Basic \(m)"], nil),
                ("GET", "/counter", ["Authorization: Bearer \(m)", "Authorization: \(m)"], nil),
                ("GET", "/counter", ["Cookie: bindery-session=\(m)"], nil),
                ("GET", "/counter", ["Cookie: \(m)", "Cookie: bindery-session=\(m)"], nil),
                ("POST", "/counter/increment", ["Cookie: bindery-session=\(m)"], nil),
                ("DELETE", "/session", ["Authorization: Bearer \(m)"], nil),
                ("GET", "/\(m)", [], nil), ("GET", "/counter/\(m)", [], nil), ("GET", "/%zz\(m)", [], nil),
                ("POST", "/\(m)/increment", [], "{}"), ("PUT", "/counter?\(m)", [], m), (m, "/counter", [], nil),
                ("GET", "/changes?since=\(m)", [], nil), ("GET", "/changes?wait=\(m)", [], nil),
                ("GET", "/changes?topics=\(m)", [], nil), ("GET", "/changes?values=\(m)", [], nil),
                ("GET", "/changes?\(m)=\(m)", [], nil), ("GET", "/changes?since=%zz\(m)", [], nil),
                ("GET", "/changes", ["Last-Event-ID: \(m)"], nil),
                ("GET", "/counter?token=\(m)", ["If-None-Match: \(m)"], nil),
                ("POST", "/counter/increment", ["If-Match: \"\(m)\""], nil),
                ("POST", "/counter/increment", ["Origin: http://\(m)"], nil),
                ("POST", "/counter/increment", ["Content-Type: text/\(m)"], m),
                ("POST", "/counter/increment", [json], "{\(m)"), ("POST", "/counter/increment", [json], "\"\(m)\""),
                ("POST", "/login/validate", [json], "{\"id\":[\"\(m)\"]}"),
                ("POST", "/login/validate", [json], "{\"id\":\"\(m)\",\"password\":\"\(m)\"}"),
                ("POST", "/login/validate", [json], "[\"\(m)\"]"), ("POST", "/login/validate", [json], "{\"\(m)\""),
                ("POST", "/sessions", ["Authorization: Bearer \(m)", "Accept-Language: \(m)"], nil),
                ("GET", "/session", ["Request-Id: \(m)", "User-Agent: \(m)"], nil), ("GET", "/changes", [], nil),
            ]
            for (method, path, headers, body) in requests {
                let answer = try await service.ask(method, path, headers, body: body)
                #expect(!Self.everything(of: answer).contains(m), "\(method) \(path) \(headers)")
            }
            let lines = await service.log.lines(count: requests.count)
            #expect(lines.count == requests.count)
            #expect(!lines.contains { $0.contains(m) })
        }
    }

    @Test("a token is told once, when it is made, and is in no other answer, nor in the log")
    func token() async throws {
        try await withService { service in
            let token = try await service.begin()
            let bearer = "Authorization: Bearer \(token)"
            let answers = [
                try await service.get("/counter", bearer), try await service.get("/session", bearer),
                try await service.get("/changes", "Cookie: bindery-session=\(token)"),
                try await service.post("/counter/decrement", bearer), try await service.get("/nothing", bearer),
                try await service.post("/login/validate", json: "[]", bearer),
                try await service.delete("/session", "Cookie: bindery-session=\(token)"),
                try await service.get("/counter", bearer),
            ]
            for answer in answers { #expect(!Self.everything(of: answer).contains(token)) }
            let lines = await service.log.lines(count: answers.count + 1)
            #expect(lines.count == answers.count + 1)
            #expect(!lines.contains { $0.contains(token) })
        }
    }

    @Test("what was typed into the login is in no answer, no feed and no store")
    func typed() async throws {
        try await withService { service in
            let token = try await service.begin()
            let bearer = "Authorization: Bearer \(token)"
            let m = Self.marker
            let answers = [
                try await service.post("/login/validate", json: "{\"id\":\"\(m)\",\"password\":\"\(m)\"}", bearer),
                try await service.get("/login", bearer), try await service.get("/session", bearer),
                try await service.get("/changes", bearer),
            ]
            for answer in answers { #expect(!Self.everything(of: answer).contains(m)) }
            let id = try #require(SessionToken(token)?.sessionID)
            let record = try #require(try await service.store.behind.load(id))
            #expect(record.viewModels.keys.sorted() == ["login"])
            for viewModel in record.viewModels.values {
                #expect(!String(utf8: viewModel.model + viewModel.outputs.flatMap(\.value)).contains(m))
            }
            #expect(!id.rawValue.contains(token))
        }
    }
}
