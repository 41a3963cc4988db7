import Binding
import ViewModels

/// A place in a session's changes, as the server names it; handed back untouched.
public struct RemoteCursor: Hashable, Sendable, Decodable, CustomStringConvertible {
    /// Its characters, which need no escaping in a URL or a header field.
    public let description: String

    /// Takes a cursor that was kept, as ``description`` gave it.
    ///
    /// - Returns: nil for what is no cursor: 1 to 256 of `A-Z a-z 0-9 . _ ~ -`.
    public init?(_ text: some StringProtocol) {
        let isMade = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"),
                UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isMade, (1...256).contains(text.utf8.count) else { return nil }
        description = String(text)
    }

    /// The mark of the history that it belongs to.
    var epoch: Substring { description.prefix { $0 != "." } }
    /// The number of a commit in that history; nil where the server names none.
    package var seq: UInt64? {
        let parts = description.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count > 1 ? UInt64(parts[1]) : nil
    }

    /// Reads one from an answer.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let cursor = Self(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "This is no cursor.")
        }
        self = cursor
    }
}

/// What changed after a cursor; applied whole, since changes of one seq belong together.
public struct RemoteUpdate: Sendable {
    /// What an update is.
    public enum Kind: Hashable, Sendable {
        /// What changed after the cursor that was asked with; nothing where only the connection is another, which says that
        /// the server stands where it stood.
        case delta
        /// Everything there is, and why: `initial`, `epoch`, `history` or `future`. What was known before is void.
        case snapshot(reason: String)
        /// Nothing changed; the cursor may have moved.
        case idle
    }

    /// What the update is.
    public fileprivate(set) var kind: Kind
    /// Where the session stands after it: ask with it for what comes next.
    public let cursor: RemoteCursor
    /// The latest value of each output that changed, in the order of seq.
    public fileprivate(set) var changes: [RemoteChange]
    /// After how long to come back, where the server is about to stop.
    public let retryAfter: Duration?
    /// Whether another poll of the same session took this one's place.
    let isSuperseded: Bool

    /// The same as a change of nothing.
    var asDelta: RemoteUpdate {
        var update = self
        update.kind = .delta
        return update
    }

    /// The value that an output has after this, or nil where it did not change.
    ///
    /// - Parameter path: of an output that is a plain property.
    /// - Throws: ``RemoteFailure`` where no output is declared by this property, or the value is of another type.
    public func value<Owner: Presented, Value: Decodable>(of path: KeyPath<Owner, Value>) throws -> Value? {
        try value(at: path)
    }

    /// The same for an output that is a `Variable`, a `Constant` or the `$` face of a `Posted` property.
    public func value<Owner: Presented, Value: Decodable>(
        of path: KeyPath<Owner, some ReadableVariable<Value>>
    ) throws -> Value? { try value(at: path) }

    func value<Owner: Presented, Value: Decodable>(at path: PartialKeyPath<Owner>) throws -> Value? {
        let name = try Owner.outputName(at: path)
        let change = changes.last { $0.viewModel == Owner.presentation.name.rawValue && $0.output == name }
        return try change.map { try Owner.value(of: name, from: $0.raw) }
    }

    /// This and the update that came after it, as one: the newest value of each output.
    func followed(by next: RemoteUpdate) -> RemoteUpdate {
        guard next.kind == .delta, kind != .idle else { return next }
        let newer = Set(next.changes.map(\.place))
        var both = next
        both.kind = kind
        both.changes = changes.filter { !newer.contains($0.place) } + next.changes
        return both
    }
}

/// One output's latest value.
public struct RemoteChange: Sendable, Hashable {
    /// The commit that made it.
    public let seq: UInt64
    /// The view model's name.
    public let viewModel: String
    /// The output's name.
    public let output: String
    let raw: RawJSON

    /// The value as JSON text.
    public var json: [UInt8] { raw.text }
}

extension RemoteUpdate: Decodable {
    private enum Keys: String, CodingKey { case kind, reason, cursor, changes, retryAfter, superseded }

    /// What a ping says: nothing new.
    init(idleAt cursor: RemoteCursor) {
        (kind, self.cursor, changes, retryAfter, isSuperseded) = (.idle, cursor, [], nil, false)
    }

    /// Reads an answer of `/changes`, or the data of an event.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Keys.self)
        cursor = try members.decode(RemoteCursor.self, forKey: .cursor)
        changes = try members.decode([RemoteChange].self, forKey: .changes)
        retryAfter = try members.decodeIfPresent(Int.self, forKey: .retryAfter).map { .seconds($0) }
        isSuperseded = try members.decodeIfPresent(Bool.self, forKey: .superseded) ?? false
        switch try members.decode(String.self, forKey: .kind) {
        case "delta": kind = .delta
        case "idle": kind = .idle
        case "snapshot":
            kind = .snapshot(reason: try members.decodeIfPresent(String.self, forKey: .reason) ?? "initial")
        default:
            throw DecodingError.dataCorruptedError(
                forKey: .kind, in: members, debugDescription: "It is none of delta, snapshot and idle.")
        }
    }
}

extension RemoteChange: Decodable {
    private enum Keys: String, CodingKey { case seq, viewModel, output, value }

    /// Reads an entry of an update.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Keys.self)
        seq = try members.decode(UInt64.self, forKey: .seq)
        viewModel = try members.decode(String.self, forKey: .viewModel)
        output = try members.decode(String.self, forKey: .output)
        raw = try members.decode(RawJSON.self, forKey: .value)
    }
}
