import Entities
import TestSupport
import Testing

// The store's answers, for tests that wait for them.

extension EntityStore {
    /// The result of a commit, as its case is called.
    func stored(_ commit: Commit) async -> String {
        await withCheckedContinuation { continuation in
            submit(commit) { continuation.resume(returning: "\($0)") }
        }
    }

    /// The results of commits that are submitted without waiting.
    func stored(_ commits: [Commit]) async -> [String] {
        let results = History<String>()
        await withCheckedContinuation { continuation in
            for commit in commits {
                submit(commit) { if results.append("\($0)") == commits.count { continuation.resume() } }
            }
        }
        return results.all
    }

    /// The row of an entity; nil if it does not exist, or does not load, which is an issue.
    func row(of id: EntityID) async -> StoredEntity? {
        switch await loaded(id) {
        case .found(let entity): return entity
        case .missing: return nil
        case .failed:
            Issue.record("The store does not load \(id.text).")
            return nil
        }
    }

    func loaded(_ id: EntityID) async -> ReadResult<StoredEntity> {
        await withCheckedContinuation { continuation in
            load(id) { continuation.resume(returning: $0) }
        }
    }

    func head(of id: EntityID) async -> ReadResult<Stamp> {
        await withCheckedContinuation { continuation in
            head(of: id) { continuation.resume(returning: $0) }
        }
    }

    /// The outcome of a key in words: status, body and ETag, or the number of other keys.
    func key(_ name: String, in id: EntityID) async -> String {
        let result = await withCheckedContinuation { continuation in
            lookUp(KeyDigest(key: Array(name.utf8), of: nil), in: id) { continuation.resume(returning: $0) }
        }
        switch result {
        case .found(let key):
            let remembered = key.remembered
            let etag = remembered.etag ?? "none"
            return [
                "\(remembered.status)", String(decoding: remembered.body, as: UTF8.self), etag,
                String(decoding: key.request, as: UTF8.self),
            ].joined(separator: ", ")
        case .missing(let count): return "missing of \(count)"
        case .failed: return "failed"
        }
    }

    /// The names of a user's sessions.
    func sessions(of user: String) async -> [String] {
        await withCheckedContinuation { continuation in
            sessions(of: user, limit: 10) { continuation.resume(returning: $0?.map(\.text) ?? ["failed"]) }
        }
    }

    /// The names of entities with due effects that the store gives out, in order.
    func takenDue(limit: Int = 10) async -> [String] {
        await withCheckedContinuation { continuation in
            takeDue(limit: limit, for: .seconds(30)) {
                continuation.resume(returning: $0?.ids.map(\.text) ?? ["failed"])
            }
        }
    }

    /// The names of the entities that expired, in order.
    func expired(after ttl: Duration = .seconds(900), limit: Int = 1_000) async -> [String] {
        await withCheckedContinuation { continuation in
            expire(unusedFor: ttl, limit: limit) { continuation.resume(returning: $0.ended.map(\.text).sorted()) }
        }
    }

    /// Runs housekeeping once.
    func mayExpireMore(limit: Int) async -> Bool {
        await withCheckedContinuation { continuation in
            expire(unusedFor: .seconds(900), limit: limit) { continuation.resume(returning: $0.mayHaveMore) }
        }
    }

    var isReady: Bool {
        get async {
            await withCheckedContinuation { continuation in isReady { continuation.resume(returning: $0) } }
        }
    }

    func closed() async {
        await withCheckedContinuation { continuation in close { continuation.resume() } }
    }
}

struct Failed: Error {}
