import Sessions
import ViewModels

/// The commits of a group, folded by session, and not written yet.
struct Fold {
    private(set) var drafts: [SessionDraft] = []
    private var places: [SessionID: Int] = [:]

    /// How a session will stand, where the group has changed it.
    func standing(of id: SessionID) -> Standing? { places[id].map { drafts[$0].standing } }

    /// Takes a commit that stands on where the session will stand.
    ///
    /// - Parameters:
    ///   - standing: how the session stands in the file; nil where it is not there.
    ///   - number: what the session is to be known by, where the commit creates it.
    mutating func take(_ commit: Commit, on standing: Standing?, orAs number: @autoclosure () -> Int64) {
        if let place = places[commit.id] { return drafts[place].apply(commit) }
        places[commit.id] = drafts.count
        drafts.append(
            standing.map { SessionDraft(of: commit, on: $0) } ?? SessionDraft(creating: commit, as: number()))
    }

    /// Forgets the drafts, which have been written.
    mutating func removeAll() {
        drafts.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }
}

/// What a group makes of one session: any number of its commits, folded into one.
struct SessionDraft {
    let id: SessionID
    /// The language that the latest commit has it speak.
    private(set) var language: Language
    /// When it began, where that was in another store.
    let begun: TimeOfDay?
    /// How the session stands in the file; nil where it is not there yet.
    let before: Standing?
    /// How it will stand.
    private(set) var standing: Standing
    /// What its untouched view models show; nil where the file knows it.
    private(set) var initialDigests: InitialDigests?
    /// The view models that changed, each as the latest commit has it.
    private(set) var viewModels: [ViewModelRecord] = []
    /// The outcomes to be remembered, the oldest first.
    private(set) var outcomes: [RememberedOutcome] = []

    /// Begins with a session of the file.
    init(of commit: Commit, on standing: Standing) {
        id = commit.id
        language = commit.language
        begun = commit.begun
        before = standing
        self.standing = standing
        apply(commit)
    }

    /// Begins with a session that is not there yet.
    init(creating commit: Commit, as number: Int64) {
        id = commit.id
        language = commit.language
        begun = commit.begun
        before = nil
        standing = Standing(number: number, head: commit.head, end: commit.end)
        apply(commit)
    }

    /// Takes a commit that stands on where the session will stand.
    mutating func apply(_ commit: Commit) {
        standing.head = commit.head
        language = commit.language
        standing.end = commit.end(after: standing.end)
        if let known = commit.initialDigests { initialDigests = known }
        for viewModel in commit.viewModels {
            // A session has a handful of view models: looking through them is faster than a dictionary.
            if let index = viewModels.firstIndex(where: { $0.name == viewModel.name }) {
                viewModels[index] = viewModel
            } else {
                viewModels.append(viewModel)
            }
        }
        if let outcome = commit.outcome { outcomes.append(outcome) }
    }
}

/// The standings of the sessions that were written lately, so that a commit need not read before it writes.
///
/// Of bounded size without a list to keep in order: two generations, of which the older is dropped when the younger is
/// full; what is used moves to the younger.
struct Standings {
    private var young: [SessionID: Standing] = [:]
    private var old: [SessionID: Standing] = [:]
    private let limit: Int

    /// - Parameter limit: how many a generation holds; about 300 bytes each.
    init(limit: Int = 8192) { self.limit = limit }

    /// How many are known.
    var count: Int { young.count + old.count }

    subscript(id: SessionID) -> Standing? {
        get { young[id] ?? old[id] }
        set {
            if newValue == nil { old[id] = nil }
            young[id] = newValue
            guard young.count >= limit else { return }
            old = young
            young = [:]
        }
    }

    /// Forgets all of them, because the file may say something else.
    mutating func removeAll() {
        young = [:]
        old = [:]
    }
}

/// What the writer has to know of a session to take its next commit.
struct Standing {
    /// The number by which the file knows it.
    let number: Int64
    /// Where it stands.
    var head: SessionHead
    /// When it ends.
    var end: TimeOfDay?
}
