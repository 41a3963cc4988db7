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
        let other = try await bench.registry.begin(language: .standard).session
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
}
