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
    private let knownBeginnings = Lock<[Language: Beginnings]>([:])
    /// How each action has run, by the places of view model and action.
    let paces: [[ActionPace]]
    let actionThreads: ActionThreads
    let timeline: any Timeline
    private let draining = Atomic(false)

    init(catalogue: Catalogue, store: any SessionStore, limits: SessionLimits, timeline: any Timeline) {
        self.catalogue = catalogue
        self.store = store
        self.limits = limits
        self.timeline = timeline
        timer = DeadlineTimer(timeline: timeline)
        paces = catalogue.viewModels.map { $0.actions.map { _ in ActionPace() } }
        actionThreads = ActionThreads(atMost: limits.actionThreads)
    }

    /// What this build's view models show in a language before anybody has touched them.
    func beginnings(in language: Language) -> Beginnings {
        if let known = knownBeginnings.withLock({ $0[language] }) { return known }
        // Not under the lock: a view model's initializer is a host's.
        let made = Beginnings(marks: catalogue.viewModels.map { Self.mark(of: $0, in: language) })
        knownBeginnings.withLock { $0[language] = made }
        return made
    }

    private static func mark(of declaration: Declaration, in language: Language) -> UInt32 {
        // It lives in no session: its own changes are those of one that is no more.
        let nowhere = ViewModelContext(language: language) { _, _ in throw CancellationError() }
        let viewModel = try? declaration.make(in: nowhere)
        let json = JSON.object(declaration.outputNames) { place in
            // What cannot be encoded fails whoever asks for it.
            (try? viewModel?.encodedOutput(at: place)) ?? []
        }
        let digest = SHA256.hexDigest(of: Array(declaration.name.rawValue.utf8) + json)
        return UInt32(digest.prefix(8), radix: 16) ?? 0
    }

    /// The time of day.
    var timeOfDay: SessionEnd { SessionEnd(secondsSince1970: timeline.secondsSince1970) }

    /// When a session that is used now ends if nobody uses it again; nil for the public one, which never does.
    func end(of id: SessionID) -> SessionEnd? {
        guard id != .public else { return nil }
        return SessionEnd(secondsSince1970: timeline.secondsSince1970 + limits.timeToLive.components.seconds)
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
