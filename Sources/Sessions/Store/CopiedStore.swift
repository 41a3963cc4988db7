import ViewModels

/// A store whose sessions can be taken to another.
package protocol CopiedStore: SessionStore {
    /// All outcomes of a session that are to be remembered yet, in any order; none of a session that is not there.
    func outcomes(of id: SessionID) async throws(StoreFailure) -> [RememberedOutcome]

    /// Whether nobody else can have changed it since it was opened, where it was opened alone.
    func isAlone() async -> Bool

    /// Notes that what it holds is a part of another store's sessions, or that it is whole.
    ///
    /// Kept as the sessions are, before any of them and after the last: whatever ends the process, a store that has a part alone says
    /// so, and is refused by whoever opens it but as a ``StorePurpose/target``, for whom it is empty.
    ///
    /// - Parameter source: what it is filled from; nil where all is there.
    func noteFilling(from source: String?) async throws(StoreFailure)
}

extension CopiedStore {
    /// Always: one process has it open at a time.
    package func isAlone() async -> Bool { true }

    /// Nothing: what is gone with its process is opened by nobody.
    package func noteFilling(from source: String?) async {}

    /// Puts all sessions into another store, with what their keys remember, and their histories: a cursor of here is one
    /// there.
    ///
    /// Nobody may change either store meanwhile. A session whose time is over stays behind. All or nothing: where it is broken off, the
    /// target says that it has a part (``noteFilling(from:)``).
    ///
    /// - Parameters:
    ///   - target: an empty store.
    ///   - name: what this one is called.
    ///   - progress: is told now and then how many sessions have been copied.
    /// - Returns: how many sessions, and how many outcomes.
    /// - Throws: ``CopyFailure``.
    package func copy(
        to target: some CopiedStore, as name: String, progress: (_ sessions: Int) -> Void = { _ in }
    ) async throws -> (sessions: Int, outcomes: Int) {
        let count = try await CopyFailure.ofTarget { () throws(StoreFailure) in try await target.count() }
        guard count == 0 else { throw CopyFailure.notEmpty }
        try await CopyFailure.ofTarget { () throws(StoreFailure) in try await target.noteFilling(from: name) }
        var (sessions, outcomes, place) = (0, 0, Int64(0))
        while true {
            let after = place
            let page = try await CopyFailure.ofSource { () throws(StoreFailure) in
                try await self.sessions(after: after, limit: 256)
            }
            guard let last = page.last else { break }
            place = last.place
            // Side by side: the target stores them as one group.
            try await withThrowingTaskGroup(of: Int?.self) { group in
                for summary in page { group.addTask { try await self.copy(summary, to: target) } }
                for try await count in group {
                    guard let count else { continue }
                    sessions += 1
                    outcomes += count
                }
            }
            progress(sessions)
        }
        guard await isAlone(), await target.isAlone() else { throw CopyFailure.notAlone }
        try await CopyFailure.ofTarget { () throws(StoreFailure) in try await target.noteFilling(from: nil) }
        return (sessions, outcomes)
    }

    /// - Returns: how many outcomes it has; nil where its time is over.
    private func copy(_ summary: SessionSummary, to target: some CopiedStore) async throws -> Int? {
        let read = try await CopyFailure.ofSource {
            () async throws(StoreFailure) -> (record: SessionRecord, outcomes: [RememberedOutcome])? in
            guard let record = try await load(summary.id) else { return nil }
            return (record, try await outcomes(of: summary.id))
        }
        guard let (record, outcomes) = read else { return nil }
        var base: CommitVersion?
        var version = CommitVersion.first()
        // A commit remembers one.
        for place in 0..<max(1, outcomes.count) {
            let head = SessionHead(version: version, seq: record.head.seq, history: record.head.history)
            let isFirst = base == nil
            let commit = Commit(
                id: summary.id, base: base, head: head, language: record.language, end: record.end,
                initialDigests: isFirst ? record.initialDigests : nil,
                viewModels: isFirst ? Array(record.viewModels.values) : [],
                outcome: place < outcomes.count ? outcomes[place] : nil, begun: summary.begun)
            try await CopyFailure.ofTarget { () throws(StoreFailure) in try await target.commit(commit) }
            (base, version) = (version, version.next())
        }
        return outcomes.count
    }
}

/// Why a store was not copied.
package enum CopyFailure: Error, Equatable, Sendable {
    /// The target has sessions.
    case notEmpty
    /// One of the two may have been changed meanwhile: it was not held all the time.
    case notAlone
    /// The store that is copied failed.
    case source(StoreFailure)
    /// The store that is copied to failed.
    case target(StoreFailure)

    fileprivate static func ofSource<Answer>(
        _ ask: () async throws(StoreFailure) -> Answer
    ) async throws(CopyFailure) -> Answer {
        do throws(StoreFailure) { return try await ask() } catch { throw .source(error) }
    }

    fileprivate static func ofTarget<Answer>(
        _ ask: () async throws(StoreFailure) -> Answer
    ) async throws(CopyFailure) -> Answer {
        do throws(StoreFailure) { return try await ask() } catch { throw .target(error) }
    }
}
