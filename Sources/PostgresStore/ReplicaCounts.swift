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
    private let takeovers = Atomic(0)
    private let lostLeases = Atomic(0)
    private let losses = Atomic(0)

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
    /// A connection was made, for good or in place of one that was lost.
    func noteConnect() { connects.add(1, ordering: .relaxed) }
    /// A lease was taken over from a replica that was not heard of.
    func noteTakeover() { takeovers.add(1, ordering: .relaxed) }
    /// Leases were held here, and are no more.
    func noteLostLeases(_ count: Int) { lostLeases.add(count, ordering: .relaxed) }
    /// A connection broke, or was given up.
    func noteLoss() { losses.add(1, ordering: .relaxed) }

    /// What is counted and measured.
    ///
    /// - Parameter wanted: how many connections there are while nothing is wrong.
    func measures(ofConnections wanted: Int) -> [Measure] {
        let (lost, made) = (losses.load(ordering: .relaxed), connects.load(ordering: .relaxed))
        return [
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
                made),
            Measure(
                .counter, "bindery_store_leases_taken_over_total",
                "Sessions that change by themselves, taken over from a replica that was not heard of.",
                takeovers.load(ordering: .relaxed)),
            Measure(
                .counter, "bindery_store_leases_lost_total",
                "Sessions that changed by themselves here, until this replica could not reach the database in time.",
                lostLeases.load(ordering: .relaxed)),
            Measure(
                .counter, "bindery_store_connections_lost_total", "Connections to the database that broke.", lost),
            Measure(
                .gauge, "bindery_store_connections", "Connections to the database that are not known to be broken.",
                max(0, made - lost)),
            Measure(
                .gauge, "bindery_store_connections_wanted", "How many of them there should be.", wanted),
        ]
    }
}
