import BinderyKit
import Foundation
import Testing

@testable import Stopwatch

@Suite("The lap timer, served")
struct LiveTests {
    @Test("a poll that waits is woken by the clock alone, tenth after tenth")
    func wokenByTheClock() async throws {
        try await Served.stopwatch { served in
            var cursor = try await served.post("start").cursor
            for text in ["00:00.1", "00:00.2"] {
                let poll = Task { [cursor] in try await served.get("changes?since=\(cursor)&wait=55") }
                await served.clock.sleeper()
                served.clock.advance(by: .milliseconds(100))
                let delta = try await poll.value.json as? [String: Any]
                let changes = delta?["changes"] as? [[String: Any]]
                #expect(changes?.map { $0["output"] as? String } == ["text"])
                #expect(changes?.first?["value"] as? String == text)
                cursor = try #require(delta?["cursor"] as? String)
            }
        }
    }

    @Test("after a restart it shows the right time to who only looks, and goes on by the clock alone")
    func restart() async throws {
        let store = MemoryStore()
        let clock = ManualClock()
        try await Served.stopwatch(store: store, clock: clock) { served in
            _ = try await served.post("start")
            clock.advance(by: .seconds(2))
            _ = try await served.post("lap")
        }
        clock.advance(by: .seconds(60))
        try await Served.stopwatch(store: store, clock: clock) { served in
            let shown = try await served.get("stopwatch")
            #expect(shown.text.hasPrefix(#"{"running":true,"text":"01:02.0","laps":[{"number":1,"text":"00:02.0"}]"#))
            await clock.sleeper()
            clock.advance(by: .milliseconds(100))
            let delta = try await served.get("changes?since=\(shown.cursor)&wait=55")
            #expect(delta.text.contains(#""value":"01:02.1""#))
        }
    }

    @Test("a refused action does not stop the clock")
    func refusalWhileRunning() async throws {
        try await Served.stopwatch { served in
            let started = try await served.post("start")
            await served.clock.sleeper()
            #expect(try await served.post("start").status == 409)
            await served.clock.sleeper()
            served.clock.advance(by: .milliseconds(100))
            let delta = try await served.get("changes?since=\(started.cursor)&wait=2")
            #expect(delta.text.contains(#""value":"00:00.1""#))
        }
    }

    @Test("what makes no sense now is 409, with the state beside")
    func refused() async throws {
        try await Served.stopwatch { served in
            let answer = try await served.post("lap")
            #expect(answer.status == 409)
            #expect(answer.text.contains(#""state":{"running":false,"text":"00:00.0","laps":[],"bestLap":null}"#))
        }
    }

    @Test("the display's facet has no laps")
    func facet() async throws {
        try await Served.stopwatch { served in
            let display = try await served.get("stopwatch/display")
            #expect(display.text == #"{"running":false,"text":"00:00.0"}"#)
        }
    }
}
