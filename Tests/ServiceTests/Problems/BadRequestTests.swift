import TestSupport
import Testing
import ViewModels

@Suite("Requests that are wrong")
struct BadRequestTests {
    @Test(
        "a body that is not JSON is 400, and nothing changes",
        arguments: [
            "{", "{\"id\":}", "[1,]", "{\"id\":\"a\"} x", "\u{FEFF}{}", "NaN", "{'id':'a'}", "{\"id\":\"\n\"}",
        ])
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
            ("/login/validate", #"{"id":"a","pasword":"b"}"#, "#/pasword"),
            ("/login/validate", #"{"id":"\ud83d"}"#, "#/id"), ("/counter/increment", #"{"\ude00\ud83d":"a"}"#, "#"),
            ("/sessions", "{\"a\":\"\(String(repeating: "\u{301}", count: 31))\"}", "#/a"),
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
        arguments: [
            nil, "text/plain", "application/x-www-form-urlencoded", "application/jsonx", "json", "",
            "application/json; charset=utf-16", "application/json;a=b; Charset=\"latin1\"", "application/json garbage",
            "application/json, text/plain", "application/json;a=b, text/plain", "application/a, application/b+json",
            "application/json;charset=utf-8;charset=utf-16", "application/json;charset=\"utf\\-16\"",
            "application/json;charset*=utf-16''x", "application/json;charset", "application/json;a=\"b", "/json",
            "application/json;a=b c", "application/\u{300}+json", "application/+json/a",
            "application/json;charset =utf-16",
        ] as [String?])
    func notJSON(type: String?) async throws {
        try await withService { service in
            let headers = type.map { ["Content-Type: \($0)"] } ?? []
            for path in ["/login/validate", "/counter/increment", "/sessions"] {
                try expect(try await service.ask("POST", path, headers, body: "{}"), isProblem: "not-json", 415)
            }
        }
    }

    @Test(
        "a body that somebody on the way would read otherwise is 415",
        arguments: [
            "Content-Encoding: gzip", "Content-Encoding: identity, br",
            "Content-Encoding: identity\r\nContent-Encoding: br",
        ])
    func coded(field: String) async throws {
        try await withService { service in
            let answer = try await service.post("/counter/increment", json: "{}", field)
            try expect(answer, isProblem: "not-json", 415)
            #expect(answer["Accept-Encoding"] == "identity")
            #expect(
                try await service.post("/counter/increment", json: "{}", "Content-Encoding: Identity").status == 200)
            #expect(try await service.post("/counter/increment", field).status == 200)
        }
    }

    @Test(
        "JSON may be declared with parameters, in any case, or with a +json suffix",
        arguments: [
            "application/json; charset=utf-8", "Application/JSON", "application/json;charset=UTF-8",
            "application/merge-patch+json", "application/json;", "application/json ; ;a=\"; charset=utf-16\"",
            "application/json;charset=\"utf\\-8\"",
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
            ("GET", "/sessions", "POST"), ("POST", "/session", "DELETE, GET, HEAD, PATCH"),
            ("PATCH", "/changes", "GET, HEAD"),
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
            "since=k3Qm7w.1.2", "since=%22k3Qm7w.1", "since=%22", "since=k3Qm7w.99999999999999999999",
            "since=12345678901234567.1", "since=k3Q%6.1", "since=%FF.1", "wait=", "wait=-1", "wait=soon", "wait=NaN",
            "wait=inf", "wait=0x10", "wait=1+", "wait=1s", "topics=", "topics=nothing", "topics=counter,",
            "topics=counter/text", "topics=counter,,login", "topics=Counter", "topics=counter/", "values=",
            "values=some", "values=ALL", "wait=1&wait=1", "since=k3Qm7w.1&since=k3Qm7w.1", "values=all&values=all",
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

    @Test(
        "a query that a path does not know is 400 and tells what it knows, with the nearest name",
        arguments: [
            ("/changes?sinse=k3Qm7w.1", "Did you mean since? This path takes since, wait, topics and values."),
            ("/changes?wait=0&vaules=none", "Did you mean values? This path takes since, wait, topics and values."),
            ("/changes?timeout=5", "This path takes since, wait, topics and values."),
            ("/changes?=1", "This path takes since, wait, topics and values."),
            ("/counter?since=k3Qm7w.1", "This path takes no query; leave out the question mark and what follows."),
            ("/?x", "This path takes no query; leave out the question mark and what follows."),
            ("/session?a=b", "This path takes no query; leave out the question mark and what follows."),
            ("/livez?a", "This path takes no query; leave out the question mark and what follows."),
            (
                "/changes?topics=conter",
                "Did you mean counter? topics is a list of view models and facets, like "
                    + "counter,login; see GET / for the names."
            ),
            (
                "/changes?topics=counter,nope",
                "Topic 2 of the 2 is unknown here. topics is a list of view models and facets, like "
                    + "counter,login; see GET / for the names."
            ),
        ])
    func unknownQuery(path: String, detail: String) async throws {
        try await withService { service in
            let answer = try await service.get(path)
            try expect(answer, isProblem: "malformed-query", 400)
            #expect(try answer.json()["detail"] == .string(detail))
        }
    }

    @Test("an action with a query is 400 and changes nothing", arguments: ["/counter/increment?by=2", "/sessions?a"])
    func unknownQueryOfAction(path: String) async throws {
        try await withService { service in
            try expect(try await service.post(path), isProblem: "malformed-query", 400)
            #expect(try await service.seq() == 0)
        }
    }

    @Test("a question mark with nothing behind it is no query", arguments: ["/counter?", "/changes?", "/?&"])
    func emptyQuery(path: String) async throws {
        try await withService { service in
            let answer = try await service.get(path)
            #expect(answer.status == 200)
        }
    }

    @Test("an ETag is a cursor with its quotes or without, as a link of openapi.yaml hands it on")
    func entityTagAsCursor() async throws {
        try await withService { service in
            let tag = try #require(try await service.get("/counter")["ETag"])
            let quoted = tag.replacing("\"", with: "%22")
            _ = try await service.post("/counter/increment")
            let changes = try await service.get("/changes?since=\(quoted)")
            #expect(try changes.json()["kind"] == "delta")
            #expect(changes.text == (try await service.get("/changes?since=\(quoted.replacing("%22", with: ""))").text))
        }
    }

    @Test(
        "what is wrong with an Idempotency-Key is said, and that nothing was begun",
        arguments: [
            (["Idempotency-Key: a b"], "1 to 255 visible ASCII characters"), (["Idempotency-Key: "], "1 to 255"),
            (["Idempotency-Key: \"a\"b\""], "double quotes"),
            (["Idempotency-Key: a", "Idempotency-Key: b"], "not two"),
        ])
    func idempotencyKey(headers: [String], words: String) async throws {
        try await withService { service in
            let answer = try await service.ask("POST", "/counter/increment", headers)
            try expect(answer, isProblem: "malformed-header", 400)
            let detail = try #require(try answer.json()["detail"]?.string)
            #expect(detail.contains(words) && detail.hasSuffix("Nothing was begun."))
            #expect(try await service.seq() == 0)
        }
    }

    @Test("a malformed Last-Event-ID is 400")
    func lastEventID() async throws {
        try await withService { service in
            try expect(
                try await service.get("/changes", "Accept: text/event-stream", "Last-Event-ID: yesterday"),
                isProblem: "malformed-header", 400)
        }
    }
}
