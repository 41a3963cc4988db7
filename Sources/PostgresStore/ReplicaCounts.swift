import Events
import Synchronization

/// What a replica counts of the others, and of its connections.
final class ReplicaCounts: Sendable {
    private let conflicts = Atomic(0)
    private let held = Atomic(0)
    private let told = Atomic(0)
    private let heard = Atomic(0)
    private let missed = Atomic(0)
    private let connects = Atomic(0)

    /// A commit met another of its session.
    func noteConflict() { conflicts.add(1, ordering: .relaxed) }
    /// A session was passed over, because somebody else was writing it.
    func noteHeld() { held.add(1, ordering: .relaxed) }
    /// Hints were sent.
    func noteTold(_ count: Int) { told.add(count, ordering: .relaxed) }
    /// A hint came from another replica.
    func noteHeard() { heard.add(1, ordering: .relaxed) }
    /// A look found what no hint had told.
    func noteMissed() { missed.add(1, ordering: .relaxed) }
    /// A connection was made.
    func noteConnect() { connects.add(1, ordering: .relaxed) }

    var measures: [Measure] {
        [
            Measure(
                .counter, "bindery_store_conflicts_total", "Commits that met another of their session.",
                conflicts.load(ordering: .relaxed)),
            Measure(
                .counter, "bindery_store_held_total",
                "Times that a session was passed over, because another replica was writing it.",
                held.load(ordering: .relaxed)),
            Measure(
                .counter, "bindery_store_hints_sent_total", "Sessions of which other replicas were told.",
                told.load(ordering: .relaxed)),
            Measure(
                .counter, "bindery_store_hints_received_total", "Sessions of which other replicas told.",
                heard.load(ordering: .relaxed)),
            Measure(
                .counter, "bindery_store_hints_missed_total",
                "Changes that a look found, and no hint had told of: who waited for them waited up to a second.",
                missed.load(ordering: .relaxed)),
            Measure(
                .counter, "bindery_store_connects_total", "Connections that were made to the database.",
                connects.load(ordering: .relaxed)),
        ]
    }
}
