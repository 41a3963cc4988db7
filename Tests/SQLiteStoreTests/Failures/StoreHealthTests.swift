import Events
import StoreParts
import TestSupport
import Testing

@Suite("What the log is told of a store's health")
struct StoreHealthTests {
    private let log = RecordedEvents()
    private let health: StoreHealth
    private let start = ContinuousClock.now

    init() { health = StoreHealth("a.db", "write", log: log) }

    private func after(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    private var told: [[Event.Value]] {
        log.all.map { event in event.fields.filter { $0.name != "path" && $0.name != "access" }.map(\.value) }
    }

    @Test("a disk that takes some and refuses some is lost once, and back once it has worked for two seconds")
    func flapping() {
        for millisecond in stride(from: 0, to: 3000, by: 2) {
            health.noteFailure("full", at: after(millisecond))
            health.noteSuccess(at: after(millisecond + 1))
            health.look(at: after(millisecond + 1))
        }
        #expect(log.all.map(\.kind.name) == ["store-lost"])
        health.look(at: after(4998))
        #expect(log.all.count == 1)
        health.look(at: after(4999))
        health.look(at: after(9000))
        #expect(told == [["full"], [2999, 1500]])
    }

    @Test("one that nobody writes to any more is back as well, and one that works on needs nobody who looks")
    func calm() {
        health.noteFailure("full", at: start)
        health.noteSuccess(at: after(100))
        health.noteSuccess(at: after(2100))
        #expect(told == [["full"], [100, 1]])
    }

    @Test("one that hangs is lost after two seconds, told once, and back with the time since it began to hang")
    func hang() {
        health.begin(at: start)
        health.look(at: after(1999))
        #expect(log.all.isEmpty)
        for second in 2...155 { health.look(at: after(second * 1000)) }
        health.noteSuccess(at: after(155_500))
        health.look(at: after(157_500))
        #expect(told == [["a group of commits has been under way for 2 s"], [155_500, 1]])
    }

    @Test("one that hangs and then fails says why")
    func failureAfterHang() {
        health.begin(at: start)
        health.look(at: after(2500))
        health.noteFailure("disk I/O error", at: after(9000))
        health.noteFailure("disk I/O error", at: after(9100))
        health.noteSuccess(at: after(10_000))
        health.look(at: after(12_000))
        #expect(told == [["a group of commits has been under way for 2 s"], ["disk I/O error"], [10_000, 2]])
    }

    @Test("each cause is told once, whatever numbers it has, and no more than eight of one loss")
    func causes() {
        for (second, cause) in ["gone", "wrong password", "gone", "block 7 of 8", "block 9"].enumerated() {
            health.noteFailure(cause, at: after(second * 1000))
        }
        health.noteFailure("block 10 of 8", at: after(5000))
        #expect(told == [["gone"], ["wrong password"], ["block 7 of 8"], ["block 9"]])
        for letter in "abcdefgh" { health.noteFailure(String(letter), at: after(6000)) }
        #expect(log.all.count == 8)
        health.noteSuccess(at: after(7000))
        health.look(at: after(9000))
        health.noteFailure("gone", at: after(10_000))
        #expect(told.suffix(2) == [[7000, 14], ["gone"]])
    }

    @Test("one that hangs before it has worked for long enough is not back")
    func hangAfterFailure() {
        health.noteFailure("full", at: start)
        health.noteSuccess(at: after(1000))
        health.begin(at: after(1001))
        health.look(at: after(3500))
        health.look(at: after(9000))
        #expect(told == [["full"]])
    }
}
