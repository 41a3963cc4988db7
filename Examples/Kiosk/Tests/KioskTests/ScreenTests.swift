import BinderyKit
import BinderyTesting
import KioskScreen
import Synchronization
import Testing

/// A server's counter, as whoever wrote the server has it.
private final class ServedCounter: ViewModel {
    struct Model: StoredModel { var count = 0 }

    static let interface = Interface<ServedCounter>("counter") {
        Output("text", \.text)
        Output("enabled", \.enabled)
        Output("alpha", \.alpha)
        Action("increment", ServedCounter.increment)
        Action("decrement", ServedCounter.decrement).refusing(.disabled, "The counter is at zero.")
    }

    func increment() { model.count += 1 }

    func decrement() throws {
        guard enabled else { throw ActionRefusal.disabled("Zero it is.") }
        model.count -= 1
    }

    var text: String { "\(model.count)" }
    var enabled: Bool { model.count > 0 }
    var alpha: Double { enabled ? 1 : 0.5 }

    private(set) var model: Model
    init(model: Model) { self.model = model }
}

/// What was printed.
private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func print(_ line: String) { lines.withLock { $0.append(line) } }
}

@Suite("The kiosk's screen")
struct ScreenTests {
    @Test("shows the counter, what its keys do, and what is refused")
    func keys() async throws {
        try await withServer(viewModels: [.hosting(ServedCounter.init(model:))]) { server in
            let lines = Lines()
            let screen = try await Screen(of: server.publicSession) { lines.print($0) }
            for key in "-++-x" { #expect(try await screen.press(key) == (key != "x")) }
            #expect(lines.all == ["[0]", "(Zero it is.)", "[1]", "[2]", "[1]"])
        }
    }

    @Test("goes on after the server was away")
    func away() async throws {
        try await withServer(viewModels: [.hosting(ServedCounter.init(model:))]) { server in
            let lines = Lines()
            let screen = try await Screen(of: server.publicSession) { lines.print($0) }
            try await server.restart()
            try await server.waits(in: server.publicSession)
            _ = try await screen.press("+")
            #expect(lines.all.first == "[0]" && lines.all.last == "[1]")
        }
    }
}
