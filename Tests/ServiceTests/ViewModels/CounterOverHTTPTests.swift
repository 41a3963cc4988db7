import TestSupport
import Testing
import ViewModels

@Suite("The counter over HTTP")
struct CounterOverHTTPTests {
    @Test("GET gives exactly the outputs, in declared order, with tag, type and no-store")
    func read() async throws {
        try await withService { service in
            let answer = try await service.get("/counter")
            #expect(answer.status == 200)
            #expect(answer.text == #"{"text":"0","enabled":false,"alpha":0.5}"#)
            #expect(answer["Content-Type"] == "application/json")
            #expect(answer["Cache-Control"] == "no-store")
            #expect(answer["ETag"]?.wholeMatch(of: /"[A-Za-z0-9_-]{6}\.0"/) != nil)
            #expect(answer["Content-Length"] == "40")
        }
    }

    @Test("HEAD gives what GET gives, without the body", arguments: ["/counter", "/login", "/session", "/", "/livez"])
    func head(path: String) async throws {
        try await withService { service in
            let (get, head) = (try await service.get(path), try await service.head(path))
            #expect(head.status == get.status)
            #expect(head.body.isEmpty)
            for name in ["Content-Type", "Content-Length", "ETag", "Cache-Control"] {
                #expect(head[name] == get[name], "\(name)")
            }
        }
    }

    @Test("an action gives the new state as GET would, and its tag is a cursor for what comes after")
    func act() async throws {
        try await withService { service in
            let acted = try await service.post("/counter/increment")
            let read = try await service.get("/counter")
            #expect(acted.status == 200)
            #expect(acted.text == #"{"text":"1","enabled":true,"alpha":1}"#)
            #expect(acted.body == read.body)
            #expect(acted["ETag"] == read["ETag"])
            #expect(acted["Cache-Control"] == "no-store")
            #expect(acted["Content-Type"] == "application/json")
            _ = try await service.post("/counter/increment")
            let cursor = try #require(acted.cursor)
            #expect(try await service.get("/changes?since=\(cursor)").changes() == ["counter.text=2@2"])
        }
    }

    @Test("an action that is disabled is 409 with the state beside the problem, and changes nothing")
    func disabled() async throws {
        try await withService { service in
            let cursor = try await service.cursor()
            let answer = try await service.post("/counter/decrement")
            try expect(answer, isProblem: "action-disabled", 409)
            #expect(try answer.json()["state"] == ["text": "0", "enabled": false, "alpha": 0.5])
            #expect(try await service.cursor() == cursor)
        }
    }

    @Test("an action without input takes no body, {} or null", arguments: [nil, "{}", "null", " { } "])
    func noInput(body: String?) async throws {
        try await withService { service in
            let answer = try await service.ask(
                "POST", "/counter/increment", body == nil ? [] : ["Content-Type: application/json"], body: body)
            #expect(answer.status == 200)
        }
    }

    @Test("the tag of a view model stays when another view model changes")
    func ownTag() async throws {
        try await withService { service in
            let before = try await service.get("/counter")["ETag"]
            #expect(try await service.post("/login/validate", json: "{}").cursor?.hasSuffix(".1") == true)
            #expect(try await service.get("/counter")["ETag"] == before)
            #expect(try await service.seq() == 1)
        }
    }
}
