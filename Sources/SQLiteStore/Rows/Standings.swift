import Sessions

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
