import Glibc
import Locking
import TestSupport
import Testing

@testable import HTTP

@Suite("Notices of bounds")
struct BoundNoticeTests {
    /// Keeps what it is told.
    private final class Recorder: ExchangeLog {
        private let kept = Lock<[BoundNotice]>([])
        var notices: [BoundNotice] { kept.withLock { $0 } }
        func record(_ entry: ExchangeEntry) {}
        func record(_ notice: BoundNotice) { kept.withLock { $0.append(notice) } }
    }

    private let log = Recorder()
    private let time = ManualTimeline()

    private func notices(limits: [String: Int] = [:]) -> BoundNotices {
        BoundNotices(
            log: log, limits: limits, now: { [time] in time.now }, sleep: { [time] in try await time.sleep(until: $0) })
    }

    private func told(_ count: Int) async { #expect(await eventually { log.notices.count == count }) }

    private let first = IPAddress("192.0.2.1")
    private let second = IPAddress("192.0.2.2")

    @Test("a bound is told of at once, and what came within a second is told at its end, reached again or not")
    func rate() async {
        let notices = notices()
        notices.reached("max-streams", by: first)
        for _ in 0..<1000 { notices.reached("max-streams", by: first) }
        notices.reached("max-streams", by: second)
        #expect(log.notices == [BoundNotice(bound: "max-streams", client: first, count: 1)])
        await time.sleeper(until: .seconds(1))
        time.advance(by: .seconds(1))
        await told(2)
        #expect(log.notices.last == BoundNotice(bound: "max-streams", client: second, count: 1001))
        // That notice has a second of its own.
        notices.reached("max-streams", by: nil)
        #expect(log.notices.count == 2)
        await time.sleeper(until: .seconds(2))
        time.advance(by: .seconds(1))
        await told(3)
        #expect(log.notices.last == BoundNotice(bound: "max-streams", client: nil, count: 1))
        notices.tellAll()
    }

    @Test("after a second in which nobody was refused, the next is told at once, and no timer is left")
    func quiet() async {
        let notices = notices()
        notices.reached("max-streams", by: first)
        await time.sleeper(until: .seconds(1))
        time.advance(by: .seconds(1))
        await told(1)
        // The timer's task ends its silence when it gets to run.
        #expect(
            await eventually {
                notices.reached("max-streams", by: second)
                return log.notices.count > 1
            })
        await time.sleeper(until: .seconds(2))
        notices.tellAll()
        await time.sleepers(count: 0)
    }

    @Test("at the end what was held back is told without waiting, once")
    func end() async {
        let notices = notices()
        for bound in ["max-streams", "max-actions", "max-sessions"] { notices.reached(bound, by: first) }
        for bound in ["max-streams", "max-actions", "max-streams"] { notices.reached(bound, by: second) }
        notices.tellAll()
        #expect(
            log.notices.dropFirst(3) == [
                BoundNotice(bound: "max-actions", client: second, count: 1),
                BoundNotice(bound: "max-streams", client: second, count: 2),
            ])
        time.advance(by: .seconds(5))
        await time.sleepers(count: 0)
        notices.tellAll()
        #expect(log.notices.count == 5)
    }

    @Test("one bound does not silence another, and each is told with its limit where that is known")
    func apart() {
        let notices = notices(limits: ["max-streams": 1024])
        notices.reached("max-streams", by: nil)
        notices.reached("max-connections", limit: 7, by: nil)
        notices.reached("memory", by: nil)
        #expect(log.notices.map(\.bound) == ["max-streams", "max-connections", "memory"])
        #expect(log.notices.map(\.limit) == [1024, 7, nil])
        notices.tellAll()
    }

    @Test(
        "where nothing can be accepted, open files are blamed for what they are to blame for",
        arguments: [
            (EMFILE, "open-files"), (ENFILE, "open-files"), (ENOBUFS, "memory"), (ENOMEM, "memory"),
            (EPROTO, "accept"), (EPERM, "accept"),
        ])
    func accept(error: CInt, bound: String) { #expect(boundReached(byAcceptError: error) == bound) }

    @Test("a server that stops tells how many connections it refused")
    func stop() async throws {
        var limits = ServerLimits.forTests
        limits.connections = 1
        let server = Server(routes: [Route(.get, "/") { _ in .text("") }], limits: limits, log: log)
        let port = try server.start()
        let refused = try await onThread {
            // One, and those that are kept for this machine.
            let served = try (0..<9).map { _ in try RawClient(to: port) }
            for client in served {
                try client.send("GET / HTTP/1.1\r\nHost: test\r\n\r\n")
                _ = try client.readResponse()
            }
            return try withExtendedLifetime(served) { try (0..<5).map { _ in try RawClient(to: port).readResponse() } }
        }
        #expect(refused.allSatisfy { $0.status == 503 })
        await server.stop(within: .zero)
        #expect(log.notices.map(\.count).reduce(0, +) == 5)
        #expect(log.notices.allSatisfy { $0.bound == "max-connections" && $0.limit == 1 })
    }
}
