import Foundation

/// A refusal or an error that the server sent (RFC 9457).
public struct RemoteProblem: Error, Sendable, CustomStringConvertible {
    /// The kind, such as `/problems/action-disabled`; `about:blank` where only the status says it.
    public let type: String
    /// The status, 400 to 599.
    public let status: Int
    /// A sentence on the cause and the remedy.
    public let detail: String
    /// The id under which the server's log has the request.
    public let instance: String?
    /// The member of the body to blame, as a JSON Pointer (RFC 6901): `#/id`.
    public let pointer: String?
    /// The delay after which the server may be asked again.
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

    /// Whether the server may do later what it did not do now.
    ///
    /// A 504 of the server itself is the stored outcome of an action.
    var isPassing: Bool { [502, 503].contains(status) || status == 504 && type != "/problems/action-timeout" }
}

/// Why there is no answer, or none that the client can use.
public struct RemoteFailure: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure.
    public enum Code: Hashable, Sendable {
        /// No connection came about, so nothing was done.
        case unreachable
        /// The connection was lost before the answer was here. An action may have been done.
        case connectionLost
        /// No answer came in time. An action may have been done.
        case timedOut
        /// An action was repeated for 30 s without an outcome. It may have been done; under the same key it is done once.
        case gaveUp
        /// The answer is not one of a Bindery server, or of another build.
        case notUnderstood
        /// The declaration of the view model has no such action or output.
        case undeclared
    }

    /// The kind.
    public let code: Code
    /// A sentence on the cause and the remedy.
    public let description: String
    /// The error that led to it.
    public let cause: (any Error)?

    init(_ code: Code, _ description: String, cause: (any Error)? = nil) {
        (self.code, self.description, self.cause) = (code, description, cause)
    }

    static let tooLarge = RemoteFailure(.notUnderstood, "An answer has more than 16 MiB.")
}
