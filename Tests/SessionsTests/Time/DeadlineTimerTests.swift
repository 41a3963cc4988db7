import TestSupport
import Testing

@testable import Sessions

@Suite("DeadlineTimer")
struct DeadlineTimerTests {
    private let timeline = ManualTimeline()
    private let calls = History<String>()

    @Test("calls back when the time has come and not before")
    func callsBack() async throws {
        let timer = DeadlineTimer(timeline: timeline)
        _ = timer.schedule(at: .seconds(1)) { [calls] in calls.note("a") }
        try await timeline.sleeper(until: .seconds(1))
        timeline.advance(by: .milliseconds(999))
        #expect(timeline.sleepers == [.seconds(1)])
        #expect(calls.elements == [])
        timeline.advance(by: .milliseconds(1))
        #expect(await eventually { calls.elements == ["a"] })
    }

    @Test("an earlier deadline wakes the sleeper earlier; the later one is kept")
    func earlier() async throws {
        let timer = DeadlineTimer(timeline: timeline)
        _ = timer.schedule(at: .seconds(10)) { [calls] in calls.note("late") }
        try await timeline.sleeper(until: .seconds(10))
        _ = timer.schedule(at: .seconds(2)) { [calls] in calls.note("early") }
        try await timeline.sleeper(until: .seconds(2))
        try await timeline.sleepers(count: 1)
        timeline.advance(by: .seconds(2))
        try await timeline.sleeper(until: .seconds(10))
        #expect(calls.elements == ["early"])
        timeline.advance(by: .seconds(8))
        #expect(await eventually { calls.elements == ["early", "late"] })
    }

    @Test("a cancelled deadline does not call back")
    func cancelled() async throws {
        let timer = DeadlineTimer(timeline: timeline)
        let key = timer.schedule(at: .seconds(1)) { [calls] in calls.note("cancelled") }
        _ = timer.schedule(at: .seconds(1)) { [calls] in calls.note("kept") }
        try await timeline.sleeper(until: .seconds(1))
        timer.cancel([key])
        timeline.advance(by: .seconds(1))
        #expect(await eventually { calls.elements == ["kept"] })
    }

    @Test("a thousand deadlines of one tick are one sleeper, and each is called once")
    func oneSleeper() async throws {
        let timer = DeadlineTimer(timeline: timeline)
        for number in 0..<1000 { _ = timer.schedule(at: .seconds(1)) { [calls] in calls.note("\(number)") } }
        try await timeline.sleeper(until: .seconds(1))
        #expect(timeline.sleepers == [.seconds(1)])
        timeline.advance(by: .seconds(1))
        #expect(await eventually { calls.elements.count == 1000 })
        #expect(Set(calls.elements).count == 1000)
    }

    @Test("a deadline that has passed already is called at once")
    func past() async {
        let timer = DeadlineTimer(timeline: ManualTimeline(now: .seconds(100)))
        _ = timer.schedule(at: .seconds(1)) { [calls] in calls.note("past") }
        #expect(await eventually { calls.elements == ["past"] })
    }

    @Test("a deadline set while another calls back is kept")
    func nested() async throws {
        let timer = DeadlineTimer(timeline: timeline)
        _ = timer.schedule(at: .seconds(1)) { [calls, weak timer] in
            _ = timer?.schedule(at: .seconds(2)) { calls.note("second") }
            calls.note("first")
        }
        try await timeline.sleeper(until: .seconds(1))
        timeline.advance(by: .seconds(1))
        try await timeline.sleeper(until: .seconds(2))
        timeline.advance(by: .seconds(1))
        #expect(await eventually { calls.elements == ["first", "second"] })
    }

    @Test("a timer that goes away leaves no sleeper behind")
    func deinitialised() async throws {
        do {
            let timer = DeadlineTimer(timeline: timeline)
            _ = timer.schedule(at: .seconds(1)) {}
            try await timeline.sleepers(count: 1)
        }
        try await timeline.sleepers(count: 0)
    }
}
