internal import CHTTPShim
public import Events

/// Is told of every request once it is over, and of what else happens at the door.
///
/// Called on the event loops, several at a time: it must not block, and what it does is part of every request's cost.
public protocol ExchangeLog: EventLog {
    /// Records one request.
    func record(_ entry: ExchangeEntry)
}

/// What a log says of one request: nothing that a client wrote but the ids of its trace, which are digits.
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
    /// The session that was asked, by a name that means nothing outside of this process; nil where there was none.
    public let session: SessionTag?
    /// The method, as `GET`; nil where it is none that is served, since it may then be anything that a client wrote.
    public let method: String?
    /// The template of its route, "-" where it had none.
    public let route: String
    /// The place of its route among the server's; nil where it had none.
    package internal(set) var routePlace: Int?
    /// The status answered; 499 where the client left before an answer.
    public let status: Int
    /// What kind of problem was answered, as `not-found`: the end of its `type` (RFC 9457); nil where it was none.
    public let problem: String?
    /// How it ended.
    public let ending: Ending
    /// Bytes of the answer, its head included, that were handed to the kernel.
    public let bytes: Int
    /// From the request's complete head to the answer's last byte handed to the kernel.
    public let microseconds: Int
    /// The id, as in `Request-Id`.
    public let requestID: String
    /// The `traceparent` that came with it, where it is one (W3C Trace Context, section 3.2).
    public let traceparent: String?
    /// What led to an answer of 5xx, in names of this program and never in what a caller typed; nil for other answers.
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
    /// The `traceparent`, if it is sound (W3C Trace Context, section 3.2.2): of the first version, or of a later one that is
    /// like it.
    var traceparent: String? {
        guard !isRepeated(.traceparent), let text = header(.traceparent) else { return nil }
        let words = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        let isWhole =
            words.map(\.count) == [2, 32, 16, 2]
            && words.joined().allSatisfy { $0.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }
        // The version ff is none, and no id is all zeros.
        guard isWhole, !words[0].elementsEqual("ff".utf8),
            words[1...2].allSatisfy({ word in word.contains { $0 != UInt8(ascii: "0") } })
        else { return nil }
        return text
    }
}

extension Event.Kind {
    /// A handler holds an event loop: the other connections of that loop wait.
    package static let loopHeld = Event.Kind(
        "loop-held", .warning, ["loop", "loops", "method", "route", "milliseconds"])
    /// It has returned.
    package static let loopFree = Event.Kind(
        "loop-free", .info, ["loop", "loops", "method", "route", "milliseconds"])

    /// The kinds of this module.
    package static let ofConnections = [boundReached, loopHeld, loopFree]
}

extension Event {
    /// Somebody was refused.
    ///
    /// - Parameters:
    ///   - bound: the option that sets it, without its dashes, as `max-streams`, perhaps with what it was reached by; or what
    ///     ran out, as `open-files`.
    ///   - limit: where it lies; nil where that is not known.
    ///   - client: the network of whoever was refused; nil where it is not known, or where nobody was.
    package static func boundReached(_ bound: String, limit: Int?, by client: IPAddress?) -> Event {
        Event(
            .boundReached,
            ["bound": .text(bound), "limit": limit.map { .number($0) }, "client": client.map { .text("\($0)") }])
    }
}
