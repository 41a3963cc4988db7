import Locking

/// The way from a live view model back to its session, for changes that come from inside.
///
/// Made before the session is, and open once it is there; it holds the session weakly.
final class StageDoor: Sendable {
    private struct Hinge: Sendable {
        weak var session: Session?
    }

    private let hinge = Lock(Hinge())

    /// The session, if it lives.
    var session: Session? { hinge.withLock { $0.session } }

    /// Opens onto a session.
    func open(to session: Session) { hinge.withLock { $0.session = session } }
}
