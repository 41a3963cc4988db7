/// The reason why a view model refuses an action; the action then changes nothing.
///
/// ```swift
/// guard line.quantity > 0 else { throw Refusal.invalid("The quantity must be positive.", at: "lines", 2, "quantity") }
/// ```
public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind.
    public let kind: Kind
    /// The reason in plain words, without request data: the host returns and stores it.
    public let detail: String
    /// The wrong member of the body, as a JSON Pointer in URI fragment form (RFC 6901, section 6); nil for none.
    public let pointer: String?

    /// Makes a refusal.
    ///
    /// - Parameter path: the names (`String`) and the indices in lists (`Int`) that lead to the wrong member.
    public init(_ kind: Kind, _ detail: String, at path: any CodingKeyRepresentable...) {
        self.init(kind, detail, path: path)
    }

    private init(_ kind: Kind, _ detail: String, path: [any CodingKeyRepresentable]) {
        self.kind = kind
        self.detail = detail.isEmpty ? kind.title : detail
        pointer = path.isEmpty ? nil : path.map(\.codingKey.stringValue).jsonPointer
    }

    /// The detail.
    public var description: String { detail }

    /// The state does not allow the action: 409.
    public static func disabled(_ detail: String) -> Refusal { Refusal(.disabled, detail) }

    /// A value in the body is not valid: 422; the path is as in ``init(_:_:at:)``.
    public static func invalid(_ detail: String, at path: any CodingKeyRepresentable...) -> Refusal {
        Refusal(.invalid, detail, path: path)
    }
}

extension Refusal {
    /// A kind of refusal: a problem type of HTTP (RFC 9457).
    public struct Kind: Hashable, Sendable {
        /// The last segment of the problem's type, `/problems/TYPE`.
        public let type: String
        /// The HTTP status.
        public let status: Int
        /// The kind in a few words.
        public let title: String

        /// Makes a custom kind; actions declare it with ``Action/refusing(_:_:)``.
        ///
        /// ```swift
        /// extension Refusal.Kind {
        ///     static let soldOut = custom(type: "sold-out", status: 409, title: "Sold out")
        /// }
        /// throw Refusal(.soldOut, "The last ticket was sold a minute ago.")
        /// ```
        ///
        /// A malformed type or another status stops the program.
        /// - Parameters:
        ///   - type: a name as in an ``Interface``, but not a problem type of the server.
        ///   - status: one of ``statuses``.
        public static func custom(type: String, status: Int, title: String) -> Kind {
            precondition(
                isName(type) && statuses.contains(status), "\(type) \(status): a status is one of \(statuses.sorted())."
            )
            return Kind(type: type, status: status, title: title)
        }

        /// The statuses that a refusal may have; other statuses concern the connection or the server.
        public static let statuses: Set<Int> = [400, 402, 403, 404, 409, 410, 422, 423, 424, 451]

        /// The state does not allow the action.
        public static let disabled = Kind(type: "action-disabled", status: 409, title: "The action is disabled")
        /// A value in the body is not valid.
        public static let invalid = Kind(type: "action-invalid", status: 422, title: "The input is not valid")
    }
}
