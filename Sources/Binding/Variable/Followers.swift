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

    /// How many are kept, those that have gone since the last was added among them.
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
