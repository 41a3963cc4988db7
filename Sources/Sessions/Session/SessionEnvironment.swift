import Locking
import Synchronization
import ViewModels

/// What all sessions of a server share.
final class SessionSurroundings: Sendable {
    let catalogue: Catalogue
    let store: any SessionStore
    let limits: SessionLimits
    let timer: DeadlineTimer
    /// Those in memory; emptied when their registry goes, since each of them holds its surroundings.
    let sessions = Lock(SessionTable())
    private let knownUntouched = Lock<[Language: Untouched]>([:])
    /// How each action has run, by the places of view model and action.
    let paces: [[ActionPace]]
    /// Runs work that may block, as ``ActionThreads`` does.
    let aside: @Sendable (@escaping @Sendable () -> Void) -> Bool
    /// Runs the tasks of `async` actions; nil for Swift's pool.
    let executor: (any TaskExecutor)?
    let timeline: any Timeline
    private let draining = Atomic(false)

    init(
        catalogue: Catalogue, store: any SessionStore, limits: SessionLimits, timeline: any Timeline,
        aside: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool, executor: (any TaskExecutor)? = nil
    ) {
        self.catalogue = catalogue
        self.store = store
        self.limits = limits
        self.timeline = timeline
        timer = DeadlineTimer(timeline: timeline)
        paces = catalogue.viewModels.map { $0.actions.map { _ in ActionPace() } }
        self.aside = aside
        self.executor = executor
    }

    /// What this build's view models are in a language before anybody has touched them.
    func untouched(in language: Language) -> Untouched {
        if let known = knownUntouched.withLock({ $0[language] }) { return known }
        // Not under the lock: a view model's initializer is a host's.
        let made = Untouched(catalogue.viewModels, in: language)
        knownUntouched.withLock { $0[language] = made }
        return made
    }

    /// The time since some fixed moment.
    var now: Duration { timeline.now }

    /// The time of day.
    var timeOfDay: SessionEnd { SessionEnd(secondsSince1970: timeline.secondsSince1970) }

    /// When a session that is used now ends if nobody uses it again; nil for the public one, which never does.
    func end(of id: SessionID) -> SessionEnd? {
        guard id != .public else { return nil }
        return timeOfDay.advanced(by: limits.timeToLive)
    }

    /// Whether waits are to end at once.
    ///
    /// Set before the sessions are walked, and read under a session's lock: a wait
    /// that does not see it is seen by the walk.
    var isDraining: Bool {
        get { draining.load(ordering: .sequentiallyConsistent) }
        set { draining.store(newValue, ordering: .sequentiallyConsistent) }
    }
}

/// What a build's view models are before anybody has touched them, as one of each shows that lives in no session.
struct Untouched: Sendable {
    /// A mark for what each shows.
    let beginnings: Beginnings
    /// The places of those that change by themselves: they have to be there for their changes to happen.
    let restless: [Int]

    init(_ declarations: [Declaration], in language: Language) {
        let made = declarations.map { Self.make($0, in: language) }
        beginnings = Beginnings(marks: made.map(\.mark))
        restless = made.indices.filter { made[$0].isRestless }
    }

    private static func make(_ declaration: Declaration, in language: Language) -> (mark: UInt32, isRestless: Bool) {
        // It lives in no session: its own changes are those of one that is no more.
        let nowhere = ViewModelContext(language: language) { _, _ in throw CancellationError() }
        let viewModel = try? declaration.make(in: nowhere)
        let json = JSON.object(declaration.outputNames) { place in
            // What cannot be encoded fails whoever asks for it.
            (try? viewModel?.encodedOutput(at: place)) ?? []
        }
        let digest = SHA256.hexDigest(of: Array(declaration.name.rawValue.utf8) + json)
        return (UInt32(digest.prefix(8), radix: 16) ?? 0, viewModel?.changesItself ?? false)
    }
}
