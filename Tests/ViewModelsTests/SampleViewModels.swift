import Binding
import Foundation
import Observation
import ViewModels

enum LoginOutcome: String, Codable, Sendable, CaseIterable { case ok, invalidIdAndPassword, invalidId, invalidPassword }

protocol LoginValidating: Sendable {
    func validate(id: String?, password: String?) -> LoginOutcome
}

struct LoginValidator: LoginValidating {
    func validate(id: String?, password: String?) -> LoginOutcome {
        switch (id, password) {
        case (nil, nil), (""?, ""?): .invalidIdAndPassword
        case (nil, _): .invalidId
        case (_, nil): .invalidPassword
        case (let id?, let password?): id.isEmpty ? .invalidId : password.isEmpty ? .invalidPassword : .ok
        }
    }
}

struct Login: ViewModel {
    typealias Services = any LoginValidating
    struct Credentials: Codable, Sendable {
        var id: String?
        var password: String?
    }
    enum Color: String, Codable, Sendable, CaseIterable { case green, red }

    var outcome: LoginOutcome?

    var color: Color? { outcome.map { $0 == .ok ? .green : .red } }
    func text(in language: Language) -> String {
        switch (outcome, language == "ja") {
        case (nil, true): "IDとPasswordを入力してください。"
        case (nil, false): "Enter your ID and password."
        case (.ok, _): "OK!!!"
        case (.invalidIdAndPassword, true): "IDとPasswordが未入力です。"
        case (.invalidIdAndPassword, false): "ID and password are missing."
        case (.invalidId, true): "IDが未入力です。"
        case (.invalidId, false): "ID is missing."
        case (.invalidPassword, true): "Passwordが未入力です。"
        case (.invalidPassword, false): "Password is missing."
        }
    }

    mutating func validate(_ credentials: Credentials, _ context: Context) {
        outcome = context.services.validate(id: credentials.id, password: credentials.password)
    }

    static let interface = Interface<Login>("login", "Says what is missing of an ID and a password.") {
        Output("text", "What to tell the user.") { $0.text(in: $1.language) }
        Output("color", \.color, "The colour of the text; null before the first validation.")
        Action(
            "validate", "Checks an ID and a password; neither is kept.",
            example: Credentials(id: "taro", password: "himitsu")
        ) { $0.validate($1, $2) }
    }
}

/// The counter as a class whose Variables are up to date when an action returns.
final class CounterObject: ObjectViewModel {
    struct Model: StoredModel { var count = 0 }

    private(set) var model: Model
    let text: Constant<String>
    let enabled: Constant<Bool>
    private let count: Variable<Int>
    private let shownText = Variable("")
    private let shownEnabled = Variable(false)

    init(model: Model, context: Context) {
        self.model = model
        count = Variable(model.count)
        (text, enabled) = (shownText.constant, shownEnabled.constant)
        NotificationCenter().observe(count) { [weak self] count in
            self?.shownText.value = String(count)
            self?.shownEnabled.value = count > 0
        }
    }

    func increment() {
        model.count += 1
        count.value = model.count
    }

    static let interface = Interface<CounterObject>("counter-object") {
        Output("text", \.text)
        Output("enabled", \.enabled)
        Action("increment") { $0.increment() }
        Action("decrement") { counter in
            counter.increment()
            throw Refusal.disabled("The counter counts up only.")
        }
    }
}

enum Orientation: String, Codable, Sendable, CaseIterable {
    case portrait, portraitUpsideDown, landscapeLeft, landscapeRight, faceUp, faceDown, unknown
    static let didChange = Notification.Name("orientation.change")
    var isLandscape: Bool { self == .landscapeLeft || self == .landscapeRight }
}

struct OrientationChange: Codable, Sendable { var orientation: Orientation }

protocol OrientationInputs {
    mutating func change(_ change: OrientationChange, _ context: ActionContext<Void>)
}

protocol OrientationOutputs {
    var isLandscape: Bool { get }
}

protocol OrientationType {
    var inputs: any OrientationInputs { get set }
    var outputs: any OrientationOutputs { get }
}

/// Reached through inputs, outputs and their type.
struct OrientationViewModel: ViewModel, OrientationType, OrientationInputs, OrientationOutputs {
    private(set) var orientation = Orientation.unknown

    var inputs: any OrientationInputs {
        get { self }
        set { if let newValue = newValue as? Self { self = newValue } }
    }
    var outputs: any OrientationOutputs { self }
    var isLandscape: Bool { orientation.isLandscape }

    mutating func change(_ change: OrientationChange, _ context: Context) {
        orientation = change.orientation
        context.post(Orientation.didChange, userInfo: ["isLandscape": isLandscape])
    }

    static let interface = Interface<OrientationViewModel>("orientation", "Says whether a device lies on its side.") {
        Output("isLandscape") { $0.outputs.isLandscape }
        Action("change", "The device was turned.", example: OrientationChange(orientation: .landscapeLeft)) {
            $0.inputs.change($1, $2)
        }
    }
}

