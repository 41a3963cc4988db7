import Sessions

/// One thing to be done by the writer, and whom to tell.
enum Work: Sendable {
    case commit(Commit, @Sendable (StoreFailure?) -> Void)
    case delete(SessionID, at: CommitVersion, @Sendable (StoreFailure?) -> Void)
    case touch([(id: SessionID, end: TimeOfDay)], @Sendable (StoreFailure?) -> Void)
    case deleteEnded(TimeOfDay, limit: Int, @Sendable (Result<[SessionID], StoreFailure>) -> Void)
    case deleteEndedOutcomes(TimeOfDay, limit: Int, @Sendable (Result<Int, StoreFailure>) -> Void)
    /// Deletes a few outcomes of sessions that are gone.
    case deleteRemnants
    /// Makes the file a little smaller, where pages of it are free.
    case giveBack
    /// Finds out whether anything can be written.
    case probe(@Sendable (StoreFailure?) -> Void)

    /// Whether it is to be on the disk when it is acknowledged.
    ///
    /// Where the end of a session is put off, or what is over is deleted, a loss of power may undo it: the one ends early, the
    /// other is deleted again.
    var isToLast: Bool {
        switch self {
        case .commit, .delete, .probe: true
        case .touch, .deleteEnded, .deleteEndedOutcomes, .deleteRemnants, .giveBack: false
        }
    }

    /// Whether pages of the file may be free afterwards.
    var freesSpace: Bool {
        switch self {
        case .delete, .deleteEnded, .deleteEndedOutcomes, .deleteRemnants, .giveBack: true
        case .commit, .touch, .probe: false
        }
    }

    /// Says why nothing was done, or that nobody knows.
    func fail(_ failure: StoreFailure) {
        switch self {
        case .commit(_, let done), .delete(_, _, let done), .touch(_, let done), .probe(let done): done(failure)
        case .deleteEnded(_, _, let done): done(.failure(failure))
        case .deleteEndedOutcomes(_, _, let done): done(.failure(failure))
        case .deleteRemnants, .giveBack: break
        }
    }
}
