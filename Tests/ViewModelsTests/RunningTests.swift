import Foundation
import Testing
import ViewModels

@testable import Samples

/// Protects that an action changes what it says, and nothing else.
@Suite("Running actions")
struct RunningTests {
    @Test("an action shares the memory of the outputs that it leaves alone")
    func sharing() throws {
        let session = try Session(.hosting(Counter.self))
        try session.run("counter/increment")
        let before = try session.part("counter").outputs[1]
        try session.run("counter/increment")
        let after = try session.part("counter").outputs[1]
        #expect(before.withUnsafeBytes { $0.baseAddress } == after.withUnsafeBytes { $0.baseAddress })
    }

    @Test("an action that changes nothing returns no part")
    func unchanged() throws {
        let session = try Session(.hosting(Profile.self))
        #expect(try session.run("profile/load", #"{"paramA":0}"#).changed.isEmpty)
        #expect(try session.run("profile/load", #"{"paramA":7}"#).changed.map(\.name).sorted() == ["profile"])
        #expect(try session.run("profile/load", #"{"paramA":7,"paramB":null}"#).changed.isEmpty)
    }

    @Test("an output is found by its key path")
    func keyPath() {
        #expect(Counter.interface.output(at: \.enabled) == 1)
        #expect(Counter.interface.output(at: \.count) == nil)
        #expect(CounterObject.interface.output(at: \.text) == 0)
    }

    @Test("an unknown view model or action is an error", arguments: ["nothing/increment", "counter/nothing"])
    func calls(path: String) throws {
        let session = try Session(.hosting(Counter.self))
        #expect(throws: DeclarationFault.self) { try session.run(path) }
    }
}

/// Protects async and blocking actions.
@Suite("Waiting actions")
struct AsyncTests {
    @Test("an async action changes its copy, knows time and session, and its reactions follow")
    func runs() async throws {
        let session = try Session(.hosting(Weather.self), .hosting(Screen.self))
        let result = try await session.runAsync("weather/ask", #"{"name":"Kyoto"}"#)
        #expect(result.changed.map(\.name).sorted() == ["screen", "weather"])
        #expect(try session.body("weather") == #"{"report":"sun over Kyoto for session-1","asked":42}"#)
        #expect(try session.body("screen") == #"{"isWide":true,"turns":1}"#)
    }

    @Test("an async action that throws has changed nothing")
    func throwing() async throws {
        let session = try Session(.hosting(Weather.self))
        await #expect(throws: Weather.Unreachable.self) {
            try await session.runAsync("weather/ask", #"{"name":"nowhere"}"#)
        }
        await #expect(throws: InputFault.self) { try await session.runAsync("weather/ask", #"{"name":7}"#) }
        #expect(try session.body("weather") == #"{"report":"unknown","asked":0}"#)
    }

    @Test("a synchronous action runs in either way")
    func either() async throws {
        let session = try Session(.hosting(Weather.self))
        try await session.runAsync("weather/ask", #"{"name":"Kyoto"}"#)
        try await session.runAsync("weather/forget")
        #expect(try session.body("weather") == #"{"report":"unknown","asked":42}"#)
        let actions = try #require(session.catalogue.viewModel("weather")).actions
        #expect(actions.map(\.isAsync) == [true, false])
        #expect(actions.map(\.isBlocking) == [false, true])
    }
}

/// Protects the reactions of other view models to an action.
@Suite("Reactions")
struct ReactionTests {
    @Test("a post reaches the reactions of other view models in the same result, in order")
    func reaches() throws {
        let session = try Session(.hosting(Screen.self), .hosting(Device.self))
        let result = try session.run("device/turn", "true")
        #expect(result.changed.map(\.name).sorted() == ["device", "screen"])
        #expect(try session.body("screen") == #"{"isWide":true,"turns":1}"#)
        #expect(result.posts.map(\.name) == ["device.turned", "screen.turned"])
        #expect(result.posts[0].userInfo["isWide"] as? Bool == true)
    }

    @Test("what a reaction posts triggers no reaction")
    func once() throws {
        let session = try Session(.hosting(Screen.self), .hosting(Device.self))
        try session.run("device/turn", "false")
        try session.run("device/turn", "false")
        #expect(try session.body("screen") == #"{"isWide":false,"turns":2}"#)
    }

    @Test("a reaction that throws fails the action")
    func throwing() throws {
        let session = try Session(.hosting(Screen.self), .hosting(Device.self))
        try session.run("screen/stick")
        #expect(throws: Screen.Stuck.self) {
            try session.run("device/turn", "true")
        }
        #expect(try session.body("device") == #"{"isWide":false}"#)
        #expect(session.posts.isEmpty)
    }
}

/// Protects that a host runs an object for one action, and forgets it.
@Suite("View models that are classes", .serialized)
struct ObjectTests {
    @Test("an action that throws after a change has changed nothing")
    func throwing() throws {
        let session = try Session(.hosting(Mortal.self))
        #expect(throws: Refusal.self) { try session.run("mortal/miss") }
        #expect(try session.body("mortal") == #"{"touches":0}"#)
        try session.run("mortal/touch")
        #expect(try session.stored("mortal") == #"{"touches":1}"#)
    }

    @Test("the host keeps no object")
    func forgotten() throws {
        let session = try Session(.hosting(Mortal.self))
        try session.run("mortal/touch")
        #expect(Mortal.last == nil)
    }

    final class Mortal: ObjectViewModel {
        struct Model: StoredModel { var touches = 0 }
        // Safe: the suite runs one test at a time, in one thread.
        nonisolated(unsafe) static weak var last: Mortal?
        var model: Model
        init(model: Model, context: Context) {
            self.model = model
            Self.last = self
        }
        static let interface = Interface<Mortal>("mortal") {
            Output("touches") { $0.model.touches }
            Action("touch") { $0.model.touches += 1 }
            Action("miss") { mortal in
                mortal.model.touches += 1
                throw Refusal.disabled("Out of reach.")
            }
        }
    }
}
