import TestSupport
import Testing
import ViewModels

@Suite("Following a busy feed")
struct FollowingTests {
    /// Follows the public session until its feed stands at a seq, and returns every answer on the way.
    static func follow(_ service: LiveService, from start: String, to seq: Int, wait: Int) async throws -> [JSONValue] {
        let client = try await service.connect()
        let raw = client.raw
        return try await onThread {
            var answers: [JSONValue] = []
            var cursor = start
            while !cursor.hasSuffix(".\(seq)") {
                try raw.send(Client.request("GET", "/changes?since=\(cursor)&wait=\(wait)"))
                let answer = try JSONValue(raw.readResponse().body)
                cursor = answer["cursor"]?.string ?? ""
                answers.append(answer)
            }
            return answers
        }
    }

    /// Takes the counter from 0 to 1 and back, so that each commit changes all three outputs.
    static func toggle(_ service: LiveService, times: Int) async throws {
        let raw = try await service.connect().raw
        try await onThread {
            for count in 0..<times {
                try raw.send(
                    Client.request("POST", count.isMultiple(of: 2) ? "/counter/increment" : "/counter/decrement"))
                _ = try raw.readResponse()
            }
        }
    }

    @Test("whoever follows hears of whole commits only, never a cursor without its change", arguments: [0, 55])
    func whole(wait: Int) async throws {
        try await withService { service in
            let start = try await service.cursor()
            let commits = 400
            try await withThrowingTaskGroup(of: [JSONValue].self) { group in
                for _ in 0..<3 {
                    group.addTask { try await Self.follow(service, from: start, to: commits, wait: wait) }
                }
                try await Self.toggle(service, times: commits)
                for try await answers in group { Self.check(answers, from: start) }
            }
        }
    }

    private static func check(_ answers: [JSONValue], from start: String) {
        var known = start
        for answer in answers {
            let cursor = answer["cursor"]?.string ?? ""
            if answer["kind"] == "idle" {
                #expect(cursor == known, "An idle answer moved the cursor past a change.")
            } else {
                let seq = cursor.split(separator: ".").last ?? ""
                #expect(answer["kind"] == "delta")
                let one = ["counter.text=1@\(seq)", "counter.enabled=true@\(seq)", "counter.alpha=1@\(seq)"]
                let zero = ["counter.text=0@\(seq)", "counter.enabled=false@\(seq)", "counter.alpha=0.5@\(seq)"]
                #expect(answer.changes == one || answer.changes == zero)
            }
            known = cursor
        }
    }

    @Test("two thousand polls are woken by one action and told the same")
    func twoThousand() async throws {
        try await withService { service in
            let cursor = try await service.cursor()
            let port = service.port
            let clients = try await onThread {
                try (0..<2000).map { _ in
                    let client = try RawClient(to: port)
                    try client.send(Client.request("GET", "/changes?since=\(cursor)"))
                    return client
                }
            }
            await service.waits(2000)
            _ = try await service.post("/counter/increment")
            let answers = try await onThread { try clients.map { try $0.readResponse().text } }
            #expect(answers.count == 2000)
            #expect(Set(answers).count == 1)
            #expect(answers.first?.hasPrefix(#"{"kind":"delta","#) == true)
            #expect(service.waiting() == 0)
            let isFree = await eventually { service.gauges.parked == 0 }
            #expect(isFree)
        }
    }
}
