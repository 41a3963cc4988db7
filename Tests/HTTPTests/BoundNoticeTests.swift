import HTTP
import Locking
import TestSupport
import Testing

@Suite("Notices of bounds")
struct BoundNoticeTests {
    /// Keeps what it is told.
    private final class Recorder: ExchangeLog {
        private let kept = Lock<[BoundNotice]>([])
        var notices: [BoundNotice] { kept.withLock { $0 } }
        func record(_ entry: ExchangeEntry) {}
        func record(_ notice: BoundNotice) { kept.withLock { $0.append(notice) } }
    }

    @Test("a bound is told of at once, and then once a second, with how often it was reached")
    func rate() {
        let (log, time) = (Recorder(), ManualTimeline())
        let notices = BoundNotices(log: log) { time.now }
        let (first, second) = (IPAddress("192.0.2.1"), IPAddress("192.0.2.2"))
        notices.reached("max-streams", by: first)
        for _ in 0..<1000 { notices.reached("max-streams", by: first) }
        time.advance(by: .milliseconds(999))
        notices.reached("max-streams", by: first)
        #expect(log.notices == [BoundNotice(bound: "max-streams", client: first, count: 1)])
        time.advance(by: .milliseconds(1))
        notices.reached("max-streams", by: second)
        #expect(log.notices.last == BoundNotice(bound: "max-streams", client: second, count: 1002))
        time.advance(by: .seconds(5))
        notices.reached("max-streams", by: nil)
        #expect(log.notices.last == BoundNotice(bound: "max-streams", client: nil, count: 1))
        #expect(log.notices.count == 3)
    }

    @Test("one bound does not silence another, and whose it is is asked only where it is told")
    func apart() {
        let (log, time) = (Recorder(), ManualTimeline())
        let notices = BoundNotices(log: log) { time.now }
        notices.reached("max-streams", by: nil)
        notices.reached("max-actions", by: nil)
        #expect(log.notices.map(\.bound) == ["max-streams", "max-actions"])
        func unexpected() -> IPAddress? {
            Issue.record("asked for nothing")
            return nil
        }
        notices.reached("max-streams", by: unexpected())
    }
}
