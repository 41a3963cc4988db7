import Locking

/// Notes which of the Variables that it follows were set.
///
/// For a host of many Variables that looks after each turn what changed: to note a set costs a tenth of posting it to an
/// observer of a center. Neither keeps the other alive, and a Variable may be followed by several. Safe from
/// any thread.
public final class ChangeRecorder: Sendable {
    private let setters = Lock<[ObjectIdentifier]>([])

    /// A recorder that follows no Variable yet.
    public init() {}

    /// Notes every set of `variable` from here on; to follow twice is to follow once.
    public func follow(_ variable: some ReadableVariable) {
        variable.constant.variable.note(on: self)
    }

    /// The identities of the Variables that were set since the last call, each once, in the order of their first sets.
    public func drain() -> [ObjectIdentifier] {
        setters.withLock { setters in
            defer { setters.removeAll(keepingCapacity: true) }
            return setters
        }
    }

    /// Called in the setter's thread, with no lock held, before the set is posted.
    @usableFromInline
    func note(_ variable: ObjectIdentifier) {
        // Few Variables are set between two calls, however often; the next call may be long in coming.
        setters.withLock { if !$0.contains(variable) { $0.append(variable) } }
    }
}

/// The recorders that follow a Variable, held weakly.
///
/// The first is kept inline: nearly every Variable is followed by the one of its session, and by none else.
@usableFromInline
struct Followers {
    private struct Follower {
        weak var recorder: ChangeRecorder?
    }

    private var first = Follower()
    private var rest: [Follower] = []

    @usableFromInline init() {}

    /// How many are kept, including those that have gone away since the last was added.
    var count: Int { rest.count + (first.recorder == nil ? 0 : 1) }

    /// A moment's recorders, held strongly, to be told after unlocking.
    @usableFromInline
    struct Recorders {
        fileprivate let first: ChangeRecorder?
        fileprivate let rest: [ChangeRecorder]

        @usableFromInline
        func note(_ variable: ObjectIdentifier) {
            first?.note(variable)
            for recorder in rest { recorder.note(variable) }
        }
    }

    @usableFromInline var recorders: Recorders {
        Recorders(first: first.recorder, rest: rest.isEmpty ? [] : rest.compactMap(\.recorder))
    }

    /// Adds a recorder, unless it follows already, and forgets those that have gone away.
    mutating func add(_ recorder: ChangeRecorder) {
        rest.removeAll { $0.recorder == nil }
        if first.recorder === recorder || rest.contains(where: { $0.recorder === recorder }) { return }
        if first.recorder == nil { first.recorder = recorder } else { rest.append(Follower(recorder: recorder)) }
    }
}
