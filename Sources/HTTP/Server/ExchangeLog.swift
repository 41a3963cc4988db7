public import Events

/// Records each request after its end, and the server's events.
///
/// Any number of threads may call it at once. It must not block, because requests, commits and deadlines wait for it.
public protocol ExchangeLog: EventLog {
    /// Records one request.
    func record(_ entry: ExchangeEntry)
}

/// The log entry of one request; its public properties contain no text from the client.
public struct ExchangeEntry: Sendable, Equatable {
    /// How a request ended.
    public enum Ending: String, Sendable, CaseIterable {
        /// The answer was handed to its connection.
        case sent
        /// The client hung up first.
        case clientGone = "client-gone"
        /// The server stopped first.
        case stopped
    }

    /// The client: the address that a trusted proxy names, else the peer.
    public var client = IPAddress.unspecified
    /// The session of the request, by a tag that has no meaning outside this process.
    public var session: SessionTag?
    /// The method, as `GET`; nil for a method that no route can have.
    public var method: String?
    /// The template of its route; "-" if it has none.
    public var route: String
    /// The path as sent, without the query, if the request has no route; else nil.
    ///
    /// A client wrote it, so show it on a developer's terminal only, never in a file.
    package var path: String?
    /// The index of its route in the server's list; nil if it has none.
    package internal(set) var routePlace: Int?
    /// The status of the answer.
    public var status: Int
    /// The end of the `type` (RFC 9457), as `not-found`; nil if the answer was no problem.
    public var problem: String?
    /// How it ended.
    public var ending = Ending.sent
    /// Bytes of the answer's body.
    public var bytes = 0
    /// The time from the complete request to its answer.
    public var microseconds: Int
    /// The id, as in `Request-Id`.
    public var requestID: String
    /// The cause of a 5xx answer, in names of this program; nil for other answers.
    public var cause: String?

    /// Describes a request; the other properties have their defaults.
    public init(method: String?, route: String, status: Int, microseconds: Int, requestID: String) {
        (self.method, self.route, self.status) = (method, route, status)
        (self.microseconds, self.requestID) = (microseconds, requestID)
    }
}

extension Event.Kind {
    /// A handler holds an event loop, so the other connections of that loop wait.
    package static let loopHeld = Event.Kind("loop-held", .warning)
}
