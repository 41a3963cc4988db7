public import Events

/// Is told of every request once it is over, and of what else happens at the door.
///
/// The event loops call it, several at a time. It must not block, and its work is part of every request's cost.
public protocol ExchangeLog: EventLog {
    /// Records one request.
    func record(_ entry: ExchangeEntry)
}

/// What a log says of one request: nothing that a client wrote.
public struct ExchangeEntry: Sendable, Equatable {
    /// How a request ended.
    public enum Ending: String, Sendable, CaseIterable {
        /// The answer was handed to its connection.
        case sent
        /// The client had hung up before.
        case clientGone = "client-gone"
        /// The server stopped before.
        case stopped
    }

    /// The client: the one that a trusted proxy names, else the peer.
    public var client = IPAddress.unspecified
    /// The session that was asked, by a name that means nothing outside of this process.
    public var session: SessionTag?
    /// The method, as `GET`; nil for a method that no route can have.
    public var method: String?
    /// The template of its route, "-" if it had none.
    public var route: String
    /// Of a request without a route, the path as sent, without the query; nil for other requests, and where there is none.
    ///
    /// A client wrote it, so it is for a developer's terminal and not for a file.
    package var path: String?
    /// The place of its route among the server's; nil if it had none.
    package internal(set) var routePlace: Int?
    /// The status answered.
    public var status: Int
    /// The end of the `type` (RFC 9457), as `not-found`; nil if the answer was no problem.
    public var problem: String?
    /// How it ended.
    public var ending = Ending.sent
    /// Bytes of the answer's body.
    public var bytes = 0
    /// From the complete request to its answer.
    public var microseconds: Int
    /// The id, as in `Request-Id`.
    public var requestID: String
    /// What led to an answer of 5xx, in names of this program; nil for other answers.
    public var cause: String?

    /// Describes a request; the other properties have their defaults.
    public init(method: String?, route: String, status: Int, microseconds: Int, requestID: String) {
        (self.method, self.route, self.status) = (method, route, status)
        (self.microseconds, self.requestID) = (microseconds, requestID)
    }
}

extension Event.Kind {
    /// A handler holds an event loop: the other connections of that loop wait.
    package static let loopHeld = Event.Kind("loop-held", .warning)
}
