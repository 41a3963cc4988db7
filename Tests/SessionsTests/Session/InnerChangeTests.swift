import Binding
import Events
import Locking
import Samples
import TestSupport
import Testing
import ViewModels

@testable import Sessions

@Suite("A change from inside a view model")
struct InnerChangeTests {
    /// A session with a pulse and the counter, and the pulse's latest way to change itself.
    struct Patient {
        let store = ScriptedStore()
        let heart = Heart()
        let timeline = ManualTimeline()
        let registry: SessionRegistry
        let token: SessionToken
        let session: Session

        init(limits: SessionLimits = SessionLimits()) async throws {
            let catalogue = Catalogue([
                .hosting { [heart] in Pulse(model: $0, context: $1, heart: heart) },
                .hosting(CounterViewModel.init(model:)),
            ])
            registry = SessionRegistry(catalogue: catalogue, store: store, limits: limits, timeline: timeline)
            (token, session) = try await registry.begin(language: .japanese)
            _ = try await session.views()
        }

        /// Has what happens to sessions kept from now on.
        func log() -> RecordedEvents {
            let log = RecordedEvents()
            registry.tellEvents(at: EventPace(log: log, by: timeline))
            return log
        }

        var shown: String {
            get async throws { String(utf8: try await session.view(at: 0).value.json) }
        }
    }

    @Test("is committed and shown like an action's, and wakes who waits")
    func woken() async throws {
        let patient = try await Patient()
        let poll = await patient.session.poll()
        try await patient.heart.beat()
        #expect(try Said(await poll.value).places == ["1 pulse.beats"])
        #expect(try await patient.shown == #"{"beats":1}"#)
        #expect(try await patient.store.load(patient.session.id)?.head.seq == 1)
    }

    @Test("that changes nothing is no commit")
    func nothing() async throws {
        let patient = try await Patient()
        try await patient.heart.changes?.callAsFunction { _ in }
        #expect(patient.session.cursor.seq == 0)
    }

    @Test("goes on after another view model's action was refused")
    func afterRefusal() async throws {
        let patient = try await Patient()
        try await patient.heart.beat()
        let before = try #require(patient.heart.changes)
        await #expect(throws: SessionFailure.self) { try await patient.session.perform(ActionID(1, of: 1)) }
        // Nothing of it changed: it is the same one, with all that it has under way.
        try await before { $0.beat() }
        try await patient.heart.beat()
        #expect(try await patient.shown == #"{"beats":3}"#)
    }

    @Test("that could not be stored is not shown, and the next look brings the view model back")
    func notStored() async throws {
        let patient = try await Patient()
        patient.store.next(.commit, .refuse)
        await #expect(throws: SessionFailure.self) { try await patient.heart.beat() }
        #expect(try await patient.shown == #"{"beats":0}"#)
        try await patient.heart.beat()
        #expect(try await patient.shown == #"{"beats":1}"#)
    }

