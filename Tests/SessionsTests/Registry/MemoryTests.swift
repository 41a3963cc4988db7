import Events
import Glibc
import Locking
import TestSupport
import Testing
import ViewModels

@testable import Sessions

@Suite("The process stays below its bound of memory")
struct MemoryTests {
    /// A process of a thousand bytes at most, of which the sessions in memory have one each.
    private final class Process: Sendable {
        struct State: Sendable {
            var others = 0
            /// What was freed and not given back.
            var free = 0
            var looks = 0
            var gifts = 0
        }

        let state = Lock(State())
        private let registry = Lock<SessionRegistry?>(nil)

        var memory: ProcessMemory {
            ProcessMemory(
                residentBytes: { [self] in
                    let sessions = registry.withLock { $0 }?.count ?? 0
                    return state.withLock { state in
                        state.looks += 1
                        return state.others + sessions + state.free
                    }
                },
                giveBack: { [self] in
                    state.withLock { state in
                        state.free = 0
                        state.gifts += 1
                    }
                })
        }

        func watch(_ registry: SessionRegistry?) { self.registry.withLock { $0 = registry } }
    }

    private let process = Process()

    private func withBench(_ test: (Bench) async throws -> Void) async throws {
        var limits = SessionLimits()
        limits.memoryBytes = 1000
        process.state.withLock { $0.others = 1 }
        let bench = try await Bench(limits: limits, memory: process.memory)
        process.watch(bench.registry)
        // Each holds the other.
        defer { process.watch(nil) }
        try await test(bench)
    }

    /// Begins sessions, two a second.
    private func fill(_ bench: Bench, to count: Int) async throws -> [SessionToken] {
        var tokens = [bench.token]
        while bench.registry.count < count {
            bench.timeline.advance(by: .milliseconds(500))
            tokens.append(try await bench.registry.begin(language: .japanese).token)
        }
        bench.timeline.advance(by: .milliseconds(500))
        return tokens
    }

    private func isInMemory(_ token: SessionToken, _ bench: Bench) -> Bool {
        bench.registry.environment.sessions.withLock { $0[token.sessionID] } != nil
    }

    @Test("near it, sessions leave memory, those first that were unused longest, and are still there by their tokens")
    func longestUnused() async throws {
        try await withBench { bench in
            let tokens = try await fill(bench, to: 600)
            #expect(try await bench.found() === bench.session)
            bench.timeline.advance(by: .milliseconds(500))
            process.state.withLock { $0.others = 1000 - 125 - 600 }
            await bench.registry.relieveMemory()
            // A batch at least.
            #expect(tokens.map { isInMemory($0, bench) } == [true] + (1..<600).map { $0 > 256 })
            #expect(try await bench.registry.session(for: tokens[1]).value != nil)
        }
    }

    @Test("near it, a few that were asked within two seconds keep what they have under way, and at it they leave, too")
    func spared() async throws {
        try await withBench { bench in
            let tokens = try await fill(bench, to: 100)
            process.state.withLock { $0.others = 800 }
            await bench.registry.relieveMemory()
            // The last ones were begun half a second, a whole one, and one and a half ago.
            #expect(tokens.map { isInMemory($0, bench) } == (0..<100).map { $0 > 96 })
            process.state.withLock { $0.others = 1000 }
            await bench.registry.relieveMemory()
            #expect(bench.registry.count == 0)
        }
    }

    @Test("far from it, all stay, and nothing is given back")
    func ample() async throws {
        try await withBench { bench in
            _ = try await fill(bench, to: 300)
            process.state.withLock { $0.others = 1000 - 126 - 300 }
            await bench.registry.relieveMemory()
            #expect(bench.registry.count == 300)
            #expect(process.state.withLock { $0.gifts } == 0)
        }
    }

    @Test("as many leave as it takes")
    func many() async throws {
        try await withBench { bench in
            _ = try await fill(bench, to: 800)
            process.state.withLock { $0.others = 600 }
            await bench.registry.relieveMemory()
            #expect(bench.registry.count == 800 - 3 * 256)
            #expect(bench.registry.memory?.isReached == false)
        }
    }

    @Test("what is free already is given back before it is judged")
    func givesBack() async throws {
        try await withBench { bench in
            process.state.withLock { $0.free = 2000 }
            let log = bench.log()
            await bench.registry.relieveMemory()
            #expect(process.state.withLock { $0.gifts } == 1)
            #expect(log.all.isEmpty)
        }
    }

