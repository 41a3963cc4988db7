import TestSupport
import Testing
import ViewModels

@testable import Sessions

@Suite("Actions that hold all the threads there may be")
struct BusyTests {
    @Test("have a further one refused; nothing of it was done, and its session's view models live on")
    func refused() async throws {
        let barrier = Barrier()
        defer { barrier.open() }
        let census = Census()
        let errand = Declaration.hosting { model in
            census.count("errand")
            return ErrandViewModel(model: model) { barrier.pass() }
        }
        var limits = SessionLimits()
        limits.actionThreads = 1
        let bench = try await Bench(of: Catalogue([errand]), limits: limits)
        let other = try await bench.registry.begin(language: .japanese).session
        census.forget()
        let holder = Task { try await bench.session.perform(ActionID(0, of: 0)) }
        try await barrier.arrivals()
        #expect(await failure { try await other.perform(ActionID(0, of: 0)) } == "busy")
        #expect(await failure { try await other.perform(ActionID(0, of: 0)) } == "busy")
        #expect(other.cursor.seq == 0)
        #expect(census["errand"] == 2)
        barrier.open()
        _ = try await holder.value
        #expect(await eventually { await failure { try await other.perform(ActionID(0, of: 0)) } == nil })
        #expect(other.cursor.seq == 1)
        #expect(census["errand"] == 2)
    }

    @Test("have an async one refused, too, at once: nothing of it is done, now or later")
    func refusedAsync() async throws {
        let barrier = Barrier()
        defer { barrier.open() }
        let runs = History<Int>()
        let errand = Declaration.errand {
            runs.note(1)
            barrier.pass()
        }
        var limits = SessionLimits()
        limits.actionThreads = 1
        let bench = try await Bench(of: Catalogue([errand]), limits: limits)
        let other = try await bench.registry.begin(language: .japanese).session
        let holder = Task { try await bench.session.perform(ActionID(0, of: 0)) }
        try await barrier.arrivals()
        #expect(await failure { try await other.perform(ActionID(1, of: 0)) } == "busy")
        barrier.open()
        _ = try await holder.value
        #expect(await eventually { await failure { try await other.perform(ActionID(1, of: 0)) } == nil })
        #expect(runs.elements.count == 2)
        #expect(other.cursor.seq == 1)
    }

    @Test("are not those of sessions that have a thread each: their next actions need no other")
    func oneThreadEach() async throws {
        var limits = SessionLimits()
        limits.actionThreads = 2
        for _ in 0..<40 {
            // Anew each time, so that the actions are not known to be fast.
            let registry = SessionRegistry(
                catalogue: Catalogue([.errand {}]), store: MemoryStore(), limits: limits)
            let sessions = [
                try await registry.begin(language: .japanese).session,
                try await registry.begin(language: .japanese).session,
            ]
            let failures = await withTaskGroup(of: String?.self) { group in
                for session in sessions {
                    for _ in 0..<4 {
                        group.addTask { await failure { try await session.perform(ActionID(0, of: 0)) } }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(failures.compactMap(\.self) == [])
        }
    }
}
