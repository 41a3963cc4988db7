/// Why an action did not happen; nothing has changed.
///
/// ```swift
/// guard line.quantity > 0 else { throw Refusal.invalid("The quantity must be positive.", at: "lines", 2, "quantity") }
/// ```
public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind.
    public let kind: Kind
    /// What prevents the action, in plain words, without request data: it is returned and stored.
    public let detail: String
    /// The member of the body to blame, as a JSON Pointer in URI fragment form (RFC 6901, section 6); nil for none.
    public let pointer: String?

    /// Makes a refusal.
    ///
    /// - Parameter path: the names (`String`) and the places in lists (`Int`) that lead to the member to blame.
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

    /// A value in the body, at a path as in ``init(_:_:at:)``, is not valid: 422.
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

        /// A kind of your own, which actions declare with ``Action/refusing(_:_:)``.
        ///
        /// ```swift
        /// extension Refusal.Kind {
        ///     static let soldOut = custom(type: "sold-out", status: 409, title: "Sold out")
        /// }
        /// throw Refusal(.soldOut, "The last ticket was sold a minute ago.")
        /// ```
        ///
        /// Another type or status is a programming error and stops the program.
        /// - Parameters:
        ///   - type: a name as in an ``Interface``, and not a type of the server's own problems.
        ///   - status: one of ``statuses``.
        public static func custom(type: String, status: Int, title: String) -> Kind {
            precondition(
                isName(type) && statuses.contains(status), "\(type) \(status): a status is one of \(statuses.sorted())."
            )
            return Kind(type: type, status: status, title: title)
        }

        /// The statuses that a refusal may have; others speak of the connection or the server.
        public static let statuses: Set<Int> = [400, 402, 403, 404, 409, 410, 422, 423, 424, 451]

        /// The state does not allow the action.
        public static let disabled = Kind(type: "action-disabled", status: 409, title: "The action is disabled")
        /// A value in the body is not valid.
        public static let invalid = Kind(type: "action-invalid", status: 422, title: "The input is not valid")
    }
}
