import Dispatch
import Entities
import Locking
import StoreParts

/// What the threads of a store share.
final class Common: Sendable {
    let target: Target
    let schema: Schema
    let settings: PostgresStore.Settings
    let health: StoreHealth
    let hints: Hints
    /// What waits for ``Writer``.
    let writes = Lane<Writer.Request>()
    /// What waits for ``Reader``.
    let questions = Lane<Question>()
    /// What waits for ``Keeper``.
    let chores = Lane<Keeper.Chore>()
    let underWay = Lock(UnderWay())
    /// Entities with an unknown commit that nobody has loaded since: their commits are refused.
    let doubts = Lock<Set<EntityID>>([])
    /// Calls back in the order in which results come, on a thread that neither reads nor writes.
    let answers = DispatchQueue(label: "store-answers", qos: .userInitiated)

    init(_ target: Target, _ schema: Schema, _ settings: PostgresStore.Settings, _ hints: Hints) {
        let start = ContinuousClock.now
        health = StoreHealth(now: { ContinuousClock.now - start }, tell: settings.tell)
        (self.target, self.schema, self.settings, self.hints) = (target, schema, settings, hints)
    }

    /// A connection for one thread.
    func link() -> Link { Link(target, patience: settings.patience) }

    /// Asks the reader.
    func ask(_ question: Question) { if !questions.add(question) { answers.async { question.fail() } } }
}
