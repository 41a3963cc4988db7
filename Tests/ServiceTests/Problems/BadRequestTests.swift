import TestSupport
import Testing
import ViewModels

@Suite("Requests that are wrong")
struct BadRequestTests {
    @Test(
        "a body that is not JSON is 400, and nothing changes",
        arguments: ["{", "{\"id\":}", "[1,]", "{\"id\":\"a\"} x", "\u{FEFF}{}", "NaN", "{'id':'a'}", "{\"id\":\"\n\"}"])
    func malformedJSON(body: String) async throws {
        try await withService { service in
            let cursor = try await service.cursor()
            try expect(try await service.post("/login/validate", json: body), isProblem: "malformed-json", 400)
            try expect(try await service.post("/counter/increment", json: body), isProblem: "malformed-json", 400)
            #expect(try await service.cursor() == cursor)
        }
    }

    @Test("an action that needs a body and gets none is 400")
    func noBody() async throws {
        try await withService { service in
            try expect(try await service.post("/login/validate"), isProblem: "malformed-json", 400)
        }
    }

    @Test(
        "JSON of the wrong shape is 422, and pointer names the member",
        arguments: [
            ("/login/validate", #"{"id":1}"#, "#/id"), ("/login/validate", #"{"id":"a","password":[]}"#, "#/password"),
            ("/login/validate", #"{"password":{}}"#, "#/password"), ("/login/validate", #"{"id":true}"#, "#/id"),
            ("/login/validate", "[]", "#"), ("/login/validate", #""text""#, "#"), ("/login/validate", "1", "#"),
            ("/login/validate", "null", "#"), ("/counter/increment", "[]", "#"),
            ("/counter/increment", #"{"by":2}"#, "#/by"), ("/sessions", #"{"name":"taro"}"#, "#/name"),
        ])
    func wrongShape(path: String, body: String, pointer: String) async throws {
        try await withService { service in
            let answer = try await service.post(path, json: body)
            try expect(answer, isProblem: "wrong-shape", 422)
            #expect(try answer.json()["pointer"] == .string(pointer))
            #expect(try await service.seq() == 0)
        }
    }

    @Test(
        "a body that is not declared as JSON is 415",
        arguments: [nil, "text/plain", "application/x-www-form-urlencoded", "application/jsonx", "json", ""]
            as [String?])
    func notJSON(type: String?) async throws {
        try await withService { service in
            let headers = type.map { ["Content-Type: \($0)"] } ?? []
            for path in ["/login/validate", "/counter/increment", "/sessions"] {
                try expect(try await service.ask("POST", path, headers, body: "{}"), isProblem: "not-json", 415)
            }
        }
    }

    @Test(
        "JSON may be declared with parameters, in any case, or with a +json suffix",
        arguments: [
            "application/json; charset=utf-8", "Application/JSON", "application/json;charset=UTF-8",
            "application/merge-patch+json",
        ])
    func declaredJSON(type: String) async throws {
        try await withService { service in
            let answer = try await service.ask("POST", "/login/validate", ["Content-Type: \(type)"], body: "{}")
            #expect(answer.status == 200)
        }
    }

    @Test("a body over 64 KiB is 413, one of exactly 64 KiB is read")
    func tooLarge() async throws {
        try await withService { service in
            func body(_ count: Int) -> String { "{\"id\":\"" + String(repeating: "a", count: count - 9) + "\"}" }
            #expect(try await service.post("/login/validate", json: body(65_536)).status == 200)
            try expect(
                try await service.post("/login/validate", json: body(65_537)), isProblem: "body-too-large", 413)
        }
    }

    @Test(
        "what is not there is 404",
        arguments: [
            "/nothing", "/counter/", "/counter/nothing", "/Counter", "/login/validate/now", "/sessions/1", "//counter",
        ])
    func notFound(path: String) async throws {
        try await withService { service in
            try expect(try await service.get(path), isProblem: "not-found", 404)
            try expect(try await service.post(path), isProblem: "not-found", 404)
        }
    }

    @Test(
        "a method that a path does not have is 405, and Allow names those it has",
        arguments: [
            ("POST", "/counter", "GET, HEAD"), ("DELETE", "/counter", "GET, HEAD"), ("PUT", "/", "GET, HEAD"),
            ("GET", "/counter/increment", "POST"), ("HEAD", "/counter/increment", "POST"),
            ("GET", "/sessions", "POST"), ("POST", "/session", "DELETE, GET, HEAD"), ("PATCH", "/changes", "GET, HEAD"),
            ("OPTIONS", "/login/validate", "POST"), ("BREW", "/login", "GET, HEAD"),
        ])
    func methodNotAllowed(method: String, path: String, allow: String) async throws {
        try await withService { service in
            let answer = try await service.ask(method, path, body: method == "HEAD" ? nil : "")
            #expect(answer.status == 405)
            #expect(answer["Allow"]?.split(separator: ", ").sorted().joined(separator: ", ") == allow)
            if method != "HEAD" { try expect(answer, isProblem: "method-not-allowed", 405) }
        }
    }

    @Test(
        "a malformed or doubled parameter of /changes is 400",
        arguments: [
            "since=", "since=k3Qm7w", "since=k3Qm7w.", "since=.1", "since=k3Qm7w.01", "since=k3Qm7w.-1",
            "since=k3Qm7w.1.2", "since=%22k3Qm7w.1%22", "since=k3Qm7w.99999999999999999999",
            "since=12345678901234567.1", "since=k3Q%6.1", "since=%FF.1", "wait=", "wait=-1", "wait=soon", "wait=NaN",
            "wait=inf", "wait=0x10", "wait=1+", "wait=1s", "topics=", "topics=nothing", "topics=counter,",
            "topics=counter/text", "topics=counter,,login", "topics=Counter", "topics=counter/", "values=",
            "values=some", "values=ALL", "wait=1&wait=1", "since=k3Qm7w.1&since=k3Qm7w.1", "values=all&values=all",
            "topics=counter&topics=login",
        ])
    func changes(query: String) async throws {
        try await withService { service in
            try expect(try await service.get("/changes?\(query)"), isProblem: "malformed-query", 400)
            try expect(
                try await service.get("/changes?\(query)", "Accept: text/event-stream"), isProblem: "malformed-query",
                400)
            #expect(try await service.head("/changes?\(query)").status == 400)
        }
    }

    @Test("a malformed Last-Event-ID is 400")
    func lastEventID() async throws {
        try await withService { service in
            try expect(
                try await service.get("/changes", "Accept: text/event-stream", "Last-Event-ID: yesterday"),
                isProblem: "malformed-query", 400)
        }
    }
}
