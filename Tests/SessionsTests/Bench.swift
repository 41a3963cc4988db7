import Events
import TestSupport
import Testing
import ViewModels

@testable import Sessions

/// A registry over a scripted store and a timeline moved by hand, and a session of it.
struct Bench {
    let timeline: ManualTimeline
    let store: ScriptedStore
    let census = Census()
    let registry: SessionRegistry
    let token: SessionToken
    let session: Session

    /// - Parameter catalogue: what to host instead of the view models of ``Catalogue/testing(_:)``.
    init(
        of catalogue: Catalogue? = nil, store: ScriptedStore = ScriptedStore(),
        limits: SessionLimits = SessionLimits(), language: Language = .japanese,
        timeline: ManualTimeline = ManualTimeline(), memory: ProcessMemory = .system
    ) async throws {
        self.timeline = timeline
        self.store = store
        registry = SessionRegistry(
            catalogue: catalogue ?? .testing(census), store: store, limits: limits, timeline: timeline,
            threads: HereThreads(ActionThreads(atMost: limits.actionThreads)), memory: memory)
        (token, session) = try await registry.begin(language: language)
        census.forget()
    }

    /// A registry over the same store, as another replica has one; it goes past the script.
    func replica(of catalogue: Catalogue = .testing(), limits: SessionLimits = SessionLimits()) -> SessionRegistry {
        SessionRegistry(catalogue: catalogue, store: store.behind, limits: limits, timeline: timeline)
    }

    /// Has what happens to sessions kept from now on.
    func log() -> RecordedEvents {
        let log = RecordedEvents()
        registry.tellEvents(at: EventPace(log: log, by: timeline))
        return log
    }

    /// The session as its client finds it by its token, also after it left memory.
    func found() async throws -> Session { try #require(try await registry.session(for: token).value) }
}

/// Threads for actions, and none for making view models: that is done where it is asked for, so that `Task.immediate` returns when
/// it is.
private final class HereThreads: ThreadSupply {
    private let threads: ActionThreads

    init(_ threads: ActionThreads) { self.threads = threads }

    var runJob: (@Sendable (@escaping @Sendable () -> Void) -> Void)? { threads.runJob }

    func run(_ work: @escaping @Sendable () -> Void) -> Bool { threads.run(work) }

    func runChange(_ work: @escaping @Sendable () -> Void) -> Bool { threads.runChange(work) }

    func runMaking(_ work: @escaping @Sendable () -> Void) -> Bool {
        work()
        return true
    }

    func afterwards(_ follow: () -> Void) { threads.afterwards(follow) }
}

extension Session {
    /// Makes actions known to be fast: they run where they are asked for, so that `Task.immediate` returns when they are
    /// submitted.
    func prove(_ paths: String...) throws {
        for path in paths {
            let (place, action) = try find(path)
            try prove(action, of: place)
        }
    }

    /// The same, by its place in another catalogue.
    func prove(_ action: Int, of place: Int) throws {
        let errand = try Declaration.errand {}.make(in: .nowhere)
        for _ in 0..<RunPace.fastRuns {
            _ = try environment.actionPaces[place][action].run(0, on: errand, body: [], by: environment.timeline) { _ in
            }
        }
    }

    /// Runs an action by its path.
    @discardableResult
    func act(_ path: String, _ body: String = "") async throws -> View {
        let (place, action) = try find(path)
        return try await perform(ActionID(action, of: place), body: Array(body.utf8))
    }

    /// What a view model shows, as JSON text.
    func shown(_ name: String) async throws -> String {
        String(utf8: try await view(at: #require(environment.catalogue.place(of: name))).value.json)
    }

    /// Asks without waiting.
    func changes(since: Cursor?, topics: OutputSet? = nil, values: Bool = true) async throws -> Said {
        try Said(
            await changes(FeedQuery(since: since, topics: topics, includesValues: values), wait: .zero))
    }

    /// Begins to wait for what comes after now, and returns once it waits.
    func poll(
        since: Cursor? = nil, topics: OutputSet? = nil, wait: Duration = .seconds(25), as kind: WaitKind = .poll
    ) async -> Task<FeedAnswer, any Error> {
        let query = FeedQuery(since: since ?? cursor, topics: topics)
        let before = waitingCount
        let task = Task.immediate { try await self.changes(query, wait: wait, as: kind) }
        #expect(await eventually { waitingCount > before })
        return task
    }

    /// The places of a view model and an action, from `counter/increment`.
    func find(_ path: String) throws -> (place: Int, action: Int) {
        let parts = path.split(separator: "/")
        let catalogue = environment.catalogue
        let place = try #require(catalogue.place(of: parts[0]))
        let action = try #require(catalogue.viewModels[place].actions.firstIndex { $0.name.rawValue == parts[1] })
        return (place, action)
    }
}

/// The failure with which something ends, by its name.
func failure(_ body: () async throws -> some Any) async -> String? {
    do {
        _ = try await body()
        return nil
    } catch let failure as SessionFailure {
        return switch failure {
        case .evicted: "evicted"
        case .keyOfAnotherRequest: "keyOfAnotherRequest"
        case .ended: "ended"
        case .refused: "refused"
        case .preconditionFailed: "preconditionFailed"
        case .tooManyActions(let seconds): "tooManyActions(\(seconds))"
        case .lineFull: "lineFull"
        case .tooManyKeys(let seconds): "tooManyKeys(\(seconds))"
        case .tooManyKeyBytes(let seconds): "tooManyKeyBytes(\(seconds))"
        case .timedOut: "timedOut"
        case .unreadable: "unreadable"
        case .damaged: "damaged"
        case .busy: "busy"
        case .notMade: "notMade"
        case .outOfMemory: "outOfMemory"
        case .unavailable: "unavailable"
        }
    } catch {
        return "\(type(of: error))"
    }
}

extension Session {
    /// Reads the session again, whether it may be behind the store or not.
    func reload() async throws { try await ask { .reload($0) } }
}
