import TestSupport
import Testing
import ViewModels

@Suite("GET /changes")
struct ChangesTests {
    static let everything = [
        "counter.text=0@0", "counter.enabled=false@0", "counter.alpha=0.5@0",
        "login.text=IDとPasswordを入力してください。@0", "login.color=null@0",
    ]

    @Test("without a cursor it is a snapshot with every output, at once")
    func initial() async throws {
        try await withService { service in
            let answer = try await service.get("/changes")
            let json = try answer.json()
            #expect(answer.status == 200)
            #expect(answer["Content-Type"] == "application/json")
            #expect(answer["Cache-Control"] == "no-store")
            #expect(answer.text.hasPrefix(#"{"kind":"snapshot","reason":"initial","cursor":""#))
            #expect(json.changes == Self.everything)
            #expect(json["cursor"]?.string == (try await service.cursor()))
        }
    }

    @Test(
        "a cursor of another epoch, or one not yet reached, is answered with an explained snapshot at once",
        arguments: [("other0.0", "epoch"), ("other0.7", "epoch"), ("EPOCH.1", "future"), ("EPOCH.99", "future")])
    func snapshot(since: String, reason: String) async throws {
        try await withService { service in
            let cursor = try await service.cursor()
            let since = since.replacing("EPOCH", with: cursor.dropLast(2))
            let json = try await service.get("/changes?since=\(since)&wait=55").json()
            #expect(json["kind"] == "snapshot")
            #expect(json["reason"] == .string(reason))
            #expect(json["cursor"] == .string(cursor))
            #expect(json.changes == Self.everything)
        }
    }

    @Test("a snapshot names for each output the commit at which it last changed, in the order of seq")
    func snapshotOrder() async throws {
        try await withService { service in
            _ = try await service.post("/counter/increment")
            _ = try await service.post("/login/validate", json: "{}")
            _ = try await service.post("/counter/increment")
            let answer = try await service.get("/changes")
            #expect(
                try answer.changes() == [
                    "counter.enabled=true@1", "counter.alpha=1@1", "login.text=IDとPasswordが未入力です。@2",
                    "login.color=red@2", "counter.text=2@3",
                ])
        }
    }

    @Test("what changed after the cursor is told at once, the latest value once, in the order of seq")
    func delta() async throws {
        try await withService { service in
            let start = try await service.cursor()
            let first = try #require(try await service.post("/counter/increment").cursor)
            _ = try await service.post("/login/validate", json: #"{"id":"i","password":"p"}"#)
            let last = try #require(try await service.post("/counter/increment").cursor)
            let all = try await service.get("/changes?since=\(start)&wait=55").json()
            #expect(all["kind"] == "delta")
            #expect(all["reason"] == nil)
            #expect(all["cursor"] == .string(last))
            #expect(
                all.changes == [
                    "counter.enabled=true@1", "counter.alpha=1@1", "login.text=OK!!!@2", "login.color=green@2",
                    "counter.text=2@3",
                ])
            let rest = try await service.get("/changes?since=\(first)").json()
            #expect(rest.changes == ["login.text=OK!!!@2", "login.color=green@2", "counter.text=2@3"])
        }
    }

    @Test("from 0 to 1 all three outputs change in one seq; from 1 to 2 the text alone")
    func oneSeq() async throws {
        try await withService { service in
            let start = try await service.cursor()
            let first = try #require(try await service.post("/counter/increment").cursor)
            #expect(
                try await service.get("/changes?since=\(start)").changes() == [
                    "counter.text=1@1", "counter.enabled=true@1", "counter.alpha=1@1",
                ])
            _ = try await service.post("/counter/increment")
            #expect(try await service.get("/changes?since=\(first)").changes() == ["counter.text=2@2"])
        }
    }

    @Test("values=none tells what changed and not to what, in a delta and in a snapshot")
    func noValues() async throws {
        try await withService { service in
            let start = try await service.cursor()
            _ = try await service.post("/counter/increment")
            let delta = try await service.get("/changes?since=\(start)&values=none")
            #expect(try delta.changes() == ["counter.text@1", "counter.enabled@1", "counter.alpha@1"])
            #expect(!delta.text.contains("value\":"))
            let snapshot = try await service.get("/changes?topics=login&values=none")
            #expect(try snapshot.changes() == ["login.text@0", "login.color@0"])
            #expect(try await service.get("/changes?topics=login&values=all").text.contains("\"value\":null"))
        }
    }

    @Test(
        "topics filter a snapshot and a delta",
        arguments: [
            ("counter", ["counter.text=0@0", "counter.enabled=false@0", "counter.alpha=0.5@0"]),
            ("login", ["login.text=OK!!!@1", "login.color=green@1"]),
            ("login,login", ["login.text=OK!!!@1", "login.color=green@1"]),
            (
                "login,counter",
                [
                    "counter.text=0@0", "counter.enabled=false@0", "counter.alpha=0.5@0", "login.text=OK!!!@1",
                    "login.color=green@1",
                ]
            ),
        ])
    func topics(topics: String, changes: [String]) async throws {
        try await withService { service in
            let start = try await service.cursor()
            _ = try await service.post("/login/validate", json: #"{"id":"i","password":"p"}"#)
            #expect(try await service.get("/changes?topics=\(topics)").changes() == changes)
            let delta = try await service.get("/changes?since=\(start)&topics=\(topics)&wait=0")
            #expect(try delta.changes() == changes.filter { $0.hasSuffix("@1") })
        }
    }

    @Test("a refused action wakes nobody and moves no cursor")
    func refused() async throws {
        try await withService { service in
            let start = try await service.cursor()
            let waiting = try await service.poll("since=\(start)")
            await service.waits(1)
            #expect(try await service.post("/counter/decrement").status == 409)
            #expect(try await service.post("/login/validate", json: "[]").status == 422)
            #expect(service.waiting() == 1)
            _ = try await service.post("/counter/increment")
            #expect(try await waiting.answer().json()["cursor"] == .string(start.dropLast() + "1"))
        }
    }

    @Test("HEAD waits for nothing and has no body, also where GET would stream")
    func head() async throws {
        try await withService { service in
            let cursor = try await service.cursor()
            let poll = try await service.head("/changes?since=\(cursor)&wait=55")
            #expect(poll.status == 200)
            #expect(poll["Content-Type"] == "application/json")
            let stream = try await service.head("/changes", "Accept: text/event-stream")
            #expect(stream.status == 200)
            #expect(stream["Content-Type"] == "text/event-stream; charset=utf-8")
            #expect(service.waiting() == 0)
        }
    }

    @Test("a poll that says no wait waits no longer than any may")
    func longestWait() async throws {
        try await withService {
            $0.service.longestWait = .seconds(5)
        } _: { service in
            let poll = try await service.poll("since=\(try await service.cursor())")
            await service.waits(1)
            service.timeline.advance(by: .seconds(5))
            #expect(try await poll.answer().json()["kind"] == "idle")
        }
    }
}
