import BinderyKit
import BinderyTesting
import Foundation
import Testing

/// Counts up and down, never below zero.
struct Counter: ViewModel {
    var count = 0  // the server keeps stored properties

    var text: String { "\(count)" }  // outputs are computed
    var enabled: Bool { count > 0 }

    mutating func increment() { count += 1 }  // actions are mutating functions
    mutating func decrement() throws {
        guard enabled else { throw Refusal.disabled("The counter is at zero.") }
        count -= 1
    }

    static let interface = Interface<Counter>("counter", "Counts up and down.") {
        Output("text", \.text, "The count in decimal digits.")
        Output("enabled", \.enabled, "Whether the down button can be pressed.")
        Action("increment", "Adds one.") { $0.increment() }
        Action("decrement", "Takes one away.") { try $0.decrement() }
            .refusing(.disabled, "The counter is at zero.")
    }
}

struct Ticket: ViewModel {
    var number = 100

    static let interface = Interface<Ticket>("ticket") {
        Output("number", \.number, "The customer's number.")
        Output("isLate", "Whether most customers have gone.") { $0.number > 99 }
        Output("text", "For the display.") { $1.language == "de" ? "Nummer \($0.number)" : "Number \($0.number)" }
    }
}

struct Door: ViewModel {
    static let didOpen = Notification.Name("door.didOpen")
    var isOpen = false

    static let interface = Interface<Door>("door") {
        Output("isOpen", \.isOpen)
        Action("open") { door, context in
            door.isOpen = true
            context.post(didOpen)
        }
    }
}

struct Lamp: ViewModel {
    var isOn = false

    static let interface = Interface<Lamp>("lamp") {
        Output("isOn", \.isOn)
        On(Door.didOpen) { lamp, _ in lamp.isOn = true }
    }
}

@Test("the book's view models keep the contract of view models")
func contracts() async {
    let viewModels: [Declaration] = [
        .hosting(Counter.self), .hosting(Ticket.self), .hosting(Door.self), .hosting(Lamp.self),
        .hosting(Board.self, with: FixedPrices()), .hosting(ShoppingBoard.self),
    ]
    #expect(await viewModels.violations(in: ["en", "de"]) == [])
}
