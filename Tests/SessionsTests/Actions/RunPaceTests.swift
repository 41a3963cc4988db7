import TestSupport
import Testing
import ViewModels

@testable import Sessions

@Suite("An action's pace")
struct RunPaceTests {
    private let timeline = ManualTimeline()
    private let pace = RunPace()
    /// The runs that it told of as slow.
    private let slow = History<Duration>()

    /// The errand's action `run`, which takes so long.
    private func run(taking time: Duration, andThrow error: ActionRefusal? = nil) throws {
        let viewModel = try Declaration.errand { [timeline] in
            timeline.advance(by: time)
            if let error { throw error }
        }.make(in: .nowhere)
        _ = try pace.run(0, on: viewModel, body: [], by: timeline) { slow.note($0) }
    }

    private func run(_ count: Int, taking time: Duration = .zero) throws {
        for _ in 0..<count { try run(taking: time) }
    }

    @Test("lets it onto an event loop after eight fast runs elsewhere, not before")
    func proven() throws {
        for _ in 0..<8 {
            #expect(!pace.isFast)
            try run(taking: .microseconds(999))
        }
        #expect(pace.isFast)
    }

    @Test("keeps it off for good after one slow run, whenever that was", arguments: [0, 7, 8, 100])
    func banned(fastRunsBefore: Int) throws {
        try run(fastRunsBefore)
        try run(taking: .milliseconds(4))
        #expect(!pace.isFast)
        try run(100)
        try run(taking: .seconds(1))
        #expect(!pace.isFast)
        // Once.
        #expect(slow.elements == [.milliseconds(4)])
    }

    @Test("counts anew after a run that was neither fast nor slow")
    func anew() throws {
        try run(8)
        try run(taking: .milliseconds(1))
        try run(7)
        #expect(!pace.isFast)
        try run(1)
        #expect(pace.isFast)
    }

    @Test("learns nothing from refusals, which may come before any work, but that they were slow")
    func refused() throws {
        let refusal = ActionRefusal.disabled("Not now.")
        for _ in 0..<100 { #expect(throws: ActionRefusal.self) { try run(taking: .zero, andThrow: refusal) } }
        #expect(!pace.isFast)
        #expect(throws: ActionRefusal.self) { try run(taking: .milliseconds(4), andThrow: refusal) }
        try run(100)
        #expect(!pace.isFast)
    }

    @Test("of one that is async leads to no loop, and asking for it does nothing")
    func asynchronous() throws {
        let viewModel = try Declaration.errand { Issue.record("It ran.") }.make(in: .nowhere)
        #expect(try pace.run(1, on: viewModel, body: [], by: timeline) { _ in } == false)
        #expect(!pace.isFast)
    }

    @Test(
        "does not count as slow what was interrupted by others, only what waited or worked for long itself",
        arguments: [
            (ThreadUse(core: .milliseconds(10), waits: 0, interruptions: 1), true),
            (ThreadUse(core: .milliseconds(14), waits: 0, interruptions: 1), false),
            (ThreadUse(core: .zero, waits: 1, interruptions: 1), false),
            (ThreadUse(core: .zero, waits: 0, interruptions: 0), false),
        ])
    func interrupted(use: ThreadUse, isFast: Bool) throws {
        let uses = History<ThreadUse>()
        let busy = BusyTimeline(timeline: timeline, uses: uses)
        func run(taking time: Duration) throws {
            let viewModel = try Declaration.errand { [timeline] in
                timeline.advance(by: time)
                if time > .zero { uses.note(use) }
            }.make(in: .nowhere)
            _ = try pace.run(0, on: viewModel, body: [], by: busy) { _ in }
        }
        for _ in 0..<8 { try run(taking: .zero) }
        try run(taking: .milliseconds(20))
        #expect(pace.isFast == isFast)
    }

    @Test("can be told by the machine's own books")
    func books() throws {
        let use = try #require(SystemTimeline().threadUse)
        #expect(use.core > .zero && use.waits >= 0 && use.interruptions >= 0)
    }
}

/// Where a test says what the thread has used.
private struct BusyTimeline: Timeline {
    let timeline: ManualTimeline
    let uses: History<ThreadUse>

    var now: Duration { timeline.now }
    var secondsSince1970: Int64 { timeline.secondsSince1970 }
    var threadUse: ThreadUse? { uses.elements.last ?? ThreadUse(core: .zero, waits: 0, interruptions: 0) }
    func sleep(until time: Duration) async throws { try await timeline.sleep(until: time) }
}

extension ViewModelContext {
    /// That of no session.
    static var nowhere: ViewModelContext {
        ViewModelContext(language: .japanese) { _, _ in throw CancellationError() }
    }
}
