import Binding
import Events
import Samples
import Sessions
import TestSupport
import Testing
import ViewModels

@Suite("What cannot be encoded is told to the log")
struct UnshowableEventsTests {
    /// Shows a level that others set, stores another, and changes by itself.
    private final class Dial: ViewModel {
        struct Model: StoredModel { var stored = 0.0 }

        static let interface = Interface<Dial>("dial") {
            Output("level", \.level)
            Action("act", Dial.act)
        }

        func act() { stored.value = 1 }
        func spoil() { level.value = .nan }

        let level: Variable<Double>
        var model: Model { Model(stored: stored.value) }
        private let stored: Variable<Double>

        init(context: ViewModelContext, level: Variable<Double>, stored: Variable<Double>, made: History<Changes<Dial>>)
        {
            self.level = level
            self.stored = stored
            made.note(context.changes(of: self))
        }
    }

    private let level = Variable(0.5)
    private let stored = Variable(0.0)
    private let made = History<Changes<Dial>>()

    private func bench() async throws -> Bench {
        try await Bench(
            of: Catalogue([
                .hosting { [level, stored, made] (_: Dial.Model, context: ViewModelContext) in
                    Dial(context: context, level: level, stored: stored, made: made)
                },
                .hosting(CounterViewModel.init(model:)),
            ]))
    }

    private func told(_ log: RecordedEvents) -> [String] {
        log.named("output-unshowable").flatMap { event in
            event.fields.filter { ["viewModel", "output"].contains($0.name) }.map { "\($0.value)" }
        }
    }

    @Test("where a look finds it")
    func look() async throws {
        level.value = .nan
        let bench = try await bench()
        let log = bench.log()
        await #expect(throws: OutputUnshowable.self) { try await bench.session.view(at: 0).value }
        #expect(told(log) == [#"text("dial")"#, #"text("level")"#])
    }

    @Test("where a change from inside leaves it, which is not stored")
    func change() async throws {
        let bench = try await bench()
        let log = bench.log()
        _ = try await bench.session.perform(ActionID(0, of: 0))
        let changes = try #require(made.elements.last)
        await #expect(throws: OutputUnshowable.self) { try await changes { $0.spoil() } }
        #expect(told(log).prefix(2) == [#"text("dial")"#, #"text("level")"#])
    }

    @Test("where another view model acts", arguments: [true, false])
    func others(isModel: Bool) async throws {
        let bench = try await bench()
        let log = bench.log()
        _ = try await bench.session.perform(ActionID(0, of: 0))
        if isModel { stored.value = .nan }
        level.value = isModel ? 2 : .nan
        _ = try await bench.session.perform(ActionID(0, of: 1))
        #expect(told(log) == (isModel ? [#"text("dial")"#] : [#"text("dial")"#, #"text("level")"#]))
        #expect(String(utf8: try await bench.session.view(at: 0).value.json) == #"{"level":0.5}"#)
        (stored.value, level.value) = (0, 2)
        _ = try await bench.session.perform(ActionID(0, of: 1))
        #expect(String(utf8: try await bench.session.view(at: 0).value.json) == #"{"level":2}"#)
    }
}
