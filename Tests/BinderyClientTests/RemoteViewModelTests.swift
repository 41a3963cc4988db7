import Binding
import Foundation
import Observation
import Testing

@testable import BinderyClient

/// Protects that an app shows the newest state, and knows whether it is live.
@Suite("A view model on a server", .timeLimit(.minutes(1)))
struct RemoteViewModelTests {
    let bench: Bench
    var server: StandInServer { bench.server }
    var clock: SleepClock { bench.clock }

    init() throws { bench = try Bench() }

    private final class Label { var text = "" }

    /// Waits until an output has a value.
    private func wait(_ output: Constant<String>, for value: String) async {
        for await latest in output.values where latest == value { return }
    }

    @Test("binds its outputs like one of the app's own, also by their names")
    func bound() async throws {
        let (counter, stream) = try await bench.counter("4", seq: 4)
        #expect(stream.line.hasPrefix("GET /changes?topics=counter ") && stream["Last-Event-ID"] == "4.n")
        let label = Label()
        NotificationCenter.default.observe(counter.text, bindTo: label, \.text)
        #expect(try label.text == "4" && counter.note.value == nil && counter.output("unit").value == "個")
        #expect(throws: RemoteFailure.self) { try counter.output("unit", as: Int.self) }
        stream.send(event("delta", 5, "5") + event("delta", 6, "many", output: "note"))
        for await note in counter.note.values where note == "many" { break }
        #expect(label.text == "5")
    }

    @Test("ignores what is older than an action's answer, and not what is newer")
    func order() async throws {
        let (counter, stream) = try await bench.counter()
        let acting = Task { try await counter.increment() }
        try await server.next().answer(state: state("3"), seq: 3)
        try await acting.outcome
        #expect(counter.text.value == "3")
        stream.send(event("delta", 2, "2") + event("delta", 4, "new", output: "note"))
        for await note in counter.note.values where note == "new" { break }
        #expect(counter.text.value == "3")
        stream.send(event("delta", 5, "5"))
        await wait(counter.text, for: "5")
    }

    @Test("asks for a snapshot where the server may have lost a newer answer, and takes it back")
    func lost() async throws {
        let (counter, stream) = try await bench.counter()
        let acting = Task { try await counter.increment() }
        try await server.next().answer(state: state("9"), seq: 9)
        try await acting.outcome
        stream.finish()
        try await clock.pass(pause: .seconds(1))
        let next = try await server.next()
        #expect(next["Last-Event-ID"] == nil)
        next.stream(event("snapshot", 2, "2"))
        await wait(counter.text, for: "2")
    }

    @Test("shows a text with other bytes, which Swift calls equal")
    func bytes() async throws {
        let (counter, stream) = try await bench.counter("\u{E9}")
        stream.send(event("delta", 2, "e\u{301}") + event("delta", 3, "done", output: "note"))
        for await note in counter.note.values where note == "done" { break }
        #expect(counter.text.value.unicodeScalars.count == 2)
    }

    @Test("tells of the connection: live, waiting, live, ended")
    func connection() async throws {
        let (counter, stream) = try await bench.counter()
        var connections = counter.connection.values.map { "\($0)".prefix { $0 != "(" } }.makeAsyncIterator()
        #expect(await connections.next() == "live")
        stream.finish()
        while await connections.next() != "waiting" {}
        try await clock.pass(pause: .seconds(1))
        let second = try await server.next()
        second.stream(event("delta", 2, "2"))
        while await connections.next() != "live" {}
        // An output of another type: the server has another build.
        second.send(event("delta", 3, "3").replacingOccurrences(of: "\"3\"", with: "3"))
        while await connections.next() != "ended" {}
        #expect(counter.text.value == "2")
        await second.closed()
    }

    @Test(
        "is an error where the server shows other outputs",
        arguments: [#"{"text":"1","note":null}"#, #"{"text":1,"note":null,"unit":"個"}"#])
    func otherBuild(state: String) async throws {
        let binding = Task { [session = bench.session] in _ = try await session.viewModel(Counter.self) }
        try await server.next().answer(state: state, seq: 1)
        let failure = await #expect(throws: RemoteFailure.self) { try await binding.outcome }
        #expect(failure?.code == .notUnderstood)
    }

    @Test("closes its connection when nobody holds it any more")
    func released() async throws {
        var (counter, stream): (RemoteViewModel<Counter>?, StandInServer.Call) = try await bench.counter()
        #expect(counter != nil)
        counter = nil
        await stream.closed()
    }

    @Test("is observed as SwiftUI does it")
    @MainActor
    func observable() async throws {
        let (counter, stream) = try await bench.counter()
        let model = ObservableViewModel(counter)
        #expect(model.text == "1" && model.note == nil)
        while model.text != "2" {
            await withCheckedContinuation { continuation in
                withObservationTracking {
                    _ = model.text
                } onChange: {
                    continuation.resume()
                }
                if model.text == "1" { stream.send(event("delta", 2, "2")) }
            }
        }
        let acting = Task { try await model.increment() }
        try await server.next().answer(state: state("3"), seq: 3)
        try await acting.outcome
        #expect(model.text == "3")
    }
}
