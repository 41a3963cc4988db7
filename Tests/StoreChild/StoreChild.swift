import Foundation
import SQLiteStore
import Sessions

/// A process of its own with a store, for tests that need a second one, or one that can be killed.
@main
enum StoreChild {
    static func main() async {
        let arguments = CommandLine.arguments
        do {
            switch arguments.dropFirst().first {
            case "hold": try await hold(arguments[2])
            case "commit": try await commit(arguments[2], SQLiteStore.Durability(rawValue: arguments[3]) ?? .power)
            case "backup": try await SQLiteStore.backup(from: arguments[2], to: arguments[3])
            default: exit(64)
            }
        } catch {
            say("\(error)")
            exit(1)
        }
    }

    /// Keeps a store open until standard input ends, and does not close it.
    private static func hold(_ path: String) async throws {
        let store = try SQLiteStore(path: path)
        say("open")
        while readLine() != nil {}
        withExtendedLifetime(store) {}
    }

    /// Commits without end to eight sessions, each with eight steps under way, and says which steps were acknowledged.
    private static func commit(_ path: String, _ durability: SQLiteStore.Durability) async throws {
        let store = try SQLiteStore(path: path, durability: durability)
        let history = SessionHistory(beginningIn: store.incarnation)
        await withTaskGroup(of: Void.self) { group in
            for name in 0..<8 {
                let id = SessionID(rawValue: "session-\(name)")
                let creation = Commit(id: id, base: nil, head: head(0, history), language: .japanese)
                guard (try? await store.commit(creation)) != nil else { return say("no creation") }
                group.addTask { await commit(to: id, history, in: store) }
            }
        }
    }

    private static func commit(to id: SessionID, _ history: SessionHistory, in store: SQLiteStore) async {
        var seq: UInt64 = 0
        while true {
            let first = seq
            seq += 8
            await withCheckedContinuation { continuation in
                for step in first..<seq {
                    let commit = Self.step(id, history, step)
                    store.submit(commit) { failure in
                        say(failure == nil ? "\(id.rawValue) \(step + 1)" : "failed")
                        if step + 1 == first + 8 { continuation.resume() }
                    }
                }
            }
        }
    }

    private static func head(_ seq: UInt64, _ history: SessionHistory) -> SessionHead {
        SessionHead(version: CommitVersion(number: seq, nonce: 1), seq: seq, history: history)
    }

    private static func step(_ id: SessionID, _ history: SessionHistory, _ seq: UInt64) -> Commit {
        let text = Array("\(seq + 1)".utf8)
        return Commit(
            id: id, base: head(seq, history).version, head: head(seq + 1, history), language: .japanese,
            viewModels: [
                ViewModelRecord(
                    name: "counter", model: text, outputs: [OutputRecord(name: "text", value: text, seq: seq + 1)])
            ],
            outcome: RememberedOutcome(
                key: KeyDigest(of: "key-\(seq + 1)", in: id), fingerprint: [], status: 200, entityTag: "",
                contentType: "", body: text, end: TimeOfDay(secondsSince1970: .max)))
    }

    /// One write(2) a line: no lock, no buffer, and whole where it is shorter than a pipe's atomic size.
    private static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(1, bytes, bytes.count)
    }
}
