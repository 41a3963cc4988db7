import Binding
import Sessions
import TestSupport
import Testing
import ViewModels

@Suite("A model that cannot be encoded")
struct UnencodableModelTests {
    /// Its model is made of variables that others set.
    private final class Level: ViewModel {
        struct Model: StoredModel {
            var level = 0.0
            var acts = 0
        }

        static let interface = Interface<Level>("level") {
            Output("percent", \.percent)
            Output("acts", \.acts)
            Action("act", Level.act)
            Action("mend", Level.mend)
        }

        func act() { acts.value += 1 }
        func mend() { level.value = 1 }

        var percent: Int { level.value.isFinite ? Int(level.value * 100) : -1 }
        let acts: Variable<Int>
        var model: Model { Model(level: level.value, acts: acts.value) }
        private let level: Variable<Double>

        init(model: Model, level: Variable<Double>, acts: Variable<Int>) {
            self.level = level
            self.acts = acts
        }
    }

    private func bench(_ level: Variable<Double>) async throws -> Bench {
        let acts = Variable(0)
        return try await Bench(
            of: Catalogue([.hosting { (model: Level.Model) in Level(model: model, level: level, acts: acts) }]))
    }

    @Test("is stored and shown again once it can be", arguments: [true, false])
    func mended(isMendedByItself: Bool) async throws {
        let level = Variable(0.5)
        let bench = try await bench(level)
        _ = try await bench.session.perform(ActionID(0, of: 0))
        bench.timeline.advance(by: .seconds(120))
        _ = await bench.registry.evictIdle()
        level.value = .nan
        let session = try await bench.found()
        await #expect(throws: OutputUnshowable.self) { try await session.view(at: 0).value }
        if isMendedByItself { _ = try await session.perform(ActionID(1, of: 0)) } else { level.value = 1 }
        #expect(String(utf8: try await session.view(at: 0).value.json) == #"{"percent":100,"acts":1}"#)
        #expect(String(utf8: try await session.perform(ActionID(0, of: 0)).json) == #"{"percent":100,"acts":2}"#)
        #expect(try await session.changes(since: nil).kind == "snapshot")
    }

    @Test("from the beginning is shown once it can be")
    func beginning() async throws {
        let level = Variable(Double.nan)
        let session = try await bench(level).session
        await #expect(throws: OutputUnshowable.self) { try await session.view(at: 0).value }
        level.value = 1
        #expect(String(utf8: try await session.view(at: 0).value.json) == #"{"percent":100,"acts":0}"#)
        #expect(String(utf8: try await session.perform(ActionID(0, of: 0)).json) == #"{"percent":100,"acts":1}"#)
    }
}
