/// The sessions in memory, and what is known of the others.
struct SessionTable {
    private var owned: [SessionID: Session] = [:]
    // By itself, since everybody who brings no token means it: to hash its name is half of what finding it costs.
    private var shared: Session?
    /// Sessions that are being created and count already.
    var reserved = 0
    /// Whether the store has a public session, as far as we know.
    var isPublicThere = false
    /// How many sessions have left memory; tells whether one that was read meanwhile may have ended or moved on.
    private(set) var departures = 0

    /// How many there are in memory, the public one among them.
    var count: Int { owned.count + (shared == nil ? 0 : 1) }

    /// Every session in memory, the public one among them.
    var all: [Session] { owned.values + [shared].compactMap(\.self) }

    subscript(_ id: SessionID) -> Session? { id == .public ? shared : owned[id] }

    /// Keeps a session that is not there yet.
    mutating func insert(_ session: Session) {
        if session.id == .public { shared = session } else { owned[session.id] = session }
    }

    /// Notes that sessions have ended that may be on their way into memory.
    mutating func noteDepartures(_ count: Int) { departures += count }

    /// Forgets a session, unless another is there under its name.
    mutating func remove(_ session: Session) {
        departures += 1
        guard self[session.id] === session else { return }
        if session.id == .public { shared = nil } else { owned.removeValue(forKey: session.id) }
    }
}
