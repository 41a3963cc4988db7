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
    public let isSnapshot: Bool
    /// The position after the update.
    public let cursor: RemoteCursor
    /// The latest value of each output that changed, ordered by seq.
    public let changes: [RemoteChange]

    private struct Members: Decodable {
        let kind, cursor: String
        let changes: [RemoteChange]
    }

    /// Reads the data of an event.
    ///
    /// - Throws: ``RemoteFailure`` if it is not an update.
    init(_ text: [UInt8]) throws {
        let members = try? JSON.decode(Members.self, from: text)
        guard let members, let cursor = RemoteCursor(members.cursor) else {
            throw RemoteFailure(.notUnderstood, "An event is not an update: the server has another build.")
        }
        (isSnapshot, self.cursor, changes) = (members.kind == "snapshot", cursor, members.changes)
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
    /// The value of the output, or of the row.
    public let value: JSONValue
    /// The changed row of a list by key; nil if the whole value changed.
    public let row: Row?

    /// A row of a list by key.
    public struct Row: Hashable, Sendable {
        /// The member of each row that is its key.
        public let member: String
        /// The key.
        public let key: String
        /// Whether the row is gone.
        public let isRemoved: Bool
        /// Whether the row is new or has another place: behind the row of ``after``, or at the beginning.
        public let isPlaced: Bool
        /// The key of the row before; nil for none.
        public let after: String?
    }

    private enum Member: String, CodingKey { case seq, viewModel, output, value, by, key, removed, after }

    /// Reads an entry of the feed.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        seq = try members.decode(UInt64.self, forKey: .seq)
        viewModel = try members.decode(String.self, forKey: .viewModel)
        output = try members.decode(String.self, forKey: .output)
        guard let key = try members.decodeIfPresent(String.self, forKey: .key) else {
            (value, row) = (try members.decode(JSONValue.self, forKey: .value), nil)
            return
        }
        value = try members.decodeIfPresent(JSONValue.self, forKey: .value) ?? .null
        row = Row(
            member: try members.decode(String.self, forKey: .by), key: key,
            isRemoved: try members.decodeIfPresent(Bool.self, forKey: .removed) ?? false,
            isPlaced: members.contains(.after), after: try members.decodeIfPresent(String.self, forKey: .after))
    }
}

extension [RemoteChange] {
    /// Applies these changes of rows to a list by key, in their order.
    ///
    /// - Returns: nil if the list lacks a changed row, or the row before a placed one.
    func rows(of list: [JSONValue]) -> [JSONValue]? {
        var list = list
        func place(of key: String?, by member: String) -> Int? {
            list.firstIndex { element in
                guard let key, case .object(let row) = element, case .string(let text)? = row[member] else {
                    return false
                }
                // Compare bytes: Swift treats some different texts as equal.
                return text.utf8.elementsEqual(key.utf8)
            }
        }
        for change in self {
            guard let row = change.row else { continue }
            let old = place(of: row.key, by: row.member)
            guard row.isPlaced || row.isRemoved else {
                guard let old else { return nil }
                list[old] = change.value
                continue
            }
            if let old { list.remove(at: old) }
            if row.isRemoved { continue }
            guard let before = row.after == nil ? -1 : place(of: row.after, by: row.member) else { return nil }
            list.insert(change.value, at: before + 1)
        }
        return list
    }
}