    @Test("sessions that come see to it by themselves, and have the process looked at now and then, not each time")
    func arrivals() async throws {
        try await withBench { bench in
            process.state.withLock { $0.looks = 0 }
            _ = try await fill(bench, to: 641)
            #expect(process.state.withLock { $0.looks } == 10)
            process.state.withLock { $0.others = 600 }
            for _ in 0..<MemoryBound.arrivalsPerLook { _ = try? await bench.registry.begin(language: .japanese) }
            #expect(await eventually { bench.registry.count < 300 })
        }
    }

    @Test("one that waits, acts or was used this moment stays", arguments: [WaitKind.poll, .stream])
    func inUse(kind: WaitKind) async throws {
        try await withBench { bench in
            let poll = await bench.session.poll(wait: .seconds(500), as: kind)
            let (_, acting) = try await bench.registry.begin(language: .japanese)
            let gate = Gate()
            bench.store.next(.commit, .wait(gate))
            let action = Task.immediate { try await acting.act("counter/increment") }
            await gate.arrivals()
            bench.timeline.advance(by: .seconds(1))
            let (_, new) = try await bench.registry.begin(language: .japanese)
            process.state.withLock { $0.others = 2000 }
            await bench.registry.relieveMemory()
            #expect([bench.session, acting, new].map(\.isLive) == [true, true, true])
            gate.open()
            _ = try await action.value
            _ = try await bench.session.act("counter/increment")
            _ = try await poll.value
        }
    }

    @Test("at it, no session begins or is loaded until there is room; those in memory go on; the log is told")
    func reached() async throws {
        try await withBench { bench in
            let (token, other) = try await bench.registry.begin(language: .japanese)
            #expect(bench.session.openStream())
            bench.timeline.advance(by: .seconds(1))
            process.state.withLock { $0.others = 1000 }
            let log = bench.log()
            await bench.registry.relieveMemory()
            #expect(!other.isLive)
            #expect(await failure { try await bench.registry.begin(language: .japanese) } == "outOfMemory")
            #expect(await failure { try await bench.registry.session(for: token).value } == "outOfMemory")
            #expect(await failure { try await bench.registry.publicSession().value } == "outOfMemory")
            #expect(try await bench.found().act("counter/increment").entityTag.contains(".1"))
            #expect(
                log.all == [
                    Event(.boundReached, ["bound": "max-memory", "limit": 1000, "count": 1])
                ])
            process.state.withLock { $0.others = 900 }
            await bench.registry.relieveMemory()
            #expect(try await bench.registry.session(for: token).value != nil)
            _ = try await bench.registry.begin(language: .japanese)
        }
    }

    @Test("after a round in vain the next is housekeeping's, a second later: arrivals do not begin one each")
    func inVain() async throws {
        try await withBench { bench in
            process.state.withLock { $0.others = 900 }
            let tidying = Task { await bench.registry.keepTidy() }
            try await bench.timeline.sleeper(until: bench.timeline.now + .seconds(1))
            await bench.registry.relieveMemory()
            await bench.registry.relieveMemory(forArrival: true)
            #expect(process.state.withLock { $0.gifts } == 1)
            bench.timeline.advance(by: .seconds(1))
            #expect(await eventually { process.state.withLock { $0.gifts } == 2 })
            tidying.cancel()
            await tidying.value
        }
    }

    /// A sanitizer keeps what is freed.
    private static let isSanitized = dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil

    @Test(
        "what is written to is in RAM by the kernel's word, and what was freed and given back is not",
        .disabled(if: Self.isSanitized))
    func system() {
        // More than all other tests that run beside this one.
        let (memory, size, count) = (ProcessMemory.system, 1 << 10, 256 << 10)
        let before = memory.residentBytes()
        // In pieces that the allocator keeps when they are freed.
        let pieces = (0..<count).map { _ in UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16) }
        for piece in pieces { piece.initializeMemory(as: UInt8.self, repeating: 1, count: size) }
        // It lies behind the others, so that they are not at the end of the heap, which is given back by itself.
        let last = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        defer { last.deallocate() }
        let full = memory.residentBytes()
        #expect(full - before > size * count / 2)
        for piece in pieces { piece.deallocate() }
        memory.giveBack()
        #expect(full - memory.residentBytes() > size * count / 2)
    }
}
