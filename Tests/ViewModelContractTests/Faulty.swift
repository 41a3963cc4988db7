import Foundation
import ViewModels

// View models with one fault each, which a walk must find.

/// Shows a number that an action makes infinite, which JSON cannot say.
struct Infinite: ViewModel {
    var parts = 1

    static let interface = Interface<Infinite>("infinite") {
        Output("share") { 1 / Double($0.parts) }
        Action("eat") { $0.parts -= 1 }
    }
}

/// Shows a level that its type does not read.
struct Overfull: ViewModel {
    struct Level: Codable, Sendable {
        var value: UInt8 = 0
        func encode(to encoder: any Encoder) throws { try ["value": Int(value) * 256].encode(to: encoder) }
    }

    var count: UInt8 = 0

    static let interface = Interface<Overfull>("overfull") {
        Output("level") { Level(value: $0.count) }
        Action("fill") { $0.count += 1 }
    }
}

/// Shows a member that it does not store.
struct Forgetful: ViewModel {
    var count = 0
    var isOpen = false
    private enum CodingKeys: CodingKey { case count }

    static let interface = Interface<Forgetful>("forgetful") {
        Output("isOpen", \.isOpen)
        Action("open") { $0.isOpen = true }
    }
}

/// Counts on each reading, so that it is stored as another text.
struct Restless: ViewModel {
    var readings = 0

    init() {}
    init(from decoder: any Decoder) throws {
        readings = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .readings) + 1
    }
    private enum CodingKeys: CodingKey { case readings }

    static let interface = Interface<Restless>("restless") { Output("name") { _ in "restless" } }
}

/// Refuses to read a state that an action makes.
struct Brittle: ViewModel {
    var isBroken = false

    init() {}
    init(from decoder: any Decoder) throws {
        isBroken = try decoder.container(keyedBy: CodingKeys.self).decode(Bool.self, forKey: .isBroken)
        if isBroken { throw CancellationError() }
    }
    private enum CodingKeys: CodingKey { case isBroken }

    static let interface = Interface<Brittle>("brittle") {
        Output("isBroken", \.isBroken)
        Action("break") { $0.isBroken = true }
    }
}

/// Refuses its example.
struct Picky: ViewModel {
    var count = 0

    static let interface = Interface<Picky>("picky") {
        Output("count", \.count)
        Action("set", example: -1) { picky, count in
            guard count >= 0 else { throw Refusal.invalid("A count is not negative.") }
            picky.count = count
        }.refusing(.invalid, "The count is negative.")
    }
}

extension Refusal.Kind {
    static let soldOut = custom(type: "sold-out", status: 410, title: "Sold out")
}

/// Throws what it does not declare.
struct Undeclaring: ViewModel {
    struct PrinterFault: Error {}

    var count = 0

    static let interface = Interface<Undeclaring>("undeclaring") {
        Output("count", \.count)
        Action("wait") { _ in throw Refusal.disabled("Never.") }
        Action("buy") { _ in throw Refusal(.soldOut, "Gone.") }
        Action("print") { _ in throw PrinterFault() }
    }
}

/// Makes the reaction of another view model fail.
struct Alarming: ViewModel {
    static let rang = Notification.Name("rang")
    var count = 0

    static let interface = Interface<Alarming>("alarming") {
        Output("count", \.count)
        Action("ring") { alarm, context in
            alarm.count += 1
            context.post(rang)
        }
    }
}

/// Shows a number that is none once the alarm rang.
struct Alarmed: ViewModel {
    var calm = 1.0

    static let interface = Interface<Alarmed>("alarmed") {
        Output("calm", \.calm)
        On(Alarming.rang) { alarmed, _ in alarmed.calm = .nan }
    }
}

/// Two outputs of one name.
struct Twofold: ViewModel {
    var count = 0

    static let interface = Interface<Twofold>("twofold") {
        Output("count", \.count)
        Output("count", \.count)
    }
}

/// Has another name for what the first version called `taken`.
struct Renamed: ViewModel {
    var issued = 0
    var called = 0

    static let version = 2
    static func migrate(_ stored: inout JSONObject, from version: Int) { stored.rename("taken", to: "issued") }
    static let interface = Interface<Renamed>("renamed") { Output("waiting") { $0.issued - $0.called } }
}

/// Starts a timer that acts on an entity that nobody hosts.
struct Ringing: ViewModel {
    var isSet = false

    static let interface = Interface<Ringing>("ringing") {
        Output("isSet", \.isSet)
        Action("set") { ringing, context in
            ringing.isSet = true
            context.effects.start("ring", after: .seconds(9))
        }
        Effect("ring") { _, context in context.effects.act(on: "bells/main", "ring") }
    }
}
