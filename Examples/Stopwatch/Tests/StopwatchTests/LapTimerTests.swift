import BinderyKit
import BinderyTesting
import Foundation
import Testing

@testable import Stopwatch

@Suite("The lap timer")
struct LapTimerTests {
    let clock = ManualTimeline()

    private func lapTimer(_ model: LapTimer.Model = .init()) -> LapTimer {
        LapTimer(model: model, context: ViewModelContext(), clock: TestWallClock(timeline: clock))
    }

    @Test("keeps the contract of view models")
    func contract() async {
        let violations = await Declaration.hosting { [clock] in
            LapTimer(model: $0, context: $1, clock: TestWallClock(timeline: clock))
        }.violations(steps: 200)
        #expect(violations == [])
    }

    @Test("begins at zero, standing, without laps")
    func beginning() {
        let timer = lapTimer()
        #expect(timer.text == "00:00.0")
        #expect(!timer.running)
        #expect(timer.laps.isEmpty)
        #expect(timer.bestLap == nil)
    }

    @Test("goes on by the clock alone, tenth by tenth, and stands when it is stopped")
    func ticks() async throws {
        let timer = lapTimer()
        var texts = timer.$text.values.makeAsyncIterator()
        #expect(await texts.next() == "00:00.0")
        try timer.start()
        _ = await texts.next()
        for expected in ["00:00.1", "00:00.2", "00:00.3"] {
            try await clock.tick()
            #expect(await texts.next() == expected)
        }
        try timer.stop()
        clock.advance(by: .seconds(60))
        #expect(timer.text == "00:00.3")
        #expect(!timer.running)
    }

    @Test("stands and goes on from where it stood")
    func pauses() throws {
        let timer = lapTimer()
        try timer.start()
        clock.advance(by: .seconds(2))
        try timer.stop()
        clock.advance(by: .seconds(100))
        try timer.start()
        clock.advance(by: .seconds(61.25))
        try timer.stop()
        #expect(timer.text == "01:03.2")
    }

    @Test("counts laps and knows the best")
    func laps() throws {
        let timer = lapTimer()
        try timer.start()
        for seconds in [3.0, 2.5, 4.0] {
            clock.advance(by: .seconds(seconds))
            try timer.lap()
        }
        #expect(timer.laps.map(\.text) == ["00:03.0", "00:02.5", "00:04.0"])
        #expect(timer.laps.map(\.number) == [1, 2, 3])
        #expect(timer.bestLap == "00:02.5")
        try timer.stop()
        try timer.reset()
        #expect(timer.laps.isEmpty && timer.bestLap == nil && timer.text == "00:00.0")
    }

    @Test("refuses what makes no sense now")
    func refusals() throws {
        let timer = lapTimer()
        #expect(throws: ActionRefusal.self) { try timer.stop() }
        #expect(throws: ActionRefusal.self) { try timer.lap() }
        #expect(throws: ActionRefusal.self) { try timer.reset() }
        try timer.start()
        #expect(throws: ActionRefusal.self) { try timer.start() }
        #expect(throws: ActionRefusal.self) { try timer.reset() }
        for _ in 0..<LapTimer.mostLaps { try timer.lap() }
        #expect(throws: ActionRefusal.self) { try timer.lap() }
    }

    @Test("made anew from its model it shows the time that has passed meanwhile, and goes on")
    func rebuilt() async throws {
        let first = lapTimer()
        try first.start()
        clock.advance(by: .seconds(1))
        let model = first.model
        clock.advance(by: .seconds(3600))
        let second = lapTimer(model)
        #expect(second.text == "60:01.0")
        var texts = second.$text.values.makeAsyncIterator()
        _ = await texts.next()
        try await clock.tick()
        #expect(await texts.next() == "60:01.1")
    }

    @Test("does not live on for its clock's sake")
    func lifetime() throws {
        weak var gone: LapTimer?
        do {
            let timer = lapTimer()
            try timer.start()
            gone = timer
        }
        #expect(gone == nil)
    }
}
