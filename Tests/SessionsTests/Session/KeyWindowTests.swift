import TestSupport
import Testing

@testable import Sessions

@Suite("Idempotency keys are kept for a time, in the store")
struct KeyWindowTests {
    /// A bench whose store goes by the bench's clock.
    private func bench(_ change: (inout SessionLimits) -> Void = { _ in }) async throws -> Bench {
        var limits = SessionLimits()
        change(&limits)
        let timeline = ManualTimeline()
        let store = MemoryStore { TimeOfDay(secondsSince1970: timeline.secondsSince1970) }
        return try await Bench(store: ScriptedStore(store), limits: limits, timeline: timeline)
    }

    @Test("the store is asked once for the key of each action that has one")
    func asked() async throws {
        let bench = try await bench()
        for key in ["a", "b", "a"] { try await bench.session.act("counter/increment", key: key) }
        #expect(bench.store.count(of: .look) == 3)
        try await bench.session.act("counter/increment")
        #expect(bench.store.count(of: .look) == 3)
    }

    @Test("an outcome that had ended by a clock ahead, by which the session was read, is told again by the right one")
    func clockSetBack() async throws {
        let (timeline, ahead) = (ManualTimeline(), StoppedClock(0))
        let store = MemoryStore {
            TimeOfDay(secondsSince1970: timeline.secondsSince1970 + ahead.now.secondsSince1970)
        }
        let bench = try await Bench(store: ScriptedStore(store), timeline: timeline)
        try await bench.session.act("counter/increment", key: "a")
        ahead.advance(by: 3600)
        let session = try #require(try await bench.replicaSession())
        ahead.advance(by: -3600)
        #expect(try await session.act("counter/increment", key: "a").isReplay)
        #expect(try await session.shown("counter") == counter(1))
    }

    @Test("where the store cannot be asked for the key, nothing is begun")
    func away() async throws {
        let bench = try await bench()
        try await bench.session.act("counter/increment", key: "a")
        for _ in 0..<2 {
            bench.store.next(.look, .refuse)
            let refusal = await failure { try await bench.session.act("counter/increment", key: "b") }
            #expect(refusal == "unavailable")
        }
        #expect(bench.store.count(of: .commit) == 2)
        #expect(try await bench.session.act("counter/increment", key: "b").isReplay == false)
        #expect(try await bench.session.shown("counter") == counter(2))
    }

    @Test("after a commit of which nobody knows, the store is asked for the key before anything is done")
    func unknown() async throws {
        let bench = try await bench()
        bench.store.next(.commit, .loseTheAnswer)
        #expect(await failure { try await bench.session.act("counter/increment", key: "a") } == "unavailable")
        bench.store.next(.look, .refuse)
        #expect(await failure { try await bench.session.act("counter/increment", key: "a") } == "unavailable")
        #expect(try await bench.session.act("counter/increment", key: "a").isReplay)
        #expect(try await bench.session.shown("counter") == counter(1))
    }

    @Test("a key that another replica stored while its action ran here is found when the commit conflicts")
    func raced() async throws {
        let bench = try await bench()
        let there = try #require(try await bench.replicaSession())
        bench.store.next(.commit, .after { _ = try? await there.act("counter/increment", key: "a") })
        #expect(try await bench.session.act("counter/increment", key: "a").isReplay)
        #expect(try await bench.session.shown("counter") == counter(1))
    }

    @Test("an outcome is told again within the window, and not after it", arguments: [3600, 100])
    func window(seconds: Int) async throws {
        let bench = try await bench { $0.idempotencyWindow = .seconds(seconds) }
        try await bench.session.act("counter/increment", key: "a")
        bench.timeline.advance(by: .seconds(seconds - 1))
        #expect(try await bench.session.act("counter/increment", key: "a").isReplay)
        bench.timeline.advance(by: .seconds(1))
        #expect(try await bench.session.act("counter/increment", key: "a").isReplay == false)
        #expect(try await bench.session.act("counter/increment", key: "a").isReplay)
    }

    @Test(
        "in the public session for ten minutes, or the window where that is shorter",
        arguments: [(3600, 600), (100, 100)])
    func publicWindow(seconds: Int, expected: Int) async throws {
        let bench = try await bench { $0.idempotencyWindow = .seconds(seconds) }
        let session = try await bench.registry.publicSession().value
        try await session.act("counter/increment", key: "a")
        bench.timeline.advance(by: .seconds(expected - 1))
        #expect(try await session.act("counter/increment", key: "a").isReplay)
        bench.timeline.advance(by: .seconds(1))
        #expect(try await session.act("counter/increment", key: "a").isReplay == false)
    }

