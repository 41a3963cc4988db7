import Foundation
import Locking
import Samples
import TestSupport
import Testing
import ViewModels

@testable import Service

@Suite("An action that is slow")
struct SlowActionTests {
    @Test("and blocks, in as many sessions as you like, holds up no other session's action, read, wait or probe")
    func blocks() async throws {
        let barrier = Barrier()
        defer { barrier.open() }
        let catalogue = Catalogue([.errand { barrier.pass() }] + Catalogue.samples.viewModels)
        try await withService(of: catalogue, { $0.server.threads = 1 }) { service in
            defer { barrier.open() }
            // More than the cooperative pool has threads.
            let count = ProcessInfo.processInfo.activeProcessorCount + 3
            var held: [Client] = []
            for _ in 0..<count {
                let client = try await service.connect()
                try await client.send("POST", "/errand/run", ["Authorization: Bearer \(try await service.begin())"])
                held.append(client)
            }
            try await barrier.arrivals(count)
            #expect(try await service.get("/livez").status == 200)
            let waiting = try await service.poll("since=\(try await service.cursor())")
            await service.waits(1)
            #expect(try await service.post("/counter/increment").status == 200)
            #expect(try await waiting.answer().status == 200)
            #expect(try await service.get("/counter").json()["text"] == "1")
            // An async one.
            #expect(try await service.post("/login/validate", json: "{}").status == 200)
            barrier.open()
            for client in held { #expect(try await client.answer().status == 200) }
        }
    }

    @Test("is given up after its time, and only who sent a key is told of it", arguments: [nil, "order-7"])
    func givenUp(key: String?) async throws {
        let barrier = Barrier()
        defer { barrier.open() }
        try await withService(of: Catalogue([.errand { barrier.pass() }])) { service in
            defer { barrier.open() }
            let client = try await service.connect()
            try await client.send("POST", "/errand/run", key.map { ["Idempotency-Key: \($0)"] } ?? [])
            try await barrier.arrivals(1)
            service.timeline.advance(by: .seconds(30))
            let answer = try await client.answer()
            try expect(answer, isProblem: "action-timeout", 504)
            #expect(try answer.json()["detail"]?.string?.contains("Idempotency-Key") == (key != nil))
        }
    }

    /// The threads on which the errand runs, as asked by one client after the other.
    private func threads(
        of action: String = "run", runs: Int, slow slowRun: Int? = nil
    ) async throws -> [String] {
        let threads = History<String>()
        let time = Lock<ManualTimeline?>(nil)
        let errand = Declaration.errand {
            threads.note(try String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8).filter { $0 != "\n" })
            if threads.elements.count == slowRun { time.withLock { $0 }?.advance(by: .milliseconds(4)) }
        }
        try await withService(of: Catalogue([errand])) { service in
            time.withLock { $0 = service.timeline }
            let client = try await service.connect()
            for _ in 0..<runs { #expect(try await client.ask("POST", "/errand/\(action)").status == 200) }
        }
        return threads.elements
    }

    @Test("comes to run on an event loop after eight fast runs elsewhere, where it is not")
    func proven() async throws {
        let threads = try await threads(runs: 24)
        #expect(threads.prefix(8).allSatisfy { $0 == "bindery-action" })
        // Now and then the thread that answered the one before is still there to do it.
        #expect(threads.dropFirst(8).count { $0 == "http-loop" } > 0)
    }

    @Test("once, on an event loop or before, never runs on one again", arguments: [3, 8, 10])
    func banned(slowRun: Int) async throws {
        let threads = try await threads(runs: 24, slow: slowRun)
        #expect(threads.dropFirst(slowRun).allSatisfy { $0 == "bindery-action" })
        #expect(threads.filter { $0 == "http-loop" }.count <= max(0, slowRun - 8))
    }

    @Test("or may wait by await runs on a thread of actions, not in the pool that others wait for")
    func asynchronous() async throws {
        let threads = try await threads(of: "wait", runs: 12)
        #expect(threads.count == 12)
        #expect(threads.allSatisfy { $0 == "bindery-action" })
    }
}
