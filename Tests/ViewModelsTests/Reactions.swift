import Foundation
import ViewModels

/// Posts when it is turned.
struct Device: ViewModel {
    static let didTurn = Notification.Name("device.turned")
    var isWide = false

    static let interface = Interface<Device>("device") {
        Output("isWide", \.isWide)
        Action("turn", example: true) { device, isWide, context in
            device.isWide = isWide
            context.post(didTurn, userInfo: ["isWide": isWide])
        }
    }
}

/// Reacts to the turns of a device.
struct Screen: ViewModel {
    struct Stuck: Error {}
    var turns = 0
    var isWide = false
    var isStuck = false

    mutating func deviceDidTurn(_ notification: Notification) throws {
        if isStuck { throw Stuck() }
        isWide = notification.userInfo?["isWide"] as? Bool ?? false
    }

    static let interface = Interface<Screen>("screen") {
        Output("isWide", \.isWide)
        Output("turns", \.turns)
        Action("stick") { $0.isStuck = true }
        On(Device.didTurn) { try $0.deviceDidTurn($1) }
        On(Device.didTurn) { screen, _, context in
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
        context.post(Device.didTurn, userInfo: ["isWide": true])
    }

    static let interface = Interface<Weather>("weather") {
        Output("report", \.report)
        Output("asked", \.asked)
        Action("ask", example: Place(name: "Kyoto")) { try await $0.ask($1, $2) }
        Action("forget") { $0.report = "unknown" }.blocking()
    }
}
