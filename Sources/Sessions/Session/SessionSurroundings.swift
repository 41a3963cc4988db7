import Synchronization
import ViewModels

/// What all sessions of a server share.
final class SessionSurroundings: Sendable {
    let catalogue: Catalogue
    let store: any SessionStore
    let limits: SessionLimits
    let timer: DeadlineTimer
    private let draining = Atomic(false)

    init(catalogue: Catalogue, store: any SessionStore, limits: SessionLimits, timeline: any Timeline) {
        self.catalogue = catalogue
        self.store = store
        self.limits = limits
        timer = DeadlineTimer(timeline: timeline)
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