    @Test("that never returns has its time like an action, and the session goes on without it")
    func hung() async throws {
        let patient = try await Patient()
        let barrier = Barrier()
        defer { barrier.open() }
        let changes = try #require(patient.heart.changes)
        let hung = Task {
            try await changes { pulse in
                pulse.beat()
                barrier.pass()
            }
        }
        try await barrier.arrivals()
        let action = Task.immediate { try await patient.session.perform(ActionID(0, of: 1)) }
        try await patient.timeline.sleeper(until: .seconds(30))
        patient.timeline.advance(by: .seconds(30))
        #expect(await failure { try await hung.value } == "timedOut")
        _ = try await action.value
        #expect(try await patient.shown == #"{"beats":0}"#)
        // Made anew, it would hang again, on a thread each time: it waits until the one that hung returns.
        let next = Task { try await patient.heart.beat() }
        try await patient.timeline.sleeper(until: .seconds(30) + .milliseconds(50))
        #expect(try await patient.shown == #"{"beats":0}"#)
        barrier.open()
        #expect(await failure { try await changes { $0.beat() } } == "CancellationError")
        #expect(
            await eventually {
                patient.timeline.advance(by: .seconds(1))
                return (try? await patient.shown) == #"{"beats":1}"#
            })
        try await next.value
    }

    @Test("that finds no thread waits for one without its session's turn")
    func crowded() async throws {
        var limits = SessionLimits()
        limits.actionThreads = 2
        let patient = try await Patient(limits: limits)
        let barrier = Barrier()
        defer { barrier.open() }
        let changes = try #require(patient.heart.changes)
        let holder = Task { try await changes { _ in barrier.pass() } }
        try await barrier.arrivals()
        let other = try await patient.registry.begin(language: .japanese).session
        _ = try await other.views()
        let log = patient.log()
        let waiting = Task { try await patient.heart.beat() }
        try await patient.timeline.sleeper(until: .milliseconds(50))
        #expect(log.all.map(\.kind) == [.changeWaits])
        _ = try await other.perform(ActionID(0, of: 1))
        #expect(String(utf8: try await other.view(at: 0).value.json) == #"{"beats":0}"#)
        barrier.open()
        try await holder.value
        #expect(
            await eventually {
                patient.timeline.advance(by: .milliseconds(50))
                return (try? await other.view(at: 0).value.json) == Array(#"{"beats":1}"#.utf8)
            })
        try await waiting.value
    }

    @Test("that hangs keeps no thread from actions, and its session not in memory")
    func bystanders() async throws {
        var limits = SessionLimits()
        limits.actionThreads = 1
        limits.timeInMemory = .seconds(5)
        let patient = try await Patient(limits: limits)
        let barrier = Barrier()
        defer { barrier.open() }
        let changes = try #require(patient.heart.changes)
        let hung = Task { try await changes { _ in barrier.pass() } }
        try await barrier.arrivals()
        let other = try await patient.registry.begin(language: .japanese).session
        _ = try await other.perform(ActionID(0, of: 1))
        patient.timeline.advance(by: .seconds(6))
        #expect(patient.session.evict(ifIdleFor: limits.timeInMemory))
        barrier.open()
        #expect(await failure { try await hung.value } == "CancellationError")
        #expect(try await patient.store.load(patient.session.id)?.head.seq == 0)
    }

    @Test("that hangs is the only one of its session, also of one that has left memory and come back; and is told of")
    func hungAcrossMemory() async throws {
        var limits = SessionLimits()
        limits.timeInMemory = .seconds(5)
        let patient = try await Patient(limits: limits)
        let log = patient.log()
        let barrier = Barrier()
        defer { barrier.open() }
        let changes = try #require(patient.heart.changes)
        let hung = Task { try await changes { _ in barrier.pass() } }
        try await barrier.arrivals()
        try await patient.timeline.sleeper(until: .seconds(30))
        patient.timeline.advance(by: .seconds(30))
        #expect(await failure { try await hung.value } == "timedOut")
        #expect(log.all.map(\.kind) == [.changeTimedOut])
        #expect(log.all.first?["viewModel"] == "pulse")
        #expect(log.all.first?["session"] == .text("\(patient.session.tag)"))
        #expect(log.all.first?["seconds"] == 30)
        patient.timeline.advance(by: .seconds(6))
        #expect(await eventually { await patient.registry.evictIdle() == 1 })
        let back = try #require(try await patient.registry.session(for: patient.token).value)
        #expect(back !== patient.session)
        _ = try await back.views()
        let next = Task { try await patient.heart.beat() }
        #expect(await eventually { patient.timeline.sleepers.contains(.seconds(36) + .milliseconds(50)) })
        barrier.open()
        #expect(
            await eventually {
                patient.timeline.advance(by: .seconds(1))
                return (try? await back.view(at: 0).value.json) == Array(#"{"beats":1}"#.utf8)
            })
        try await next.value
    }

    @Test("is over when the session is")
    func ended() async throws {
        let patient = try await Patient()
        try await patient.session.end()
        await #expect(throws: (any Error).self) { try await patient.heart.beat() }
    }

    @Test("is over when the registry is, though somebody still holds the session")
    func registryGone() async throws {
        let heart: Heart
        let session: Session
        do {
            let patient = try await Patient()
            (heart, session) = (patient.heart, patient.session)
            try await heart.beat()
        }
        await #expect(throws: CancellationError.self) { try await heart.beat() }
        #expect(String(utf8: try await session.view(at: 0).value.json) == #"{"beats":1}"#)
    }
}

/// Beats when a test says so, and not by an action.
final class Pulse: ViewModel {
    struct Model: StoredModel {
        var beats = 0
    }

    static let interface = Interface<Pulse>("pulse") { Output("beats", \.$beats) }

    @Posted private(set) var beats: Int
    var model: Model {
        var model = Model()
        model.beats = beats
        return model
    }

    init(model: Model, context: ViewModelContext, heart: Heart) {
        beats = model.beats
        heart.changes = context.changes(of: self)
    }

    func beat() { beats += 1 }
}

/// What the latest pulse can be changed with.
final class Heart: Sendable {
    private let latest = Lock<Changes<Pulse>?>(nil)

    var changes: Changes<Pulse>? {
        get { latest.withLock { $0 } }
        set { latest.withLock { $0 = newValue } }
    }

    func beat() async throws { try await changes?.callAsFunction { $0.beat() } }
}
