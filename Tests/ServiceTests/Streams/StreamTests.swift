import Samples
import Sessions
import TestSupport
import Testing
import ViewModels

@Suite("The event stream")
struct StreamTests {
    @Test("it begins with a snapshot that says retry, and goes on with deltas, each with its cursor as id")
    func begin() async throws {
        try await withService { service in
            let stream = try await service.stream()
            let head = try await stream.head()
            #expect(head.status == 200)
            #expect(head["Content-Type"] == "text/event-stream; charset=utf-8")
            #expect(head["Cache-Control"] == "no-store, no-transform")
            #expect(head["X-Accel-Buffering"] == "no")
            #expect(head["Incremental"] == "?1")
            #expect(head["Request-Id"]?.isEmpty == false)
            let snapshot = try #require(try await stream.next())
            #expect(snapshot.retry == "2000")
            let cursor = try await service.cursor()
            #expect(snapshot.retry == "2000")
            #expect(snapshot.event == "snapshot")
            #expect(snapshot.id == cursor)
            #expect(snapshot.data == (try await service.get("/changes").text))
            let acted = try #require(try await service.post("/counter/increment").cursor)
            let delta = try #require(try await stream.next())
            #expect(delta.event == "delta")
            #expect(delta.retry == nil)
            #expect(delta.id == acted)
            #expect(delta.data == (try await service.get("/changes?since=\(cursor)").text))
        }
    }

    @Test("it goes on over a store that others write to as well")
    func shared() async throws {
        try await withService(over: MemoryStore(isShared: true)) { service in
            let stream = try await service.stream()
            #expect(try await stream.opened().event == "snapshot")
            for _ in 0..<3 {
                let acted = try #require(try await service.post("/counter/increment").cursor)
                #expect(try await stream.next()?.id == acted)
            }
        }
    }

    @Test("what Unicode takes for a line's end stands in an event as an escape, and in an answer as it is")
    func lineSeparators() async throws {
        try await withService(of: .samples) { service in
            let text = "a\u{2028}b\u{85}c\u{2029}ÅÄ入…"
            let stream = try await service.stream("topics=profile")
            _ = try await stream.opened()
            let shown = try await service.post("/profile/load", json: "{\"paramB\":\"\(text)\"}")
            #expect(shown.text.contains(text))
            let event = try #require(try await stream.next())
            #expect(event.data?.contains("a\\u2028b\\u0085c\\u2029ÅÄ入…") == true)
            let value = try event.json()["changes"]?.array?.first?["value"]?.string
            #expect(value?.contains(text) == true)
        }
    }

    @Test("with a cursor it begins at once with what came after, or with a ping")
    func since() async throws {
        try await withService { service in
            let start = try await service.cursor()
            let last = try #require(try await service.post("/counter/increment").cursor)
            let behind = try await service.stream("since=\(start)")
            #expect(try await behind.opened().event == "delta")
            let current = try await service.stream("since=\(last)")
            #expect(try await current.opened() == EventReader.Event(event: "ping", id: last, data: "{}"))
            // One wait for both: they ask for the same.
            await service.waits(1)
        }
    }

