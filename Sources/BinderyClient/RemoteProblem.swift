import Foundation
import ViewModels

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A server's refusal (RFC 9457): which it is, and in plain words what to do.
///
/// ```swift
/// } catch let problem as RemoteProblem where problem.type == "/problems/action-disabled" {
///     label.text = problem.detail
/// }
/// ```
public struct RemoteProblem: Error, Sendable, CustomStringConvertible {
    /// Which kind it is, as it is sent: `/problems/action-disabled`; `about:blank` for an answer that says no more than its status.
    ///
    /// Its last segment is what the server's code has: `action-disabled`, the type of an ``ActionRefusal/Kind`` and of a problem that a
    /// host words. So a `.custom(type: "lent-out", …)` is `/problems/lent-out` here.
    public let type: String
    /// The status, 400 to 599.
    public let status: Int
    /// What kind of problem it is, the same for all of its kind.
    public let title: String
    /// What happened, and what to do about it.
    public let detail: String
    /// The request's id, by which the server's log has it.
    public let instance: String?
    /// Which member of the body is meant (RFC 6901): `#/id`; nil where none is.
    public let pointer: String?
    /// After how long to ask again; nil where the server does not say.
    public let retryAfter: Duration?
    /// Every member of the problem, those of its kind alone too, as JSON text.
    public var members: [String: [UInt8]] { raw.mapValues(\.text) }
    private let raw: [String: RawJSON]
    private let cursor: RemoteCursor?
    private let question: String

    /// Nil for an answer that is none.
    init?(_ answer: RemoteAnswer) {
        guard answer.status >= 400 else { return nil }
        let isProblem = answer.head.mimeType == "application/problem+json"
        let raw = isProblem ? (try? JSON.decode([String: RawJSON].self, from: Array(answer.body))) ?? [:] : [:]
        func text(_ name: String) -> String? { raw[name].flatMap { try? JSON.decode(String.self, from: $0.text) } }
        self.raw = raw
        status = answer.status
        question = answer.question
        cursor = try? answer.cursor
        type = text("type") ?? "about:blank"
        title = text("title") ?? HTTPURLResponse.localizedString(forStatusCode: answer.status)
        detail =
            text("detail")
            ?? "The answer is no problem of a Bindery server: it may come of a proxy on the way. See that the URL is the server's."
        instance = text("instance")
        pointer = text("pointer")
        retryAfter = answer["Retry-After"].flatMap { Int($0) }.map { .seconds($0) }
    }

    /// What the view model showed when it refused the action; nil where the problem does not say.
    ///
    /// - Throws: `DecodingError`.
    public func state<Owner: Presented>(of type: Owner.Type) throws -> RemoteState<Owner>? {
        guard let cursor, let state = raw["state"] else { return nil }
        return RemoteState(cursor: cursor, outputs: try JSON.decode([String: RawJSON].self, from: state.text))
    }

    /// The request, the status, the kind and what to do, in one line.
    public var description: String {
        let kind = type.split(separator: "/").last.map(String.init) ?? type
        let place = pointer.map { " (\($0))" } ?? ""
        return "\(question): \(status) \(kind): \(detail)\(place)"
    }

    /// Whether the server may take the same request later; where an action was given up, it never will.
    var isPassing: Bool {
        switch status {
        case 502, 503: true
        case 504: type != "/problems/action-timeout"
        default: false
        }
    }
}

