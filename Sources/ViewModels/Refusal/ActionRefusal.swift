/// Why an action did not happen; nothing has changed.
///
/// ```swift
/// guard !rename.title.isEmpty else {
///     throw ActionRefusal.invalid("A title has at least one letter.", at: \.title, of: rename)
/// }
/// ```
/// The action declares each kind with ``Action/refusing(_:_:)``.
public struct ActionRefusal: Error, Equatable, Sendable {
    /// What kind of refusal it is.
    public let kind: Kind
    /// In plain words, what prevents the action; never holds what the caller sent.
    ///
    /// The kind's title where nothing was said.
    public let detail: String
    /// The member of the input that is to blame, as a JSON Pointer in URI fragment form (RFC 6901, section 6): `#/title`;
    /// nil for none.
    public let pointer: String?

    /// Makes a refusal.
    public init(_ kind: Kind, _ detail: String) { self.init(kind, detail, pointer: nil) }

    /// Makes a refusal that blames a member of the input.
    ///
    /// - Parameters:
    ///   - member: leads to the member, as `\.title` or `\.lines[2].sku`. The pointer has the names by which it is encoded, and leads
    ///     as far as that can be told (``InputPlace``): else it is that of the object around, in the end `#`, the whole.
    ///   - input: what the action was given.
    public init<Input, Member>(
        _ kind: Kind, _ detail: String, at member: (InputPlace<Input>) -> InputPlace<Member>, of input: Input
    ) {
        self.init(kind, detail, pointer: JSON.pointer(to: InputPlace.way(of: member(InputPlace(of: input)))))
    }

    package init(_ kind: Kind, _ detail: String, pointer: String?) {
        self.kind = kind
        self.detail = detail.allSatisfy(\.isWhitespace) ? kind.title : detail
        self.pointer = pointer
    }

    /// The state does not allow the action: 409.
    ///
    /// - Parameter detail: why, and what would enable it, in plain words.
    public static func disabled(_ detail: String) -> ActionRefusal { ActionRefusal(.disabled, detail) }

    /// The input has the declared shape, and is no valid one all the same: 422.
    public static func invalid(_ detail: String) -> ActionRefusal { ActionRefusal(.invalid, detail) }

    /// A member of the input is not valid: 422, with a pointer to it.
    ///
    /// See ``init(_:_:at:of:)``.
    public static func invalid<Input, Member>(
        _ detail: String, at member: (InputPlace<Input>) -> InputPlace<Member>, of input: Input
    ) -> ActionRefusal { ActionRefusal(.invalid, detail, at: member, of: input) }

    /// What the input names does not exist: 404.
    public static func notFound(_ detail: String) -> ActionRefusal { ActionRefusal(.notFound, detail) }

    /// Whoever asks may not do that: 403.
    public static func forbidden(_ detail: String) -> ActionRefusal { ActionRefusal(.forbidden, detail) }

    /// The input does not go together with what is there, as a name that is taken: 409.
    public static func conflict(_ detail: String) -> ActionRefusal { ActionRefusal(.conflict, detail) }

    /// A refusal of a kind that is thrown in one place; see ``Kind/custom(type:status:title:)``.
    public static func custom(type: String, status: Int, title: String, _ detail: String) -> ActionRefusal {
        ActionRefusal(.custom(type: type, status: status, title: title), detail)
    }
}

extension ActionRefusal {
    /// What a refusal says of itself wherever it happens: a problem type of HTTP (RFC 9457).
    public struct Kind: Hashable, Sendable {
        /// The last segment of the problem's type, `/problems/TYPE`.
        public let type: String
        /// The HTTP status.
        public let status: Int
        /// What kind of refusal it is, in a few words.
        public let title: String
        /// Whether it is found before the action runs: a request that is sent again may be another one.
        ///
        /// Never of a kind of a view model's own, whatever its words.
        package let isOfBody: Bool

        /// A kind of one's own.
        ///
        /// ```swift
        /// extension ActionRefusal.Kind {
        ///     static let soldOut = custom(type: "sold-out", status: 409, title: "Sold out")
        /// }
        /// throw ActionRefusal(.soldOut, "The last one went a minute ago.")
        /// ```
        ///
        /// - Parameters:
        ///   - type: as a ``Name``, and none of the service's own.
        ///   - status: one of ``statuses``, the same wherever the type is.
        ///   - title: what kind of refusal it is, in a few words, the same wherever the type is.
        public static func custom(type: String, status: Int, title: String) -> Kind {
            Kind(type: type, status: status, title: title, isOfBody: false)
        }

        /// The statuses that a refusal may have.
        ///
        /// They speak of what is asked for; others of the request's form, the connection or the server.
        public static let statuses: Set<Int> = [400, 402, 403, 404, 409, 410, 422, 423, 424, 451]

        /// The state does not allow the action.
        public static let disabled = custom(type: "action-disabled", status: 409, title: "The action is disabled")
        /// The input has the declared shape, and is no valid one all the same.
        public static let invalid = custom(type: "action-invalid", status: 422, title: "The input is not valid")
        /// What the input names does not exist.
        public static let notFound = custom(
            type: "action-not-found", status: 404, title: "What is named does not exist")
        /// Whoever asks may not do that.
        public static let forbidden = custom(type: "action-forbidden", status: 403, title: "The action is forbidden")
        /// The input does not go together with what is there.
        public static let conflict = custom(
            type: "action-conflict", status: 409, title: "The action conflicts with what is there")

        /// The input is no JSON.
        package static let malformedInput = Kind(
            type: "malformed-json", status: 400, title: "The body is not JSON", isOfBody: true)
        /// The input is JSON of another shape than is declared.
        package static let wrongShape = Kind(
            type: "wrong-shape", status: 422, title: "The body has the wrong shape", isOfBody: true)

        /// Whether every view model may have it without making it.
        package var isBuiltIn: Bool { [.disabled, .invalid, .notFound, .forbidden, .conflict].contains(self) }

        /// What is wrong with the kind, in a sentence that follows its name; nil for nothing.
        package var fault: String? { isOfBody || isBuiltIn ? nil : ownFault }

        /// What is wrong with declaring it: what is found before the action runs is never the view model's.
        var declaredFault: String? { isBuiltIn ? nil : ownFault }

        /// What is wrong with it as a kind of a view model's own.
        private var ownFault: String? {
            if Name(type) == nil { return "is no type: 1 to 64 of a-z, A-Z, 0-9 and -, a letter first" }
            guard !Self.takenTypes.contains(type.lowercased()) else {
                return "has the type of a problem of the server's own; give it another"
            }
            if title.allSatisfy(\.isWhitespace) { return "has no title: say what it is in a few words" }
            if Self.statuses.contains(status) { return nil }
            let statuses = Self.statuses.sorted().map(String.init).joined(separator: ", ")
            return "has the status \(status), which no refusal may have: \(statuses)"
        }
    }

    /// A kind of refusal that an action declares.
    public struct Declared: Hashable, Sendable {
        /// The kind.
        public let kind: Kind
        /// When it is thrown, one sentence.
        public let summary: String
    }
}
