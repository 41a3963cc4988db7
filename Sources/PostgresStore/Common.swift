import Dispatch
import Entities
import Foundation
import Locking
import StoreParts
import Synchronization

/// The shared state of a store's threads.
final class Common: Sendable {
    let target: Target
    let schema: Schema
    let settings: PostgresStore.Settings
    let health: StoreHealth
    let hints: Hints
    /// Work for ``Writer``.
    let writes = Lane<Writer.Request>()
    /// Work for ``Reader``.
    let questions = Lane<Question>()
    /// Work for ``Keeper``.
    let chores = Lane<@Sendable (inout Keeper) -> Void>()
    /// How far the database's clock is ahead of this machine's, in milliseconds.
    private let ahead = Atomic<Int64>(0)
    /// Runs callbacks in the order of the results, on a thread that neither reads nor writes.
    let answers = DispatchQueue(label: "store-answers", qos: .userInitiated)

    init(_ target: Target, _ schema: Schema, _ settings: PostgresStore.Settings, _ hints: Hints) {
        health = StoreHealth(tell: settings.tell)
        (self.target, self.schema, self.settings, self.hints) = (target, schema, settings, hints)
    }

    /// The time since 1970 by the database's clock, as measured at the last look for due effects.
    var now: Duration { Self.time + .milliseconds(ahead.load(ordering: .relaxed)) }

    private static var time: Duration { .seconds(Date().timeIntervalSince1970) }

    /// Records the time of the database.
    func note(_ now: Duration) { ahead.store((now - Self.time).milliseconds, ordering: .relaxed) }

    /// A connection for one thread.
    func link() -> Link { Link(target, patience: settings.patience) }
}