/// An `@Observable` class, hosted as it is.
@Observable
final class ObservedOrientation: ObjectViewModel {
    struct Model: StoredModel { var orientation = Orientation.unknown }

    private(set) var isLandscape: Bool
    @ObservationIgnored private(set) var model: Model

    init(model: Model, context: Context) {
        self.model = model
        isLandscape = model.orientation.isLandscape
    }

    func change(_ change: OrientationChange) {
        model.orientation = change.orientation
        isLandscape = change.orientation.isLandscape
    }

    static let interface = Interface<ObservedOrientation>("orientation-observed") {
        Output("isLandscape", \.isLandscape)
        Action("change", example: OrientationChange(orientation: .portrait)) { $0.change($1) }
    }
}

/// Reacts to the orientation of another view model.
struct Screen: ViewModel {
    struct Stuck: Error {}
    var turns = 0
    var isWide = false
    var isStuck = false

    mutating func orientationDidChange(_ notification: Notification) throws {
        if isStuck { throw Stuck() }
        isWide = notification.userInfo?["isLandscape"] as? Bool ?? false
    }

    static let interface = Interface<Screen>("screen") {
        Output("isWide", \.isWide)
        Output("turns", \.turns)
        Action("stick") { $0.isStuck = true }
        On(Orientation.didChange) { try $0.orientationDidChange($1) }
        On(Orientation.didChange) { screen, _, context in
            screen.turns += 1
            context.post("screen.turned")
        }
        On("screen.turned") { screen, _ in screen.turns += 100 }
    }
}

extension Notification.Name: @retroactive ExpressibleByStringLiteral {
    /// Takes a name.
    public init(stringLiteral name: String) { self.init(name) }
}

/// A profile with a facet.
struct Profile: ViewModel {
    struct Values: Codable, Sendable {
        var paramA: Int?
        var paramB: String?
    }
    var paramA = 0
    var paramB = ""

    static let interface = Interface<Profile>("profile", "Two parameters, of which a card shows one.") {
        Output("paramA", \.paramA)
        Output("paramB", \.paramB)
        Action("load", example: Values(paramA: 1, paramB: "one")) { profile, values in
            profile.paramA = values.paramA ?? profile.paramA
            profile.paramB = values.paramB ?? profile.paramB
        }
        Facet("card", "For the card.", showing: "paramB")
    }
}

/// An action that waits, and one that blocks.
struct Weather: ViewModel {
    struct Unreachable: Error {}
    struct Place: Codable, Sendable { var name: String }
    var report = "unknown"
    var asked = Date(timeIntervalSinceReferenceDate: 0)

    mutating func ask(_ place: Place, _ context: Context) async throws {
        report = "asking"
        await Task.yield()
        guard place.name != "nowhere" else { throw Unreachable() }
        report = "sun over \(place.name) for \(context.sessionID)"
        asked = context.time
        context.post(Orientation.didChange, userInfo: ["isLandscape": true])
    }

    static let interface = Interface<Weather>("weather") {
        Output("report", \.report)
        Output("asked", \.asked)
        Action("ask", example: Place(name: "Kyoto")) { try await $0.ask($1, $2) }
        Action("forget") { $0.report = "unknown" }.blocking()
    }
}

/// The counter's rules as streams: taps up and down, merged, with the latest count, mapped to the outputs.
final class CounterStream: ObjectViewModel {
    struct Model: StoredModel { var count = 0 }
    private typealias Tap = CheckedContinuation<Bool, Never>

    private let count: Variable<Int>
    private let shownText: Variable<String>
    private let up = AsyncStream.makeStream(of: Tap.self)
    private let down = AsyncStream.makeStream(of: Tap.self)
    private let flow: Task<Void, Never>
    var model: Model { Model(count: count.value) }
    var text: Constant<String> { shownText.constant }

    init(model: Model, context: Context) {
        let (count, text) = (Variable(model.count), Variable("\(model.count)"))
        let taps = merge(up.stream.map { (1, $0) }, down.stream.map { (-1, $0) })
        flow = Task {
            for await ((step, tap), latest) in taps.withLatestFrom(count) {
                let (next, overflow) = latest.addingReportingOverflow(step)
                if !overflow, next >= 0 {
                    count.value = next
                    text.value = String(next)
                }
                tap.resume(returning: !overflow && next >= 0)
            }
        }
        (self.count, shownText) = (count, text)
    }

    deinit { flow.cancel() }

    func increment() async throws {
        guard await withCheckedContinuation({ _ = up.continuation.yield($0) }) else { throw Refusal.disabled("Full.") }
    }

    func decrement() async throws {
        guard await withCheckedContinuation({ _ = down.continuation.yield($0) }) else {
            throw Refusal.disabled("Zero.")
        }
    }

    static let interface = Interface<CounterStream>("counter-stream") {
        Output("text", \.text)
        Output("enabled") { $0.model.count > 0 }
        Output("alpha") { $0.model.count > 0 ? 1 : 0.5 }
        Action("increment") { try await $0.increment() }
        Action("decrement") { try await $0.decrement() }
    }
}
