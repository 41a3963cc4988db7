import Binding
import Events
import Samples
import TestSupport
import Testing
import ViewModels

@testable import Sessions

@Suite("What happens to sessions, in the log")
struct SessionEventsTests {
    private let log = RecordedEvents()
    private let timeline = ManualTimeline()
    private let store = MemoryStore()

    private func registry(_ declaration: Declaration) -> SessionRegistry {
        let registry = SessionRegistry(catalogue: Catalogue([declaration]), store: store, timeline: timeline)
        registry.tellEvents(at: EventPace(log: log, by: timeline))
        return registry
    }

    @Test("an action that is given up is told of with its session, and so is its return", arguments: [0, 1])
    func hung(action: Int) async throws {
        let barrier = Barrier()
        defer { barrier.open() }
        let session = try await registry(.errand { barrier.pass() }).begin(language: .japanese).session
        let acting = Task { try await session.perform(ActionID(action, of: 0)) }
        try await barrier.arrivals()
        timeline.advance(by: .seconds(30))
        await #expect(throws: SessionFailure.self) { try await acting.value }
        let names: [Event.Field] = try #require(log.named("action-timed-out").first).fields
        #expect(names.map(\.value) == ["errand", action == 0 ? "run" : "wait", .text("\(session.tag)"), 30, 1])
        timeline.advance(by: .seconds(5))
        barrier.open()
        #expect(await eventually { log.named("action-returned").count == 1 })
        #expect(log.named("action-returned").first?["milliseconds"] == 35_000)
        #expect(log.named("action-returned").first?["session"] == .text("\(session.tag)"))
    }

    @Test("an action that takes long is told of once")
    func slow() async throws {
        let session = try await registry(.errand { [timeline] in timeline.advance(by: .milliseconds(7)) })
            .begin(language: .japanese).session
        for _ in 0..<3 { _ = try await session.perform(ActionID(0, of: 0)) }
        let events = log.named("action-slow")
        #expect(events.count == 1)
        #expect(events.first?.fields.map(\.value) == ["errand", "run", 7])
    }

    @Test("a stored model that this build cannot read is told of, with the reason and without what is stored")
    func unreadable() async throws {
        let token = try await registry(.hosting(CounterViewModel.init(model:))).begin(language: .japanese)
        _ = try await token.session.perform(ActionID(0, of: 0))
        let other = registry(.hosting { (model: Unreadable.Model) in Unreadable(model: model) })
        let session = try #require(try await other.session(for: token.token).value)
        let event = try #require(log.named("model-unreadable").first)
        #expect(event["viewModel"] == "counter")
        #expect(event["session"] == .text("\(session.tag)"))
        #expect(event["reason"] == "counter: the member count has a value that this build does not read")
    }
}

/// A counter that counts in words.
private final class Unreadable: ViewModel {
    struct Model: StoredModel {
        var count = "none"
    }

    static let interface = Interface<Unreadable>("counter") { Output("text", \.text) }

    let text: Constant<String>
    let model: Model

    init(model: Model) {
        self.model = model
        text = Constant(Variable(model.count))
    }
}
