import Foundation
import Testing
import ViewModels

@Suite("Running actions")
struct RunningTests {
    @Test("the counter follows its table")
    func table() throws {
        let session = try Session(.hosting(Counter.self))
        #expect(try session.body("counter") == #"{"text":"0","enabled":false,"alpha":0.5}"#)
        try session.run("counter/increment")
        #expect(try session.body("counter") == #"{"text":"1","enabled":true,"alpha":1}"#)
        try session.run("counter/increment")
        try session.run("counter/decrement", "{}")
        try session.run("counter/decrement", "null")
        #expect(try session.body("counter") == #"{"text":"0","enabled":false,"alpha":0.5}"#)
        #expect(try session.stored("counter") == #"{"count":0}"#)
    }

    /// Taps, `+` up and `-` down, and what the text goes through.
    static let walks: [(start: Int, taps: String, texts: [String])] = [
        (0, "+-", ["0", "1", "0"]), (0, "++--", ["0", "1", "2", "1", "0"]), (0, "--+", ["0", "0", "0", "1"]),
        (.max, "+-", ["9223372036854775807", "9223372036854775807", "9223372036854775806"]),
    ]

    @Test("as a value and as streams, the counter goes through the same states", arguments: walks)
    func walk(start: Int, taps: String, texts: [String]) async throws {
        for name in ["counter", "counter-stream"] {
            let session = try Session(.hosting(Counter.self), .hosting(CounterStream.self))
            try session.load(name, #"{"count":\#(start)}"#)
            var bodies = [try session.body(name)]
            for tap in taps {
                do { try await session.runAsync("\(name)/\(tap == "+" ? "increment" : "decrement")") } catch {
                    #expect((error as? Refusal)?.kind == .disabled)
                }
                bodies.append(try session.body(name))
            }
            let expected = texts.map { text in
                #"{"text":"\#(text)","enabled":\#(text != "0"),"alpha":\#(text == "0" ? "0.5" : "1")}"#
            }
            #expect(bodies == expected)
        }
    }

    @Test("decrement at zero is refused and changes nothing")
    func refusedAtZero() throws {
        let session = try Session(.hosting(Counter.self))
        #expect(throws: Refusal.disabled("The counter is at zero; increment it first.")) {
            try session.run("counter/decrement")
        }
        #expect(session.parts.isEmpty)
    }

