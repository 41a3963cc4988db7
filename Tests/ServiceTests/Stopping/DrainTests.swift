import Events
import HTTP
import TestSupport
import Testing
import ViewModels

@testable import Service

@Suite("Draining")
struct DrainTests {
    /// Begins a slow action that keeps the server from being stopped before its gate opens.
    private static func slowAction(_ service: LiveService) async throws -> (gate: Gate, client: Client) {
        _ = try await service.get("/counter")
        let gate = Gate()
        service.store.next(.commit, .wait(gate))
        let client = try await service.connect()
        try await client.send("POST", "/counter/increment")
        await gate.arrivals()
        return (gate, client)
    }

    @Test("a running action finishes with 200; readyz and new actions are 503 meanwhile")
    func running() async throws {
        try await withService { service in
            let token = try await service.begin()
            let bearer = "Authorization: Bearer \(token)"
            let kept = try await (0..<6).asyncMap { _ in try await service.connect() }
            for client in kept { _ = try await client.get("/livez") }
            let (gate, acting) = try await Self.slowAction(service)
            async let stopped: Void = service.server.stop()
            let drains = await eventually { service.isDraining }
            #expect(drains)
            let answers = [
                try await kept[0].get("/readyz"), try await kept[1].ask("POST", "/counter/increment", [bearer]),
                try await kept[2].ask("POST", "/sessions"), try await kept[3].ask("DELETE", "/session", [bearer]),
            ]
            for answer in answers {
                try expect(answer, isProblem: "draining", 503)
                #expect(answer["Connection"] == "close")
            }
            // What can be read is read to the end.
            #expect(try await kept[4].get("/counter", bearer).status == 200)
            #expect(try await kept[5].get("/livez")["Connection"] == "close")
            gate.open()
            let answer = try await acting.answer()
            #expect(answer.status == 200)
            #expect(answer.text == #"{"text":"1","enabled":true,"alpha":1}"#)
            #expect(answer["Connection"] == "close")
            await stopped
        }
    }

    @Test("an action whose body was still arriving when the stop began is done and answered")
    func arriving() async throws {
        try await withService { service in
            let bearer = "Authorization: Bearer \(try await service.begin())"
            let (gate, acting) = try await Self.slowAction(service)
            let late = try await service.connect()
            _ = try await late.get("/livez")
            let uploading = try await service.connect()
            let request = Client.request(
                "POST", "/counter/increment", [bearer, "Content-Type: application/json"], body: "  {}")
            let before = service.gauges.begun
            try await onThread { try uploading.raw.send(String(request.dropLast(2))) }
            let hasBegun = await eventually { service.gauges.begun == before + 1 }
            #expect(hasBegun)
            async let stopped: Void = service.server.stop()
            let drains = await eventually { service.isDraining }
            #expect(drains)
            try await onThread { try uploading.raw.send(String(request.suffix(2))) }
            #expect(try await late.ask("POST", "/counter/increment").status == 503)
            gate.open()
            #expect(try await uploading.answer().status == 200)
            #expect(try await acting.answer().status == 200)
            await stopped
        }
    }

    @Test("five hundred waiting polls are answered idle, with a pause of 0 to 5 seconds, and closed, in time")
    func polls() async throws {
        try await withService { service in
            let cursor = try await service.cursor()
            let port = service.port
            let clients = try await onThread {
                try (0..<500).map { _ in
                    let client = try RawClient(to: port)
                    try client.send(Client.request("GET", "/changes?since=\(cursor)"))
                    return client
                }
            }
            await service.waits(500)
            // Far less than it may take, however busy the machine: it stops once all is answered.
            let took = await ContinuousClock().measure { await service.server.stop(within: .seconds(300)) }
            #expect(took < .seconds(150))
            let answers = try await onThread { try clients.map { (try $0.readResponse(), $0.isClosed()) } }
            var pauses: Set<Int> = []
            for (answer, isClosed) in answers {
                #expect(answer.status == 200)
                #expect(answer["Connection"] == "close")
                #expect(isClosed)
                let pause = try #require(try answer.json()["retryAfter"]?.number)
                let text = #"{"kind":"idle","cursor":"\#(cursor)","changes":[],"retryAfter":\#(Int(pause))}"#
                #expect(answer.text == text)
                pauses.insert(Int(pause))
            }
            #expect(pauses == [0, 1, 2, 3, 4, 5])
        }
    }

    @Test("who asks for changes while the server drains is sent away at once", arguments: ["wait=55", "wait=0", ""])
    func late(query: String) async throws {
        try await withService { service in
            let cursor = try await service.cursor()
            let late = try await service.connect()
            _ = try await late.get("/livez")
            let (gate, acting) = try await Self.slowAction(service)
            async let stopped: Void = service.server.stop()
            let drains = await eventually { service.isDraining }
            #expect(drains)
            let answer = try await late.get("/changes?since=\(cursor)&\(query)")
            #expect(answer["Connection"] == "close")
            #expect((0...5).contains(try answer.json()["retryAfter"]?.number ?? -1))
            gate.open()
            #expect(try await acting.answer().status == 200)
            await stopped
        }
    }

    @Test("streams end, and their connections with them")
    func streams() async throws {
        try await withService { service in
            let streams = try await (0..<20).asyncMap { _ in try await service.stream() }
            for stream in streams { try await stream.opened() }
            await service.waits(1)
            await service.server.stop()
            for stream in streams {
                let event = try await stream.next()
                #expect(event == nil)
                #expect(try await stream.client.isClosed())
            }
        }
    }

    @Test("when its time is over, a stop cuts off an action whose commit does not come back")
    func stuck() async throws {
        try await withService { service in
            let (gate, acting) = try await Self.slowAction(service)
            await service.stop(within: .zero)
            let answer = try await acting.answer()
            try expect(answer, isProblem: "stopping", 503)
            #expect(try answer.json()["detail"]?.string?.contains("It may have begun") == true)
            gate.open()
        }
    }

    /// Keeps what it is told of back until it is flushed.
    private final class BackKeptLog: ExchangeLog {
        let kept = History<String>()
        let written = History<String>()

        func record(_ entry: ExchangeEntry) { kept.note(entry.route) }
        func record(_ event: Event) { kept.note(event.kind.name) }
        func flush() { kept.elements.forEach(written.note) }
    }

    @Test("what the log keeps back is written when the stop is over, of whoever was cut off too")
    func log() async throws {
        let log = BackKeptLog()
        try await withService(told: log) { service in
            _ = try await service.get("/livez")
            let (gate, acting) = try await Self.slowAction(service)
            #expect(await eventually { log.kept.elements.count == 2 })
            await service.stop(within: .zero)
            try expect(try await acting.answer(), isProblem: "stopping", 503)
            #expect(log.written.elements == ["/livez", "/counter", "drain-begun", "/counter/increment", "drain-ended"])
            gate.open()
        }
    }
}

extension Sequence {
    /// One after the other.
    fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async throws -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