    @Test("Last-Event-ID wins over since, and brings what was missed while the client was away")
    func resume() async throws {
        try await withService { service in
            let start = try await service.cursor()
            let first = try await service.stream("since=\(start)")
            try await first.opened()
            _ = try await service.post("/counter/increment")
            let seen = try #require(try await first.next()?.id)
            first.client.raw.close()
            _ = try await service.post("/counter/increment")
            _ = try await service.post("/login/validate", json: "{}")
            let second = try await service.stream("since=\(start)", "Last-Event-ID: \(seen)")
            let missed = try await second.opened()
            #expect(missed.event == "delta")
            #expect(
                try missed.json().changes == [
                    "counter.text=2@2", "login.text=IDとPasswordが未入力です。@3", "login.color=red@3",
                ])
        }
    }

    @Test("topics and values hold for a stream too")
    func topics() async throws {
        try await withService { service in
            let stream = try await service.stream("topics=login&values=none")
            #expect(try await stream.opened().json().changes == ["login.text@0", "login.color@0"])
            _ = try await service.post("/counter/increment")
            _ = try await service.post("/login/validate", json: "{}")
            #expect(try #require(try await stream.next()).json().changes == ["login.text@2", "login.color@2"])
        }
    }

    @Test("a silence of 15 seconds brings a ping, whose id moves the cursor past what topics filter out")
    func ping() async throws {
        try await withService { service in
            let start = try await service.cursor()
            let stream = try await service.stream("since=\(start)&topics=login")
            try await stream.opened()
            await service.waits(1)
            let last = try #require(try await service.post("/counter/increment").cursor)
            try await service.timeline.sleeper(until: .seconds(15))
            service.timeline.advance(by: .seconds(15))
            #expect(try await stream.next() == EventReader.Event(event: "ping", id: last, data: "{}"))
        }
    }

    @Test("the server ends a stream after 5 to 10 minutes, and the client misses nothing")
    func life() async throws {
        try await withService { service in
            let stream = try await service.stream("since=\(try await service.cursor())")
            try await stream.opened()
            var last: String?
            var event: EventReader.Event?
            repeat {
                let isThere = await eventually { service.waiting() == 1 || service.gauges.running == 0 }
                #expect(isThere)
                service.timeline.advance(by: .seconds(15))
                event = try await stream.next()
                last = event?.id ?? last
            } while event != nil && service.timeline.now < .seconds(700)
            #expect((.seconds(300) ... .seconds(630)).contains(service.timeline.now))
            #expect(try await stream.client.isClosed())
            _ = try await service.post("/counter/increment")
            let again = try await service.stream("", "Last-Event-ID: \(try #require(last))")
            #expect(try await again.opened().json().changes.first == "counter.text=1@1")
        }
    }

    @Test("DELETE /session ends its streams with session-ended")
    func ended() async throws {
        try await withService { service in
            let token = try await service.begin()
            let bearer = "Authorization: Bearer \(token)"
            let stream = try await service.stream("topics=counter", bearer)
            try await stream.opened()
            await service.waits(1, token)
            #expect(try await service.delete("/session", bearer).status == 204)
            #expect(try #require(try await stream.next()).event == "session-ended")
            #expect(try await stream.next() == nil)
            #expect(try await stream.client.isClosed())
        }
    }

    @Test("streams are not counted among the polls of a token")
    func notSuperseded() async throws {
        try await withService { service in
            let token = try await service.begin()
            let bearer = "Authorization: Bearer \(token)"
            let cursor = try await service.cursor(bearer)
            let stream = try await service.stream("since=\(cursor)", bearer)
            try await stream.opened()
            await service.waits(1, token)
            var polls: [Client] = []
            for count in 1...9 {
                polls.append(try await service.poll("since=\(cursor)", bearer))
                if count < 9 { await service.waits(count + 1, token) }
            }
            #expect(try await polls[0].answer().json()["superseded"] == true)
            _ = try await service.post("/counter/increment", bearer)
            #expect(try #require(try await stream.next()).event == "delta")
        }
    }

    @Test("a client that vanishes from its stream leaves no wait and no descriptor")
    func vanished() async throws {
        try await withService { service in
            let stream = try await service.stream()
            try await stream.opened()
            await service.waits(1)
            stream.client.raw.close()
            await service.waits(0)
            let isGone = try await eventually {
                try !SocketTable.serverHoldsConnection(serverPort: service.port, clientPort: stream.client.raw.port)
            }
            #expect(isGone)
            let isFree = await eventually { service.gauges.exchanges == 0 }
            #expect(isFree)
        }
    }

    /// Enough commits to fill what the kernel keeps for a reader, few enough to be done before it gives one up.
    @Test(
        "streams that ask for the same are told all in order, and one that lags behind ends and returns with its cursor"
    )
    func group() async throws {
        try await withService { service in
            let writer = try await service.connect().raw
            let start = try await service.cursor()
            let commits = 1500
            func stream(receiveBuffer: Int32? = nil, since cursor: String) async throws -> EventReader {
                let client = try await service.connect(receiveBuffer: receiveBuffer)
                try await client.send("GET", "/changes?topics=counter&since=\(cursor)", ["Accept: text/event-stream"])
                let stream = EventReader(client: client)
                try await stream.opened()
                return stream
            }
            var streams: [EventReader] = []
            for index in 0..<6 {
                // The slow ones have room for a few events alone.
                streams.append(try await stream(receiveBuffer: index % 3 == 0 ? 2048 : nil, since: start))
            }
            let leaving = try await stream(since: start)
            async let writing: Void = onThread {
                for commit in 0..<commits {
                    if commit == commits / 2 { leaving.client.raw.close() }
                    try writer.send(Client.request("POST", "/counter/increment"))
                    _ = try writer.readResponse()
                }
            }
            for (index, first) in streams.enumerated() {
                if index % 3 == 0 { _ = try await writing }
                var (stream, cursor, seqs, last) = (first, start, [Double](), "")
                while last != String(commits) {
                    guard let event = try await stream.next() else {
                        stream = try await self.again(service, cursor)
                        continue
                    }
                    cursor = event.id ?? cursor
                    let changes = try event.json()["changes"]?.array ?? []
                    let texts = changes.filter { $0["output"] == "text" }
                    seqs += texts.compactMap { $0["seq"]?.number }
                    last = texts.last?["value"]?.string ?? last
                }
                #expect(seqs == seqs.sorted())
                #expect(Set(seqs).count == seqs.count)
                if index % 3 == 0 { #expect(seqs.count < commits) }
            }
        }
    }

    private func again(_ service: LiveService, _ cursor: String) async throws -> EventReader {
        let client = try await service.connect()
        try await client.send("GET", "/changes?topics=counter&since=\(cursor)", ["Accept: text/event-stream"])
        let stream = EventReader(client: client)
        _ = try await stream.head()
        return stream
    }
}
