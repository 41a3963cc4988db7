import Samples
import TestSupport
import Testing
import ViewModels

/// A view model with actions that go wrong, or that wait for a test.
struct Tried: ViewModel {
    typealias Services = Gate

    struct Input: Codable, Sendable { var id: String }
    struct Unforeseen: Error {}

    var runs = 0

    static let interface = Interface<Tried>("tried", "Goes wrong.") {
        Output("runs", \.runs)
        Action("take", example: Input(id: "a")) { tried, _ in tried.runs += 1 }
        Action("throw") { _ in throw Unforeseen() }
        Action("sell") { _ in throw Refusal(.soldOut, "The last one was sold.") }
            .refusing(.soldOut, "Nothing is left.")
        Action("wait") { tried, context async in
            await context.services.pass()
            tried.runs += 1
        }
    }
}

extension Refusal.Kind {
    static let soldOut = custom(type: "sold-out", status: 410, title: "Sold out")
}

/// A gate at which actions wait.
actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    /// How many actions have come to the gate.
    private(set) var count = 0

    func pass() async {
        count += 1
        if !isOpen { await withCheckedContinuation { waiting.append($0) } }
    }

    func open() {
        isOpen = true
        for one in waiting { one.resume() }
        waiting = []
    }

    /// Returns when that many actions have come.
    nonisolated func arrivals(_ number: Int) async { #expect(await eventually { await count >= number }) }
}

extension [Declaration] {
    static var samples: [Declaration] { Declaration.samples }
    static var tried: [Declaration] { [.hosting(Tried.self, with: Gate())] }
}
