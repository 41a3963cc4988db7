import Testing

@testable import Service

@Suite("Token buckets")
struct TokenBucketTests {
    @Test("a minute's worth may be taken at once, then one as often as they fill")
    func rate() {
        var buckets = TokenBuckets<Int>(perMinute: 6)
        for _ in 0..<6 { #expect(buckets.take(for: 1, at: .seconds(100)) == nil) }
        #expect(buckets.take(for: 1, at: .seconds(100)) == 10)
        #expect(buckets.take(for: 1, at: .seconds(107)) == 3)
        #expect(buckets.take(for: 1, at: .milliseconds(109_500)) == 1)
        #expect(buckets.take(for: 1, at: .seconds(110)) == nil)
        #expect(buckets.take(for: 1, at: .seconds(110)) == 10)
        // A refusal costs nothing.
        for _ in 0..<100 { #expect(buckets.take(for: 1, at: .seconds(111)) == 9) }
        #expect(buckets.take(for: 1, at: .seconds(120)) == nil)
    }

    @Test("no bucket holds more than a minute's worth, however long nobody came")
    func capacity() {
        var buckets = TokenBuckets<Int>(perMinute: 2)
        for now in [0, 50, 10_000] {
            #expect(buckets.take(for: 1, at: .seconds(now)) == nil)
        }
        #expect(buckets.take(for: 1, at: .seconds(10_000)) == nil)
        #expect(buckets.take(for: 1, at: .seconds(10_000)) == 30)
    }

    @Test("each has a bucket of its own, and what one took is remembered for the minute in which it counts")
    func apart() {
        var buckets = TokenBuckets<Int>(perMinute: 1)
        #expect(buckets.take(for: 1, at: .seconds(59)) == nil)
        #expect(buckets.take(for: 2, at: .seconds(61)) == nil)
        #expect(buckets.take(for: 1, at: .seconds(61)) == 58)
        #expect(buckets.take(for: 1, at: .seconds(118)) == 1)
        #expect(buckets.take(for: 1, at: .seconds(119)) == nil)
    }

    @Test("however many come, so many are remembered")
    func bounded() {
        var buckets = TokenBuckets<Int>(perMinute: 1, capacity: 100)
        for key in 0..<10_000 { #expect(buckets.take(for: key, at: .seconds(1)) == nil) }
        #expect(buckets.count <= 200)
        #expect(buckets.take(for: 9_999, at: .seconds(1)) == 60)
        #expect(buckets.take(for: 1, at: .seconds(500)) == nil)
        #expect(buckets.count == 1)
    }
}
