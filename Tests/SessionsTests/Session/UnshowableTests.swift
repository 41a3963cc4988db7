import Binding
import Sessions
import TestSupport
import Testing
import ViewModels

@Suite("An output that cannot be encoded")
struct UnshowableTests {
    /// Shows two variables that others set.
    final class Gauge: ViewModel {
        struct Model: StoredModel { var acts = 0 }

        static let interface = Interface<Gauge>("gauge") {
            Output("level", \.level)
            Output("count", \.count)
            Action("act", Gauge.act)
            Action("mend", Gauge.mend)
            Action("spoil", Gauge.spoil)
        }

        func act() { model.acts += 1 }
        func mend() { level.value = 1 }

        func spoil() {
            count.value = 7
            level.value = .nan
        }

        let level: Variable<Double>
        let count: Variable<Int>
        private(set) var model: Model

        init(model: Model, level: Variable<Double>, count: Variable<Int>) {
            self.model = model
            self.level = level
            self.count = count
        }
    }

    private func bench(_ level: Variable<Double>, _ count: Variable<Int>) async throws -> Bench {
        try await Bench(
            of: Catalogue([
                .hosting { (model: Gauge.Model) in Gauge(model: model, level: level, count: count) },
                .hosting(CounterViewModel.init(model:)),
            ]))
    }

    @Test("from the beginning is shown to who looks once it can be", arguments: [true, false])
    func beginning(isMendedByItself: Bool) async throws {
        let level = Variable(Double.nan)
        let session = try await bench(level, Variable(0)).session
        await #expect(throws: OutputUnshowable.self) { try await session.view(at: 0).value }
        await #expect(throws: OutputUnshowable.self) { try await session.perform(ActionID(0, of: 0)) }
        if isMendedByItself { _ = try await session.perform(ActionID(1, of: 0)) } else { level.value = 1 }
        #expect(String(utf8: try await session.view(at: 0).value.json) == #"{"level":1,"count":0}"#)
        _ = try await session.views()
        #expect(try await session.changes(since: nil).kind == "snapshot")
        _ = try await session.perform(ActionID(0, of: 0))
    }

    @Test("leaves its view model alone where another refuses")
    func refusal() async throws {
        let made = History<Int>()
        let session = try await Bench(
            of: Catalogue([
                .hosting { (model: Gauge.Model) in
                    made.note(1)
                    return Gauge(model: model, level: Variable(.nan), count: Variable(0))
                }, .hosting(CounterViewModel.init(model:)),
            ])
        ).session
        await #expect(throws: OutputUnshowable.self) { try await session.perform(ActionID(0, of: 0)) }
        let count = made.elements.count
        for _ in 0..<2 {
            await #expect(throws: SessionFailure.self) { try await session.perform(ActionID(1, of: 1)) }
        }
        #expect(made.elements.count == count)
    }

    /// How an output becomes such while its neighbour changes.
    enum Way: CaseIterable { case ownAction, refusal, load }

    @Test("keeps no change of its neighbour from being told, once both can be", arguments: Way.allCases)
    func neighbour(way: Way) async throws {
        let (level, count) = (Variable(0.5), Variable(0))
        let bench = try await bench(level, count)
        var session = bench.session
        for place in [0, 1] { _ = try await session.perform(ActionID(0, of: place)) }
        switch way {
        case .ownAction:
            await #expect(throws: OutputUnshowable.self) { try await session.perform(ActionID(2, of: 0)) }
        case .refusal:
            (level.value, count.value) = (.nan, 7)
            // Of another view model: it is done all the same.
            _ = try await session.perform(ActionID(1, of: 1))
            await #expect(throws: SessionFailure.self) { try await session.perform(ActionID(1, of: 1)) }
        case .load:
            (level.value, count.value) = (.nan, 7)
            bench.timeline.advance(by: .seconds(120))
            _ = await bench.registry.evictIdle()
            session = try await bench.found()
            #expect(String(utf8: try await session.view(at: 0).value.json) == #"{"level":0.5,"count":7}"#)
        }
        level.value = 1
        _ = try await session.perform(ActionID(0, of: 1))
        #expect(String(utf8: try await session.view(at: 0).value.json) == #"{"level":1,"count":7}"#)
    }
}
