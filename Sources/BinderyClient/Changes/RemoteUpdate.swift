import ViewModels

/// A position in a session's changes, opaque to an app.
public struct RemoteCursor: Hashable, Sendable, CustomStringConvertible {
    /// The characters, which need no escaping in a header field.
    public let description: String

    /// Takes a cursor that an app has kept; nil for a text other than 1 to 256 of `A-Z a-z 0-9 . _ ~ -`.
    public init?(_ text: String) {
        guard text.wholeMatch(of: /[A-Za-z0-9._~\-]{1,256}/) != nil else { return nil }
        description = text
    }

    /// The number of the commit.
    var seq: UInt64? { UInt64(description.prefix { $0 != "." }) }
}

/// The changes after a cursor.
///
/// Changes of one seq belong together, so apply an update as a whole.
public struct RemoteUpdate: Sendable {
    /// Whether it has every output of every topic, and replaces the client's whole state.
    public private(set) var isSnapshot: Bool
    /// The position after the update.
    public private(set) var cursor: RemoteCursor
    /// The latest value of each output that changed, ordered by seq.
    public private(set) var changes: [RemoteChange]

    private struct Members: Decodable {
        let kind, cursor: String
        let changes: [RemoteChange]
    }

    /// Reads the data of an event.
    ///
    /// - Throws: ``RemoteFailure`` where it is not an update.
    init(_ text: [UInt8]) throws {
        let members = try? JSON.decode(Members.self, from: text)
        guard let members, let cursor = RemoteCursor(members.cursor) else {
            throw RemoteFailure(.notUnderstood, "An event is not an update: the server has another build.")
        }
        (isSnapshot, self.cursor, changes) = (members.kind == "snapshot", cursor, members.changes)
    }

    /// Adds the next update, and keeps the newest value of each output.
    mutating func append(_ next: RemoteUpdate) {
        guard !next.isSnapshot else { return self = next }
        changes.removeAll { old in next.changes.contains { $0.viewModel == old.viewModel && $0.output == old.output } }
        (cursor, changes) = (next.cursor, changes + next.changes)
    }
}

/// The latest value of an output.
public struct RemoteChange: Hashable, Sendable, Decodable {
    /// The number of the commit that changed it.
    public let seq: UInt64
    /// The name of the view model.
    public let viewModel: String
    /// The name of the output.
    public let output: String
    /// The value.
    public let value: JSONValue
}
