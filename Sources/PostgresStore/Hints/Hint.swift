import Foundation
import Sessions
import StoreParts

/// What one replica tells the others of a session that it has moved on.
struct Hint: Equatable {
    let id: SessionID
    /// Nil where the session has ended.
    let version: CommitVersion?

    /// A payload of NOTIFY is shorter than this (https://www.postgresql.org/docs/15/sql-notify.html).
    static let limit = 8000

    /// Hints as texts, as few as will do: in each its hints, separated by spaces; of each the session and the version as
    /// stored, in Base64.
    static func payloads(_ hints: [Hint]) -> [String] {
        var payloads: [String] = []
        var payload = ""
        for hint in hints {
            let text = hint.text
            if !payload.isEmpty, payload.utf8.count + 1 + text.utf8.count >= limit {
                payloads.append(payload)
                payload = ""
            }
            payload += payload.isEmpty ? text : " " + text
        }
        return payload.isEmpty ? payloads : payloads + [payload]
    }

    /// Reads what ``payloads(_:)`` wrote; what it did not write is passed over.
    static func all(in payload: String) -> [Hint] { payload.split(separator: " ").compactMap { Hint(String($0)) } }

    init(id: SessionID, version: CommitVersion?) { (self.id, self.version) = (id, version) }

    private var text: String {
        Data(id.bytea).base64EncodedString() + "." + Data(version?.encoded ?? []).base64EncodedString()
    }

    private init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let id = Data(base64Encoded: String(parts[0])),
            let version = Data(base64Encoded: String(parts[1]))
        else { return nil }
        self.init(id: SessionID(bytea: Array(id)), version: CommitVersion(encoded: Array(version)))
    }
}
