import Sessions
import StoreParts

/// The commits of one session in a group, each on the one before, folded into one row.
struct Chain {
    /// All that was taken, in the order in which it was submitted.
    private(set) var taken: [PendingCommit]
    /// The first is stored where the session stands at its base, and with it the others.
    private(set) var linked: [PendingCommit]
    /// Those that stand on none of these, and where the session will stand at their turn if these are stored.
    private(set) var others: [(commit: PendingCommit, version: CommitVersion)] = []
    /// The view models that changed, each as the latest commit has it.
    private(set) var viewModels: [ViewModelRecord]
    /// The outcomes to be remembered, one of each key.
    private(set) var outcomes: [RememberedOutcome]
    /// What its untouched view models show; nil where the store knows it.
    private(set) var initialDigests: InitialDigests?
    /// When the session ends; nil for never.
    private(set) var end: TimeOfDay?

    init(_ first: PendingCommit) {
        taken = [first]
        linked = [first]
        viewModels = first.commit.viewModels
        outcomes = first.commit.outcome.map { [$0] } ?? []
        (initialDigests, end) = (first.commit.initialDigests, first.commit.end)
    }

    var id: SessionID { linked[0].commit.id }
    var base: CommitVersion? { linked[0].commit.base }
    var head: SessionHead { linked[linked.count - 1].commit.head }
    var language: String { linked[linked.count - 1].commit.language.rawValue }

    /// Takes the next commit of the session.
    mutating func take(_ next: PendingCommit) {
        taken.append(next)
        let commit = next.commit
        guard commit.base == head.version else { return others.append((next, head.version)) }
        linked.append(next)
        end = commit.end(after: end)
        if let known = commit.initialDigests { initialDigests = known }
        for viewModel in commit.viewModels {
            // A handful: looking through them is faster than a dictionary.
            viewModels.removeAll { $0.name == viewModel.name }
            viewModels.append(viewModel)
        }
        if let outcome = commit.outcome {
            outcomes.removeAll { $0.key == outcome.key }
            outcomes.append(outcome)
        }
    }

    /// Chains of commits, in the order of their sessions' first.
    static func all(of commits: [PendingCommit]) -> [Chain] {
        var chains: [Chain] = []
        var places: [SessionID: Int] = [:]
        for next in commits {
            if let place = places[next.commit.id] {
                chains[place].take(next)
            } else {
                places[next.commit.id] = chains.count
                chains.append(Chain(next))
            }
        }
        return chains
    }
}

/// A commit that was submitted and is not answered.
struct PendingCommit: Sendable {
    let commit: Commit
    /// What the server held when it was submitted: in another it is not to be stored.
    let incarnation: UInt64
    let begin = ContinuousClock.now
    let done: @Sendable (StoreFailure?) -> Void
}

extension [Chain] {
    /// The parameters of ``Statements/commit``.
    func parameters(at now: TimeOfDay) -> [Parameter] {
        let ids = map(\.id.bytea)
        let viewModels = zip(ids, self).flatMap { id, chain in chain.viewModels.map { (id, $0) } }
        let outcomes = zip(ids, self).flatMap { id, chain in chain.outcomes.map { (id, $0) } }
        return [
            .bytes(ids),
            .bytes(map { $0.base?.encoded }),
            .bytes(map { $0.head.version.encoded }),
            .integers(map { Int64(bitPattern: $0.head.seq) }),
            .bytes(map { $0.head.history.encoded }),
            .integers(map { $0.end?.secondsSince1970 }),
            .bytes(map { $0.initialDigests?.column }),
            .texts(map(\.language)),
            .integers(map { ($0.linked[0].commit.begun ?? now).secondsSince1970 }),
            .bytes(viewModels.map(\.0)),
            .texts(viewModels.map(\.1.name)),
            .integers(viewModels.map { Int64($0.1.version) }),
            .bytes(viewModels.map(\.1.model)),
            .bytes(viewModels.map { OutputRecord.encode($0.1.outputs) }),
            .bytes(outcomes.map(\.0)),
            .bytes(outcomes.map(\.1.key.bytes)),
            .integers(outcomes.map(\.1.end.secondsSince1970)),
            .bytes(outcomes.map(\.1.fingerprint)),
            .integers(outcomes.map { Int64($0.1.status) }),
            .texts(outcomes.map(\.1.entityTag)),
            .texts(outcomes.map(\.1.contentType)),
            .bytes(outcomes.map(\.1.body)),
        ]
    }
}
