import Binding
import Foundation
import Locking
import Samples
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
            Action("refuse", Gauge.refuse)
        }

        func act() { model.acts += 1 }
        func mend() { level.value = 1 }

        func spoil() {
            count.value = 7
            level.value = .nan
        }

        func refuse() throws { throw ActionRefusal.disabled("No.") }

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

    @Test("fails no action of another view model while which it became such")
    func stranger() async throws {
        let level = Variable(0.5)
        let (barrier, made) = (Barrier(), History<Int>())
        defer { barrier.open() }
        let session = try await Bench(
            of: Catalogue([
                .errand(barrier.pass),
                .hosting { (model: Gauge.Model) in
                    made.note(1)
                    return Gauge(model: model, level: level, count: Variable(0))
                },
            ])
        ).session
        _ = try await session.perform(ActionID(0, of: 1))
        let errand = Task { try await session.perform(ActionID(0, of: 0)) }
        try await barrier.arrivals()
        level.value = .nan
        barrier.open()
        #expect(String(utf8: try await errand.value.json) == #"{"count":1}"#)
        #expect(String(utf8: try await session.view(at: 1).value.json) == #"{"level":0.5,"count":0}"#)
        let count = made.elements.count
        #expect(await failure { try await session.perform(ActionID(0, of: 0), body: [0]) } == "refused")
        #expect(made.elements.count == count)
        level.value = 2
        _ = try await session.perform(ActionID(0, of: 0))
        #expect(String(utf8: try await session.view(at: 1).value.json) == #"{"level":2,"count":0}"#)
    }

    @Test("fails no action that its view model may have heard of")
    func listener() async throws {
        let builds = [1, 2].map { build in
            Catalogue([
                .hosting { (model: Ear.Model, context: ViewModelContext) in
                    Ear(model: model, context: context, build: build)
                }, .hosting(CounterViewModel.init(model:)),
            ])
        }
        let bench = try await Bench(of: builds[0])
        _ = try await bench.session.perform(ActionID(0, of: 0))
        let session = try #require(try await bench.replica(of: builds[1]).session(for: bench.token).value)
        for count in 1...2 {
            #expect(String(utf8: try await session.perform(ActionID(0, of: 1)).json) == counter(count))
        }
        #expect(String(utf8: try await session.view(at: 0).value.json) == #"{"ratio":0.5}"#)
    }

    /// What brings what was held back to light.
    enum Light: CaseIterable { case look, action, restart }

    @Test("of a later build keeps from nobody what an earlier one had changed", arguments: Light.allCases)
    func earlier(light: Light) async throws {
        let level = Variable(Double.nan)
        let builds = [
            Catalogue([.hosting(SmallGauge.init(model:)), .hosting(CounterViewModel.init(model:))]),
            Catalogue([
                .hosting { (model: Gauge.Model) in Gauge(model: model, level: level, count: Variable(model.acts)) },
                .hosting(CounterViewModel.init(model:)),
            ]),
        ]
        let bench = try await Bench(of: builds[0])
        _ = try await bench.session.perform(ActionID(0, of: 0))
        let told = bench.session.cursor
        _ = try await bench.session.perform(ActionID(0, of: 0))
        var session = try #require(try await bench.replica(of: builds[1]).session(for: bench.token).value)
        // The cursor moves past what cannot be shown.
        let idle = try await session.changes(since: told)
        #expect(idle.kind == "idle")
        let cursor = Cursor(idle.cursor)
        level.value = 1
        switch light {
        case .look: _ = try await session.view(at: 0).value
        case .action: _ = try await session.perform(ActionID(0, of: 1))
        case .restart:
            session = try #require(try await bench.replica(of: builds[1]).session(for: bench.token).value)
        }
        let said = try await session.changes(since: cursor)
        #expect(said.kind == "delta")
        #expect(said.places.contains { $0.hasSuffix("gauge.count") })
    }

    @Test("leaves a refusal a refusal, and its key to whoever has typed it wrong")
    func refusalUnderKey() async throws {
        let session = try await bench(Variable(.nan), Variable(0)).session
        let refused = Told(status: 409, body: "", isReplay: false)
        #expect(try await session.act("gauge/refuse", key: "a") == refused)
        #expect(try await session.act("gauge/refuse", key: "a").isReplay)
        #expect(await failure { try await session.act("gauge/refuse", "{", key: "b") } == "refused")
        #expect(try await session.act("gauge/refuse", key: "b") == refused)
    }

    @Test("gives no entity tag to a condition")
    func condition() async throws {
        let session = try await bench(Variable(.nan), Variable(0)).session
        #expect(
            await failure { try await session.perform(ActionID(0, of: 0)) { $0 != nil } } == "preconditionFailed")
    }

    @Test("hides no other view model while it is looked at once more")
    func neighboursWhileLooked() async throws {
        let (stall, barrier) = (Stall(), Barrier())
        let shared = Variable(stall)
        defer { barrier.open() }
        let session = try await Bench(
            of: Catalogue([
                .hosting { (model: Gauge.Model) in StalledGauge(model: model, stall: shared) },
                .hosting(CounterViewModel.init(model:)),
            ])
        ).session
        #expect(await failure { try await session.view(at: 0).value } == "OutputUnshowable")
        stall.work.withLock { $0 = barrier.pass }
        let look = Task { try await session.view(at: 0).value }
        try await barrier.arrivals()
        #expect(try session.view(at: 1).known != nil)
        barrier.open()
        #expect(await failure { try await look.value } == "OutputUnshowable")
    }
}

/// A value that cannot be encoded, and takes its time to say so.
private final class Stall: Codable, Equatable, Sendable {
    let work = Lock<@Sendable () -> Void>({})

    init() {}
    init(from decoder: any Decoder) {}

    func encode(to encoder: any Encoder) throws {
        work.withLock { $0 }()
        throw CancellationError()
    }

    static func == (left: Stall, right: Stall) -> Bool { left === right }
}

private final class StalledGauge: ViewModel {
    static let interface = Interface<StalledGauge>("stalled") { Output("stall", \.stall) }

    let stall: Variable<Stall>
    private(set) var model: UnshowableTests.Gauge.Model

    init(model: UnshowableTests.Gauge.Model, stall: Variable<Stall>) {
        self.model = model
        self.stall = stall
    }
}

/// The gauge of an earlier build, without the output that may show what cannot be encoded.
private final class SmallGauge: ViewModel {
    static let interface = Interface<SmallGauge>("gauge") {
        Output("count", \.count)
        Action("act", SmallGauge.act)
    }

    func act() { model.acts += 1 }

    var count: Int { model.acts }
    private(set) var model: UnshowableTests.Gauge.Model

    init(model: UnshowableTests.Gauge.Model) { self.model = model }
}

/// Listens to the session's notifications, and shows a ratio that in a later build is no number.
private final class Ear: ViewModel {
    struct Model: StoredModel { var acts = 0 }

    static let interface = Interface<Ear>("ear") {
        Output("ratio", \.ratio)
        Action("act", Ear.act)
    }

    func act() { model.acts += 1 }

    var ratio: Double { build == 1 ? 0.5 : .nan }
    private(set) var model: Model
    private let build: Int
    private let center: NotificationCenter

    init(model: Model, context: ViewModelContext, build: Int) {
        self.model = model
        self.build = build
        center = context.center
    }
}
