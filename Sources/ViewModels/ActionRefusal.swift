/// Why an action did not happen; nothing has changed.
public struct ActionRefusal: Error, Equatable, Sendable {
    /// The kinds of refusal, by what the caller can do about them.
    public enum Code: Equatable, Sendable {
        /// The view model has disabled the action in its present state; HTTP says 409.
        case disabled
        /// The input is no JSON; HTTP says 400.
        case malformedInput
        /// The input is JSON of another shape; `pointer` names the member (RFC 6901). HTTP says 422.
        case wrongShape(pointer: String)
    }

    /// What kind of refusal it is.
    public let code: Code
    /// In plain words, what stands in the way; never holds what the caller sent.
    public let detail: String

    /// Makes a refusal.
    public init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// The refusal for a view model to throw when its state does not allow the action.
    ///
    /// - Parameter detail: why, and what would enable it, in plain words.
    public static func disabled(_ detail: String) -> ActionRefusal { ActionRefusal(.disabled, detail) }
}