    @Test("a session that is full begins no action with another key, forgets none, and does all else")
    func full() async throws {
        let bench = try await bench { $0.keysPerSession = 3 }
        for key in ["a", "b", "c"] { try await bench.session.act("counter/increment", key: key) }
        let there = try #require(try await bench.replicaSession(limits: bench.registry.limits))
        for session in [bench.session, there] {
            for _ in 0..<2 {
                let refusal = await failure { try await session.act("counter/increment", key: "d") }
                #expect(refusal == "tooManyKeys(60)")
            }
            for key in ["a", "b", "c"] { #expect(try await session.act("counter/increment", key: key).isReplay) }
        }
        #expect(try await bench.session.shown("counter") == counter(3))
        try await bench.session.act("counter/increment")
        #expect(try await bench.session.shown("counter") == counter(4))
    }

    @Test("a session is full, too, where the answers under its keys have as many bytes as they may")
    func fullOfBytes() async throws {
        // What the counter shows is some 40 bytes.
        let bench = try await bench { $0.keyBytesPerSession = 100 }
        for key in ["a", "b", "c"] { try await bench.session.act("counter/increment", key: key) }
        let there = try #require(try await bench.replicaSession(limits: bench.registry.limits))
        for session in [bench.session, there] {
            let refusal = await failure { try await session.act("counter/increment", key: "d") }
            #expect(refusal == "tooManyKeyBytes(60)")
            #expect(try await session.act("counter/increment", key: "a").isReplay)
        }
        #expect(try await bench.session.shown("counter") == counter(3))
    }

    @Test("a session that is full is counted anew, at most once a second: there is room when keys have ended")
    func roomAgain() async throws {
        let bench = try await bench { $0.keysPerSession = 2 }
        try await bench.session.act("counter/increment", key: "a")
        bench.timeline.advance(by: .seconds(1800))
        try await bench.session.act("counter/increment", key: "b")
        let reads = bench.store.count(of: .load)
        for _ in 0..<10 {
            #expect(
                await failure { try await bench.session.act("counter/increment", key: "c") } == "tooManyKeys(60)")
        }
        #expect(bench.store.count(of: .load) == reads + 1)
        bench.timeline.advance(by: .seconds(1800))
        #expect(try await bench.session.act("counter/increment", key: "c").isReplay == false)
        #expect(await failure { try await bench.session.act("counter/increment", key: "d") } == "tooManyKeys(60)")
    }

    @Test("keys that are on their way count too")
    func underWay() async throws {
        let bench = try await bench { $0.keysPerSession = 1 }
        try bench.session.prove("counter/increment")
        let gate = Gate()
        bench.store.next(.commit, .wait(gate))
        let first = Task.immediate { try await bench.session.act("counter/increment", key: "a") }
        await gate.arrivals()
        let second = Task.immediate { await failure { try await bench.session.act("counter/increment", key: "b") } }
        gate.open()
        #expect(try await first.value.isReplay == false)
        #expect(await second.value == "tooManyKeys(60)")
    }

    @Test("outcomes whose time is over leave the store, the others stay")
    func forgotten() async throws {
        let bench = try await bench()
        for number in 0..<300 { try await bench.session.act("counter/increment", key: "\(number)") }
        bench.timeline.advance(by: .seconds(1))
        try await bench.session.act("counter/increment", key: "late")
        #expect(await bench.registry.forgetOutcomes() == 0)
        bench.timeline.advance(by: .seconds(3599))
        #expect(await bench.registry.forgetOutcomes() == 300)
        #expect(try await bench.session.act("counter/increment", key: "late").isReplay)
    }
}

@Suite("What makes a request with a key the same")
struct FingerprintTests {
    private func fingerprint(
        _ token: SessionToken?, key: String = "k", path: String = "/login/validate", body: String = "{}"
    ) -> [UInt8] {
        let id = token?.sessionID ?? .public
        return IdempotentRequest(key: key, in: id, token: token, path: path, body: Array(body.utf8)) { _ in
            IdempotentRequest.Answer(status: 0, entityTag: "", contentType: "", body: [])
        }.fingerprint
    }

    @Test("is an HMAC-SHA256 under the token and the key, as RFC 2104 has it")
    func code() {
        // printf '/login/validate\0{}' | openssl dgst -sha256 -hmac AAAAAAAAAAAAAAAAAAAAAAk
        let expected = "fe57a3a8ecc3b3487770a0ccb468b49a8ef6a061760dc1c5288648755a3560b3"
        #expect(hex(fingerprint(SessionToken("AAAAAAAAAAAAAAAAAAAAAA"))) == expected)
        // … -hmac k
        #expect(hex(fingerprint(nil)) == "54286f2de813512cdb7455d83afb733f7bdb5ac6597c3c05bf8cb4f21db64087")
    }

    @Test("is another under another token, key, path or body")
    func others() {
        let token = SessionToken.random()
        let all = [
            fingerprint(token), fingerprint(.random()), fingerprint(nil), fingerprint(token, key: "l"),
            fingerprint(token, path: "/login"), fingerprint(token, body: ""),
        ]
        #expect(Set(all).count == all.count)
        #expect(fingerprint(token) == fingerprint(token))
    }

    @Test("the name of a key is the SHA-256 of its session's name and of the key")
    func digest() {
        // printf 'public\0order-7' | sha256sum
        let digest = KeyDigest(of: "order-7", in: .public)
        #expect(hex(digest.bytes) == "afa614973665b3c897fe2d30c0a3004fd23f9fa8c88812d0c1648869153ebff3")
        #expect(digest != KeyDigest(of: "order-7", in: SessionToken.random().sessionID))
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}