/// Why there is no answer, or none that can be used.
public struct RemoteFailure: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure, by what the caller can do about them.
    public enum Code: Hashable, Sendable {
        /// Nobody listens there, or the line broke before the answer was there. What was asked for may have been done.
        case connectionLost
        /// Nothing came for as long as an answer may take. What was asked for may have been done.
        case timedOut
        /// An action was asked for again and again, for as long as it may be, and no answer came that is one. It may have been
        /// done, unless no connection came about: asked for again under the same key, it is done once.
        case gaveUp
        /// There is an answer, and it is not what this build of the client knows.
        case notUnderstood
        /// The caller names an output that the view model does not declare.
        case undeclared
    }

    /// Which kind it is.
    public let code: Code
    /// What happened, and what to do about it.
    public let description: String
    /// The error that led to it, where there is one.
    public let cause: (any Error)?
    /// Whether the answer is of another than a Bindery server: of a proxy, or of a page by which a network is entered.
    let isForeign: Bool
    /// Whether no connection came about, so that another request would have none either.
    package var isUnreachable: Bool { Self.isUnreachable(cause) }

    private static func isUnreachable(_ cause: (any Error)?) -> Bool {
        [.cannotConnectToHost, .cannotFindHost].contains((cause as? URLError)?.code)
    }

    init(_ code: Code, _ description: String, cause: (any Error)? = nil) {
        (self.code, self.description, self.cause, isForeign) = (code, description, cause, false)
    }

    init(foreign description: String, cause: (any Error)? = nil) {
        (code, self.description, self.cause, isForeign) = (.notUnderstood, description, cause, true)
    }

    static func lost(_ request: URLRequest, _ cause: (any Error)? = nil) -> RemoteFailure {
        let why = cause.map { ": \(($0 as? URLError)?.localizedDescription ?? "\($0)")" } ?? ""
        let what = isUnreachable(cause) ? "no connection came about" : "the connection was lost"
        return RemoteFailure(
            .connectionLost, "\(request.question): \(what)\(why). See that the server runs at \(request.place).",
            cause: cause)
    }

    static func late(_ request: URLRequest, after time: Duration) -> RemoteFailure {
        RemoteFailure(
            .timedOut,
            "\(request.question): nothing came for \(time). See whether the server at \(request.place) hangs, or allow more "
                + "time (BinderyClient.Options).")
    }

    static func gaveUp(
        _ request: URLRequest, after attempts: Int, _ time: Duration, reached: Bool, _ cause: any Error
    ) -> RemoteFailure {
        let key = request.value(forHTTPHeaderField: "Idempotency-Key") ?? ""
        let done =
            reached
            ? "it may have been done; asked for again under the key \(key) it is done once. The last"
            : "it was not done"
        return RemoteFailure(
            .gaveUp, "\(request.question): given up after \(attempts) attempts in \(time); \(done): \(cause)",
            cause: cause)
    }

    static func tooLarge(_ request: URLRequest, _ bytes: Int) -> RemoteFailure {
        RemoteFailure(
            .notUnderstood,
            "\(request.question): the answer is larger than \(bytes) bytes (BinderyClient.Options.largestAnswer).")
    }
}

/// An answer as it came.
package struct RemoteAnswer: Sendable {
    let question: String
    let head: HTTPURLResponse
    package let body: Data

    var status: Int { head.statusCode }

    subscript(name: String) -> String? { head.value(forHTTPHeaderField: name) }

    /// Whether another request may go over its connection (RFC 9112, 9.3): one that says where it ends, and does not say `close`.
    var keepsConnection: Bool {
        let isDelimited = self["Content-Length"] != nil || self["Transfer-Encoding"] != nil
        return isDelimited && self["Connection"]?.lowercased().contains("close") != true
    }

    /// The entity tag without its quotes, which is a cursor; a proxy that compresses has made it a weak one (`W/"…"`).
    ///
    /// - Throws: ``RemoteFailure`` where there is none: a network that answers for itself has none either.
    var cursor: RemoteCursor {
        get throws {
            let parts = self["ETag"]?.split(separator: "\"", omittingEmptySubsequences: false)
            guard let parts, parts.count == 3, let cursor = RemoteCursor(parts[1]) else {
                throw foreign(" and no ETag")
            }
            return cursor
        }
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        do { return try JSON.decode(type, from: Array(body)) } catch { throw foreign(cause: error) }
    }

    /// The error that this is the answer of another than a Bindery server.
    func foreign(_ sign: String = "", cause: (any Error)? = nil) -> RemoteFailure {
        RemoteFailure(
            foreign:
                "\(question): the answer, \(status) with \(head.mimeType ?? "no type")\(sign), is not what a Bindery server says. See "
                + "that the URL is the server's.", cause: cause)
    }
}

extension URLRequest {
    /// The method and the path, without what was asked after it: a cursor says nothing to who reads an error.
    var question: String { "\(httpMethod ?? "GET") \(url?.path ?? "")" }

    /// Where the server is.
    var place: String {
        let host = url?.host ?? ""
        let port = url?.port.map { ":\($0)" } ?? ""
        return "\(url?.scheme ?? "http")://\(host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host)\(port)"
    }
}
