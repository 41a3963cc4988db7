import Samples
import TestSupport
import Testing

@testable import BinderyClient

/// A server that sends what a test writes, and a clock that the test moves.
@Suite("The client on a bad line")
struct WireTests {
    let server: WireServer
    let timeline = ManualTimeline()
    let client: BinderyClient
    let session: RemoteSession
    var counter: RemoteViewModel<CounterViewModel> { session.viewModel(CounterViewModel.self) }

    init() throws {
        server = try WireServer()
        client = BinderyClient(server.url, by: timeline)
        session = client.session(token: "secret")
    }

    func event(_ kind: String, _ seq: Int, _ text: String) -> String {
        let change = #"{"seq":\#(seq),"viewModel":"counter","output":"text","value":"\#(text)"}"#
        return
            "event: \(kind)\nid: k3.\(seq)\ndata: {\"kind\":\"\(kind)\",\"cursor\":\"k3.\(seq)\",\"changes\":[\(change)]}\n\n"
    }

    /// Moves the time on as soon as the client sleeps until then.
    func wait(_ time: Duration) async throws {
        try await timeline.sleeper(until: timeline.now + time)
        timeline.advance(by: time)
    }

    /// Moves the time on to where the client sleeps until, once that is between the two.
    func wait(_ time: Duration, atLeast least: Duration) async {
        let range = timeline.now + least...timeline.now + time
        var pause: Duration?
        _ = await eventually {
            pause = timeline.sleepers.first { range.contains($0) }
            return pause != nil
        }
        if let pause { timeline.advance(by: pause - timeline.now) }
    }

    /// The next pause of whoever follows changes, and the time moved on by it.
    func pause(atLeast least: Duration, _ most: Duration) async -> Duration {
        let start = timeline.now
        await wait(most, atLeast: least)
        return timeline.now - start
    }
}
