import BinderyKit
import BinderyTesting
import Testing

@testable import Stopwatch

@Suite("The lap timer, served")
struct LiveTests {
    /// Runs a test with a server whose lap timer goes by the time that the test moves.
    private func served(_ test: (TestServer, RemoteViewModel<LapTimer>) async throws -> Void) async throws {
        let timeline = ManualTimeline()
        let lapTimer = Declaration.hosting {
            LapTimer(model: $0, context: $1, clock: TestWallClock(timeline: timeline))
        }
        try await withServer(viewModels: [lapTimer], clock: timeline) { server in
            try await test(server, try await server.session().viewModel(LapTimer.self))
        }
    }

    @Test("a poll that waits is woken by the clock alone, tenth after tenth")
    func wokenByTheClock() async throws {
        try await served { server, stopwatch in
            var cursor = try await stopwatch.act("start").cursor
            for text in ["00:00.1", "00:00.2"] {
                let poll = Task { [cursor] in try await stopwatch.session.poll(since: cursor, wait: .seconds(55)) }
                try await server.clock.tick()
                let delta = try await poll.value
                #expect(delta.changes.map(\.output) == ["text"])
                #expect(try delta.value(of: \LapTimer.$text) == text)
                cursor = delta.cursor
            }
        }
    }

    @Test("after a restart it shows the right time to who only looks, and goes on by the clock alone")
    func restart() async throws {
        try await served { server, stopwatch in
            try await stopwatch.act("start")
            server.clock.advance(by: .seconds(2))
            try await stopwatch.act("lap")
            await server.stop()
            server.clock.advance(by: .seconds(60))
            try await server.restart()
            let shown = try await stopwatch.state()
            #expect(try shown.$running)
            #expect(try shown.$text == "01:02.0")
            #expect(try shown.$laps.map(\.text) == ["00:02.0"])
            try await server.clock.tick()
            let delta = try await stopwatch.session.poll(since: shown.cursor, wait: .seconds(55))
            #expect(try delta.value(of: \LapTimer.$text) == "01:02.1")
        }
    }

    @Test("a refused action does not stop the clock")
    func refusalWhileRunning() async throws {
        try await served { server, stopwatch in
            let text = try await server.history(of: \.$text, in: stopwatch)
            try await stopwatch.act("start")
            let problem = await #expect(throws: RemoteProblem.self) { try await stopwatch.act("start") }
            #expect(problem?.status == 409)
            try await server.clock.tick()
            #expect(try await text.values(first: 2) == ["00:00.0", "00:00.1"])
        }
    }

    @Test("what makes no sense now is 409, with the state beside")
    func refused() async throws {
        try await served { _, stopwatch in
            let problem = await #expect(throws: RemoteProblem.self) { try await stopwatch.act("lap") }
            #expect(problem?.status == 409)
            let state = try #require(try problem?.state(of: LapTimer.self))
            #expect(try !state.$running)
            #expect(try state.$laps.isEmpty)
        }
    }

    @Test("the display's facet has no laps")
    func facet() async throws {
        try await served { _, stopwatch in
            let display = try await stopwatch.state(facet: "display")
            #expect(try display.$text == "00:00.0")
            #expect(throws: RemoteFailure.self) { try display.$laps }
        }
    }
}
