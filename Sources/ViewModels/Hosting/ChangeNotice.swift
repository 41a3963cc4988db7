import Synchronization

/// Whether a view model has asked for a way to change without an action of its own; safe from any thread.
final class ChangeNotice: Sendable {
    private let asked = Atomic(false)

    var hasAsked: Bool { asked.load(ordering: .relaxed) }

    func note() { asked.store(true, ordering: .relaxed) }
}
