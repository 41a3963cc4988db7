import Foundation

/// A refusal or an error that the server sent (RFC 9457).
public struct RemoteProblem: Error, Sendable, CustomStringConvertible {
    /// The kind, such as `/problems/action-disabled`; `about:blank` if only the status is known.
    public let type: String
    /// The status, 400 to 599.
    public let status: Int
    /// A sentence on the cause and the remedy.
    public let detail: String
    /// The id of the request in the server's log.
    public let instance: String?
    /// The wrong member of the body, as a JSON Pointer (RFC 6901): `#/id`.
    public let pointer: String?
    /// The delay before the next attempt.
    public let retryAfter: Duration?
    private let question: String

    private struct Members: Decodable { let type, detail, instance, pointer: String? }

    init(_ answer: RemoteAnswer) {
        let isProblem = answer.head.mimeType == "application/problem+json"
        let members = isProblem ? try? answer.decode(Members.self) : nil
        (question, status) = (answer.question, answer.status)
        type = members?.type ?? "about:blank"
        detail = members?.detail ?? "No Bindery server sent this answer; a proxy may have. Check the URL."
        (instance, pointer) = (members?.instance, members?.pointer)
        retryAfter = answer["Retry-After"].flatMap { Int($0) }.map { .seconds($0) }
    }

    /// The request, the status, the kind and the detail in one line.
    public var description: String {
        let kind = type.split(separator: "/").last ?? "unknown"
        return "\(question): \(status) \(kind): \(detail)\(pointer.map { " (\($0))" } ?? "")"
    }

    /// Whether a later attempt may succeed.
    ///
    /// A 504 of the server itself is the stored outcome of an action.
    var isPassing: Bool { [502, 503].contains(status) || status == 504 && type != "/problems/action-timeout" }
}

/// The reason why there is no usable answer.
public struct RemoteFailure: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure.
    public enum Code: Hashable, Sendable {
        /// There was no connection, so the server did nothing.
        case unreachable
        /// The connection was lost before the answer arrived. An action may have been done.
        case connectionLost
        /// No answer came in time. An action may have been done.
        case timedOut
        /// An action had no outcome within 30 s. It may have been done; under the same key it is done once.
        case gaveUp
        /// The answer comes from no Bindery server, or from another build.
        case notUnderstood
        /// The declaration of the view model has no such action or output.
        case undeclared
    }

    /// The kind.
    public let code: Code
    /// A sentence on the cause and the remedy.
    public let description: String
    /// The underlying error.
    public let cause: (any Error)?

    init(_ code: Code, _ description: String, cause: (any Error)? = nil) {
        (self.code, self.description, self.cause) = (code, description, cause)
    }

    static let tooLarge = RemoteFailure(.notUnderstood, "An answer has more than 16 MiB.")
}
