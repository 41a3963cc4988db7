public import Events

/// Is told of every request once it is over, and of what else happens at the door.
///
/// The event loops call it, several at a time. It must not block, and its work is part of every request's cost.
public protocol ExchangeLog: EventLog {
    /// Records one request.
    func record(_ entry: ExchangeEntry)
}

/// What a log says of one request: nothing that a client wrote but the ids of its trace.
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
    public let client: IPAddress
    /// The session that was asked, by a name that means nothing outside of this process.
    public let session: SessionTag?
    /// The method, as `GET`; nil for a method that no route can have.
    public let method: String?
    /// The template of its route, "-" if it had none.
    public let route: String
    /// Of a request without a route, the path as sent, without the query; nil for other requests, and where there is none.
    ///
    /// A client wrote it, so it is for a developer's terminal and not for a file.
    package var path: String?
    /// The place of its route among the server's; nil if it had none.
    package internal(set) var routePlace: Int?
    /// The status answered.
    public let status: Int
    /// The end of the `type` (RFC 9457), as `not-found`; nil if the answer was no problem.
    public let problem: String?
    /// How it ended.
    public let ending: Ending
    /// Bytes of the answer's body.
    public let bytes: Int
    /// From the complete request to its answer.
    public let microseconds: Int
    /// The id, as in `Request-Id`.
    public let requestID: String
    /// The `traceparent` of the request, if it is sound (W3C Trace Context, section 3.2).
    public let traceparent: String?
    /// What led to an answer of 5xx, in names of this program; nil for other answers.
    public let cause: String?

    /// Describes a request, as a test of an ``ExchangeLog`` does.
    public init(
        client: IPAddress = .unspecified, session: SessionTag? = nil, method: String?, route: String, status: Int,
        problem: String? = nil, ending: Ending = .sent, bytes: Int = 0, microseconds: Int, requestID: String,
        traceparent: String? = nil, cause: String? = nil
    ) {
        (self.client, self.session, self.method, self.route) = (client, session, method, route)
        (self.status, self.problem, self.ending, self.bytes) = (status, problem, ending, bytes)
        (self.microseconds, self.requestID) = (microseconds, requestID)
        (self.traceparent, self.cause) = (traceparent, cause)
    }
}

extension Request {
    /// The `traceparent`, if it has the form of the first version (W3C Trace Context, section 3.2.2).
    var traceparent: String? {
        guard let text = header(.traceparent), text.utf8.count == 55, !isRepeated(.traceparent) else { return nil }
        let words = text.split(separator: "-", omittingEmptySubsequences: false)
        let isSound =
            words.map(\.utf8.count) == [2, 32, 16, 2] && words[0] != "ff"
            && words.joined().utf8.allSatisfy { $0.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }
            && words[1...2].allSatisfy { $0.contains { $0 != "0" } }
        return isSound ? text : nil
    }
}

extension Event.Kind {
    /// A handler holds an event loop: the other connections of that loop wait.
    package static let loopHeld = Event.Kind(
        "loop-held", .warning, ["loop", "loops", "method", "route", "milliseconds"])
}

extension Event {
    /// A client was refused.
    ///
    /// - Parameters:
    ///   - bound: the option that sets the bound, as `max-streams`; or what ran out, as `open-files`.
    ///   - limit: where it lies, if that is known.
    ///   - client: the network of the client, if it is known.
    package static func boundReached(_ bound: String, limit: Int?, by client: IPAddress?) -> Event {
        Event(
            .boundReached,
            ["bound": .text(bound), "limit": limit.map { .number($0) }, "client": client.map { .text("\($0)") }])
    }
}