    @Test("increment at the largest Int is refused and does not trap")
    func refusedAtMax() throws {
        let session = try Session(.hosting(Counter.self))
        try session.load("counter", #"{"count":9223372036854775807}"#)
        #expect(throws: Refusal.self) { try session.run("counter/increment") }
        #expect(try session.body("counter").hasPrefix(#"{"text":"9223372036854775807""#))
    }

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

    @Test("a facet shows its outputs alone")
    func facet() throws {
        let session = try Session(.hosting(Profile.self))
        try session.run("profile/load", #"{"paramA":7,"paramB":"x"}"#)
        #expect(try session.body("profile", facet: "card") == #"{"paramB":"x"}"#)
        #expect(try session.body("profile") == #"{"paramA":7,"paramB":"x"}"#)
    }

    @Test("two spellings of a text that Swift calls equal are two states")
    func spellings() throws {
        let session = try Session(.hosting(Profile.self))
        try session.run("profile/load", #"{"paramB":"\u00e9"}"#)
        #expect(try session.run("profile/load", #"{"paramB":"e\u0301"}"#).changed.count == 1)
        #expect(try session.body("profile", facet: "card") == "{\"paramB\":\"e\u{301}\"}")
    }

    @Test(
        "the login says what is missing, in the session's language",
        arguments: [
            (#"{}"#, "IDとPasswordが未入力です。", "ID and password are missing.", "red"),
            (#"{"id":null,"password":""}"#, "IDが未入力です。", "ID is missing.", "red"),
            (#"{"id":""}"#, "Passwordが未入力です。", "Password is missing.", "red"),
            (#"{"id":"","password":""}"#, "IDとPasswordが未入力です。", "ID and password are missing.", "red"),
            (#"{"id":"","password":"x"}"#, "IDが未入力です。", "ID is missing.", "red"),
            (#"{"id":"x","password":""}"#, "Passwordが未入力です。", "Password is missing.", "red"),
            (#"{"id":"x","password":"y"}"#, "OK!!!", "OK!!!", "green"),
        ])
    func login(body: String, japanese: String, english: String, color: String) throws {
        let session = try Session(.hosting(Login.self, with: LoginValidator()))
        #expect(try session.body("login") == #"{"text":"IDとPasswordを入力してください。","color":null}"#)
        try session.run("login/validate", body)
        #expect(try session.body("login") == #"{"text":"\#(japanese)","color":"\#(color)"}"#)
        session.language = "en"
        session.parts["login"] = try session.catalogue.rederive(session.part("login"), "login", language: "en")
        #expect(try session.body("login") == #"{"text":"\#(english)","color":"\#(color)"}"#)
        #expect(try !session.stored("login").contains("x"))
    }

    @Test("a host may lend another validator")
    func services() throws {
        struct Strict: LoginValidating {
            func validate(id: String?, password: String?) -> LoginOutcome { .invalidPassword }
        }
        let session = try Session(.hosting(Login.self, with: Strict()), in: "en")
        try session.run("login/validate", #"{"id":"taro","password":"himitsu"}"#)
        #expect(try session.body("login") == #"{"text":"Password is missing.","color":"red"}"#)
    }

    @Test("a test calls an action itself, without a host")
    func direct() {
        var login = Login()
        login.validate(.init(id: "taro"), ActionContext(services: LoginValidator()))
        #expect(login.outcome == .invalidPassword)
        var orientation = OrientationViewModel()
        orientation.inputs.change(.init(orientation: .landscapeRight), ActionContext())
        #expect(orientation.outputs.isLandscape)
    }

    @Test("an output is found by its key path")
    func keyPath() {
        #expect(Counter.interface.output(at: \.enabled) == 1)
        #expect(Counter.interface.output(at: \.count) == nil)
        #expect(CounterObject.interface.output(at: \.text) == 0)
    }

    @Test("an unknown view model or action, and an async action run as a synchronous one, are errors")
    func calls() throws {
        let session = try Session(.hosting(Counter.self), .hosting(Weather.self))
        for path in ["nothing/increment", "counter/nothing", "weather/ask"] {
            #expect(throws: (any Error).self) { try session.run(path, #"{"name":"Kyoto"}"#) }
        }
        #expect(session.catalogue.viewModel("nothing") == nil)
    }
}

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

@Suite("Reactions")
struct ReactionTests {
    @Test("a post reaches the reactions of other view models in the same result, in order")
    func reaches() throws {
        let session = try Session(.hosting(Screen.self), .hosting(OrientationViewModel.self))
        let result = try session.run("orientation/change", #"{"orientation":"landscapeLeft"}"#)
        #expect(result.changed.map(\.name).sorted() == ["orientation", "screen"])
        #expect(try session.body("screen") == #"{"isWide":true,"turns":1}"#)
        #expect(result.posts.map(\.name.rawValue) == ["orientation.change", "screen.turned"])
        #expect(result.posts[0].userInfo["isLandscape"] as? Bool == true)
    }

    @Test("what a reaction posts triggers no reaction")
    func once() throws {
        let session = try Session(.hosting(Screen.self), .hosting(OrientationViewModel.self))
        try session.run("orientation/change", #"{"orientation":"faceUp"}"#)
        try session.run("orientation/change", #"{"orientation":"faceUp"}"#)
        #expect(try session.body("screen") == #"{"isWide":false,"turns":2}"#)
    }

    @Test("a reaction that throws fails the action")
    func throwing() throws {
        let session = try Session(.hosting(Screen.self), .hosting(OrientationViewModel.self))
        try session.run("screen/stick")
        #expect(throws: Screen.Stuck.self) {
            try session.run("orientation/change", #"{"orientation":"landscapeLeft"}"#)
        }
        #expect(try session.body("orientation") == #"{"isLandscape":false}"#)
        #expect(session.posts.isEmpty)
    }
}

@Suite("View models that are classes")
struct ObjectTests {
    @Test("outputs are read from Variables after the action")
    func variables() throws {
        let session = try Session(.hosting(CounterObject.self))
        #expect(try session.body("counter-object") == #"{"text":"0","enabled":false}"#)
        try session.run("counter-object/increment")
        #expect(try session.body("counter-object") == #"{"text":"1","enabled":true}"#)
        #expect(try session.stored("counter-object") == #"{"count":1}"#)
    }

    @Test("an action that throws after a change has changed nothing")
    func throwing() throws {
        let session = try Session(.hosting(CounterObject.self))
        try session.run("counter-object/increment")
        #expect(throws: Refusal.self) { try session.run("counter-object/decrement") }
        #expect(try session.body("counter-object") == #"{"text":"1","enabled":true}"#)
        try session.run("counter-object/increment")
        #expect(try session.stored("counter-object") == #"{"count":2}"#)
    }

    @Test("an Observable class is hosted as it is")
    func observable() throws {
        let session = try Session(.hosting(ObservedOrientation.self))
        try session.run("orientation-observed/change", #"{"orientation":"landscapeRight"}"#)
        #expect(try session.body("orientation-observed") == #"{"isLandscape":true}"#)
        try session.load("orientation-observed", #"{"orientation":"landscapeLeft"}"#)
        #expect(try session.body("orientation-observed") == #"{"isLandscape":true}"#)
    }

    @Test("the host keeps no object")
    func forgotten() throws {
        let session = try Session(.hosting(Mortal.self))
        try session.run("mortal/touch")
        #expect(Mortal.last == nil)
    }

    final class Mortal: ObjectViewModel {
        struct Model: StoredModel { var touches = 0 }
        // Safe: one test uses it, in one thread.
        nonisolated(unsafe) static weak var last: Mortal?
        var model: Model
        init(model: Model, context: Context) {
            self.model = model
            Self.last = self
        }
        static let interface = Interface<Mortal>("mortal") {
            Output("touches") { $0.model.touches }
            Action("touch") { $0.model.touches += 1 }
        }
    }
}
