import Sessions
import TestSupport
import Testing
import ViewModels

@Suite("A store that is slow, fails or is shared")
struct StoreTests {
    @Test("while a commit is under way everybody sees the old state, and nobody is woken")
    func slow() async throws {
        try await withService { service in
            let cursor = try await service.cursor()
            let gate = Gate()
            service.store.next(.commit, .wait(gate))
            let waiting = try await service.poll("since=\(cursor)")
            await service.waits(1)
            let acting = try await service.connect()
            try await acting.send("POST", "/counter/increment")
            await gate.arrivals()
            #expect(try await service.get("/counter").text == #"{"text":"0","enabled":false,"alpha":0.5}"#)
            #expect(try await service.cursor() == cursor)
            #expect(try await service.get("/changes?since=\(cursor)&wait=0").json()["kind"] == "idle")
            #expect(service.waiting() == 1)
            gate.open()
            #expect(try await acting.answer().json()["text"] == "1")
            #expect(try await waiting.answer().json()["kind"] == "delta")
        }
    }

    @Test("actions of one session wait for each other; another session can be read meanwhile")
    func oneAtATime() async throws {
        try await withService { service in
            let token = try await service.begin()
            _ = try await service.get("/counter")
            let gate = Gate()
            service.store.next(.commit, .wait(gate))
            let (first, second) = (try await service.connect(), try await service.connect())
            try await first.send("POST", "/counter/increment")
            await gate.arrivals()
            try await second.send("POST", "/counter/increment")
            let other = try await service.get("/counter", "Authorization: Bearer \(token)")
            #expect(try other.json()["text"] == "0")
            gate.open()
            #expect(try await first.answer().json()["text"] == "1")
            #expect(try await second.answer().json()["text"] == "2")
        }
    }

    @Test("a commit that fails is 503; nothing is shown of it, and the next one works")
    func failing() async throws {
        try await withService { service in
            let before = try await service.post("/counter/increment")
            let waiting = try await service.poll("since=\(try #require(before.cursor))")
            await service.waits(1)
            service.store.next(.commit, .refuse)
            try expect(try await service.post("/counter/increment"), isProblem: "store-unavailable", 503)
            let after = try await service.get("/counter")
            #expect(after.body == before.body)
            #expect(after["ETag"] == before["ETag"])
            #expect(service.waiting() == 1)
            let next = try await service.post("/counter/increment")
            #expect(try next.json()["text"] == "2")
            #expect(next.cursor == before.cursor?.replacing(".1", with: ".2"))
            #expect(try await waiting.answer().changes() == ["counter.text=2@2"])
        }
    }

    @Test("a commit whose answer is lost is 503, and shown once the store can be read again")
    func lost() async throws {
        try await withService { service in
            _ = try await service.get("/counter")
            service.store.next(.commit, .loseTheAnswer)
            try expect(try await service.post("/counter/increment"), isProblem: "store-unavailable", 503)
            #expect(try await service.post("/counter/increment").json()["text"] == "2")
        }
    }

    @Test("an action whose session another replica moved on is run again on the newer state")
    func conflict() async throws {
        try await withService { service in
            let start = try await service.cursor()
            service.store.next(.commit, .after { [store = service.store] in await Self.moveOn(store) })
            let answer = try await service.post("/counter/increment")
            #expect(answer.status == 200)
            #expect(answer.text == #"{"text":"42","enabled":true,"alpha":1}"#)
            #expect(answer.cursor == start.replacing(".0", with: ".2"))
        }
    }

    /// What another replica does in between: it takes the counter to 41.
    private static func moveOn(_ store: ScriptedStore) async {
        guard let record = try? await store.behind.load(.public) else { return }
        let outputs = [("text", "\"41\""), ("enabled", "true"), ("alpha", "1")].map { name, value in
            OutputRecord(name: name, value: Array(value.utf8), seq: record.head.seq + 1)
        }
        let commit = Commit(
            id: .public, base: record.head.version, head: record.head.advanced(in: store.incarnation),
            language: record.language,
            viewModels: [ViewModelRecord(name: "counter", model: Array(#"{"count":41}"#.utf8), outputs: outputs)])
        try? await store.behind.commit(commit)
    }

    @Test("while the store is away, readyz is 503, what needs it is 503, and livez and known state answer")
    func away() async throws {
        try await withService { service in
            let token = try await service.begin()
            _ = try await service.post("/counter/increment", "Authorization: Bearer \(token)")
            #expect(try await service.get("/readyz").text == #"{"status":"ready"}"#)
            service.store.isAway = true
            try expect(try await service.get("/readyz"), isProblem: "store-unavailable", 503)
            try expect(try await service.get("/counter"), isProblem: "store-unavailable", 503)
            try expect(try await service.get("/changes"), isProblem: "store-unavailable", 503)
            try expect(try await service.post("/sessions"), isProblem: "store-unavailable", 503)
            try expect(
                try await service.post("/counter/increment", "Authorization: Bearer \(token)"),
                isProblem: "store-unavailable", 503)
            try expect(
                try await service.get("/counter", "Authorization: Bearer AAAAAAAAAAAAAAAAAAAAAA"),
                isProblem: "store-unavailable", 503)
            try expect(
                try await service.delete("/session", "Authorization: Bearer \(token)"), isProblem: "store-unavailable",
                503)
            #expect(try await service.get("/livez").status == 200)
            service.store.isAway = false
            #expect(try await service.get("/readyz").status == 200)
            let answer = try await service.post("/counter/increment", "Authorization: Bearer \(token)")
            #expect(try answer.json()["text"] == "2")
        }
    }
}
