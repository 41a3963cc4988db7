import Foundation
import SQLiteStore
import TestSupport
import Testing
import ViewModels

@Suite("A server over a file")
struct RestartTests {
    /// Serves over the file of a directory until the test is over, and lets go of the file.
    private func withServer(over directory: String, _ test: (LiveService) async throws -> Void) async throws {
        let store = try SQLiteStore(path: directory + "/bindery.db")
        do {
            try await withService(over: store) { try await test($0) }
        } catch {
            await store.close()
            throw error
        }
        await store.close()
    }

    @Test("after a restart the state, the token, the cursor and the outcomes are what they were")
    func restart() async throws {
        try await withTemporaryDirectory { directory in
            let known = Known()
            try await withServer(over: directory) { service in
                known.token = try await service.begin("Accept-Language: en")
                known.start = try await service.cursor(known.bearer)
                known.first = try await service.post("/counter/increment", known.bearer, "Idempotency-Key: a")
                _ = try await service.post("/login/validate", json: "{}", known.bearer)
                known.session = try await service.get("/session", known.bearer)
                known.publicState = try await service.post("/counter/increment")
            }
            try await withServer(over: directory) { service in
                let session = try await service.get("/session", known.bearer)
                #expect(session.body == known.session?.body)
                let counter = try await service.get("/counter", known.bearer)
                #expect(counter["ETag"] == known.first?["ETag"])
                let tag = try #require(known.first?["ETag"])
                #expect(try await service.get("/counter", known.bearer, "If-None-Match: \(tag)").status == 304)
                let again = try await service.post("/counter/increment", known.bearer, "Idempotency-Key: a")
                #expect(again.body == known.first?.body)
                #expect(again["Idempotency-Replayed"] == "true")
                #expect(try await service.get("/counter").body == known.publicState?.body)
                let unknown = try await service.get("/counter", "Authorization: Bearer AAAAAAAAAAAAAAAAAAAAAA")
                #expect(unknown.status == 401)
            }
        }
    }

    @Test("polls and streams go on with their cursors, without a snapshot and without a gap")
    func cursors() async throws {
        try await withTemporaryDirectory { directory in
            let known = Known()
            try await withServer(over: directory) { service in
                known.token = try await service.begin()
                known.start = try await service.cursor(known.bearer)
                known.first = try await service.post("/counter/increment", known.bearer)
            }
            try await withServer(over: directory) { service in
                let behind = try await service.get("/changes?since=\(known.start)", known.bearer)
                #expect(try behind.json()["kind"] == "delta")
                #expect(try behind.changes() == ["counter.text=1@1", "counter.enabled=true@1", "counter.alpha=1@1"])
                let cursor = try #require(known.first?.cursor)
                let poll = try await service.poll("since=\(cursor)", known.bearer)
                let stream = try await service.stream("", known.bearer, "Last-Event-ID: \(cursor)")
                try await stream.opened()
                await service.waits(2, known.token)
                let next = try await service.post("/counter/increment", known.bearer)
                #expect(next.cursor?.hasSuffix(".2") == true)
                #expect(try await poll.answer().changes() == ["counter.text=2@2"])
                let event = try #require(try await stream.next())
                #expect(event.event == "delta")
                #expect(event.id == next.cursor)
                #expect(try event.json().changes == ["counter.text=2@2"])
            }
        }
    }

    /// As a volume snapshot is put back: what was acknowledged after it is lost, and other things happen instead.
    @Test("what a client knows from before the store was put back is believed only as far as the store has it")
    func putBack() async throws {
        try await withTemporaryDirectory { directory in
            let (path, copy) = (directory + "/bindery.db", directory + "/copy.db")
            let known = Known()
            try await withServer(over: directory) { service in
                known.token = try await service.begin()
                known.first = try await service.post("/counter/increment", known.bearer)
            }
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            try await withServer(over: directory) { service in
                for _ in 0..<3 { known.lost = try await service.post("/counter/increment", known.bearer) }
            }
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: copy, toPath: path)
            try await withServer(over: directory) { service in
                let lost = try #require(known.lost?.cursor)
                let tag = try #require(known.lost?["ETag"])
                let first = try #require(known.first?.cursor)
                // Before anything was done, and after more was done than was lost.
                for count in [0, 5] {
                    for _ in 0..<count { _ = try await service.post("/counter/increment", known.bearer) }
                    let answer = try await service.get("/changes?since=\(lost)", known.bearer).json()
                    #expect(answer["kind"] == "snapshot")
                    #expect(answer["reason"] == "epoch")
                    let conditional = try await service.post("/counter/increment", known.bearer, "If-Match: \(tag)")
                    #expect(conditional.status == 412)
                    #expect(try await service.get("/counter", known.bearer, "If-None-Match: \(tag)").status == 200)
                    let since = try await service.get("/changes?wait=0&since=\(first)", known.bearer).json()
                    #expect(since["kind"] == (count == 0 ? "idle" : "delta"))
                }
            }
        }
    }

    @Test("where the file is gone, readyz and actions are 503; when it is back they work, without a restart")
    func fileGone() async throws {
        try await withTemporaryDirectory { directory in
            try await withServer(over: directory) { service in
                let before = try await service.post("/counter/increment", "Idempotency-Key: a")
                #expect(try await service.get("/readyz").status == 200)
                let (path, aside) = (directory + "/bindery.db", directory + "/aside.db")
                try FileManager.default.moveItem(atPath: path, toPath: aside)
                let failed = try await service.post("/counter/increment", "Idempotency-Key: b")
                try expect(failed, isProblem: "store-unavailable", 503)
                try expect(try await service.get("/readyz"), isProblem: "store-unavailable", 503)
                #expect(try await service.get("/livez").status == 200)
                try FileManager.default.moveItem(atPath: aside, toPath: path)
                #expect(try await service.get("/readyz").status == 200)
                #expect(try await service.get("/counter").body == before.body)
                #expect(try await service.post("/counter/increment", "Idempotency-Key: b").json()["text"] == "2")
            }
        }
    }
}

/// What a client knows from before the restart.
private final class Known {
    var token = ""
    var start = ""
    var first: ReceivedResponse?
    var lost: ReceivedResponse?
    var session: ReceivedResponse?
    var publicState: ReceivedResponse?
    var bearer: String { "Authorization: Bearer \(token)" }
}
