import Events
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
    /// Of each session, in memory or not, the changes from inside that were given up and have not returned; below zero for a
    /// moment where one returns just then.
    private let hungChanges = Lock<[SessionID: Int]>([:])
    /// Who is told what an operator wants to hear.
    let eventPace = Lock<EventPace?>(nil)
    private let knownUntouched = Lock<[Language: Untouched]>([:])
    let counts: ActionCounts
    /// How each action has run, by the places of view model and action.
    let actionPaces: [[RunPace]]
    /// How view models were made and first encoded, of whatever kind.
    let makings = RunPace()
    /// The names of each action, for what a crash tells; they live as long as the process.
    // Safe: written once, in `init`, before anyone else sees them, and their texts never.
    nonisolated(unsafe) let labels: [[(viewModel: UnsafeMutablePointer<CChar>?, action: UnsafeMutablePointer<CChar>?)]]
    let threads: any ThreadSupply
    let timeline: any Timeline
    private let draining = Atomic(false)

    init(
        catalogue: Catalogue, store: any SessionStore, limits: SessionLimits, timeline: any Timeline,
        threads: any ThreadSupply
    ) {
        self.catalogue = catalogue
        self.store = store
        self.limits = limits
        self.timeline = timeline
        timer = DeadlineTimer(timeline: timeline)
        counts = ActionCounts(catalogue)
        actionPaces = catalogue.viewModels.map { $0.actions.map { _ in RunPace() } }
        labels = catalogue.viewModels.map { viewModel in
            viewModel.actions.map { (strdup(viewModel.name.rawValue), strdup($0.name.rawValue)) }
        }
        self.threads = threads
    }

    /// What this build's view models show in a language before anybody has touched them.
    func untouched(in language: Language) -> Untouched {
        if let known = knownUntouched.withLock({ $0[language] }) { return known }
        // Not under the lock: a view model's initializer is a host's.
        let made = Untouched(catalogue, in: language)
        knownUntouched.withLock { $0[language] = made }
        return made
    }

    /// Tells the log, of the like at most once a second.
    func tell(_ event: Event, alike key: String) { eventPace.withLock { $0 }?.tell(event, alike: key) }

    /// Tells the log that an action or a change did something, of which it does not matter how often others do it.
    func tell(_ event: Event) { eventPace.withLock { $0 }?.log?.record(event) }

    func hasHungChange(of id: SessionID) -> Bool { hungChanges.withLock { $0[id, default: 0] > 0 } }

    /// Notes that a change of a session was given up, or has returned after that.
    func noteHung(_ count: Int, of id: SessionID) {
        hungChanges.withLock { hung in
            let now = hung[id, default: 0] + count
            hung[id] = now == 0 ? nil : now
        }
    }

    /// The time since some fixed moment.
    var now: Duration { timeline.now }

    /// The time of day.
    var timeOfDay: TimeOfDay { TimeOfDay(secondsSince1970: timeline.secondsSince1970) }

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
