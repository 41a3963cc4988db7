internal import Events
import Glibc
import Locking
import Synchronization
import ViewModels

/// What all sessions of a server share.
final class SessionEnvironment: Sendable {
    let catalogue: Catalogue
    let store: any SessionStore
    let limits: SessionLimits
    let timer: DeadlineTimer
    /// Those in memory; emptied when their registry goes, since each of them holds its environment.
    let sessions = Lock(SessionTable())
    /// Changes from inside that were given up and have not returned.
    let hungChanges = HungWork()
    /// Makings of view models that were.
    let hungMakings = HungWork()
    /// Who is told what an operator wants to hear.
    let eventPace = Lock<EventPace?>(nil)
    /// What this build's view models show before anybody has touched them.
    ///
    /// Made before anybody is served, since an initializer may block.
    private let untouched: [Language: Untouched]
    let counts: ActionCounts
    /// How each action has run, by the places of view model and action.
    let actionPaces: [[RunPace]]
    /// The names of each view model and of its actions, for what a crash tells; they live as long as the process.
    // Safe: written once, in `init`, before anyone else sees them, and their texts never.
    nonisolated(unsafe) let labels: [(viewModel: CrashNames.Text?, actions: [CrashNames.Text?])]
    let threads: any ThreadSupply
    let timeline: any Timeline
    /// When this process began to keep sessions.
    let beginning: Duration
    private let draining = Atomic(false)

    init(
        catalogue: Catalogue, store: any SessionStore, limits: SessionLimits, timeline: any Timeline,
        threads: any ThreadSupply
    ) {
        self.catalogue = catalogue
        self.store = store
        self.limits = limits
        self.timeline = timeline
        beginning = timeline.now
        timer = DeadlineTimer(timeline: timeline)
        counts = ActionCounts(catalogue)
        actionPaces = catalogue.viewModels.map { $0.actions.map { _ in RunPace() } }
        labels = catalogue.viewModels.map { viewModel in
            func text(_ text: String) -> CrashNames.Text? { strdup(text).map { CrashNames.Text($0) } }
            return (text(viewModel.name.rawValue), viewModel.actions.map { text($0.name.rawValue) })
        }
        self.threads = threads
        untouched = Dictionary(
            uniqueKeysWithValues: catalogue.languages.all.map { ($0, Untouched(catalogue, in: $0)) })
    }

    /// What this build's view models show before anybody has touched them to whoever asked for a language.
    func untouched(in language: Language) -> Untouched {
        guard let untouched = untouched[catalogue.languages.spoken(to: language)] else {
            preconditionFailure("There is one for each that is spoken.")
        }
        return untouched
    }

    /// Tells the log, of the like at most once a second.
    func tell(_ event: Event, alike key: String) { eventPace.withLock { $0 }?.tell(event, alike: key) }

    /// Tells the log that an action or a change did something, of which it does not matter how often others do it.
    func tell(_ event: Event) { eventPace.withLock { $0 }?.log?.record(event) }

    /// The time since some fixed moment.
    var now: Duration { timeline.now }

    /// The time of day, as all who share the store have it.
    var timeOfDay: TimeOfDay { store.timeOfDay ?? TimeOfDay(secondsSince1970: timeline.secondsSince1970) }

    /// When a session that is used now ends if nobody uses it again; nil for the public one, which never does.
    func end(of id: SessionID) -> TimeOfDay? {
        guard id != .public else { return nil }
        return timeOfDay.advanced(by: limits.timeToLive)
    }

    /// Whether waits are to end at once.
    ///
    /// A drain sets it, and then walks all sessions. A wait reads it under its session's lock: where it reads false, it was
    /// registered before the walk reached its session, and the walk ends it.
    var isDraining: Bool {
        get { draining.load(ordering: .sequentiallyConsistent) }
        set { draining.store(newValue, ordering: .sequentiallyConsistent) }
    }
}

/// How much of each session, in memory or not, was given up and has not returned; below zero for a moment where it returns
/// just then.
final class HungWork: Sendable {
    private let counts = Lock<[SessionID: Int]>([:])

    func isOf(_ id: SessionID) -> Bool { counts.withLock { $0[id, default: 0] > 0 } }

    /// Notes that some was given up, or has returned after that.
    func note(_ count: Int, of id: SessionID) {
        counts.withLock { counts in
            let now = counts[id, default: 0] + count
            counts[id] = now == 0 ? nil : now
        }
    }
}
