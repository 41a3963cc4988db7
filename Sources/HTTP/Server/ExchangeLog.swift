internal import CHTTPShim

/// Is told of every request once it is over.
///
/// Called on the event loops, several at a time: it must not block, and what it does is part of every request's cost.
public protocol ExchangeLog: AnyObject, Sendable {
    /// Records one request.
    func record(_ entry: ExchangeEntry)

    /// Records that a bound was reached; a log that does not say how leaves it out.
    func record(_ notice: BoundNotice)

    /// Records that a handler holds an event loop, on a thread that is no event loop's; a log that does not say how leaves
    /// it out.
    func record(_ held: HeldLoop)

    /// Writes what was recorded, before it returns: called when a server has stopped, on a thread that is no event loop's,
    /// where it may block for a moment. A log that keeps nothing back has nothing to do.
    func flush()
}

extension ExchangeLog {
    /// Leaves it out.
    public func record(_ notice: BoundNotice) {}

    /// Leaves it out.
    public func record(_ held: HeldLoop) {}

    /// Does nothing.
    public func flush() {}
}

/// What an access log says of one request: nothing that a client wrote.
public struct ExchangeEntry: Sendable, Equatable {
    /// How a request ended.
    public enum Ending: String, Sendable, CaseIterable {
        /// The whole answer was handed to the kernel.
        case sent
        /// So was a refusal of the server's own, which no handler has seen.
        case refused
        /// The client left before that.
        case clientGone = "client-gone"
        /// It was too slow in reading, and was cut off.
        case timeout
        /// The server stopped before that.
        case stopped
        /// The server had not what it takes to send it, such as memory.
        case lost
    }

    /// Who asked: the client that a trusted proxy names, else whoever was connected.
    public let client: IPAddress
    /// The method, nil where it is none that we know: then it is whatever a client wrote.
    public let method: Method?
    /// The template of its route, "-" where it had none.
    public let route: String
    /// The status answered; 499 where the client left before an answer.
    public let status: Int
    /// How it ended.
    public let ending: Ending
    /// Bytes of the answer, its head included, that were handed to the kernel.
    public let bytes: Int
    /// From the request's complete head to the answer's last byte handed to the kernel.
    public let microseconds: Int
    /// The id, as in `Request-Id`.
    public let requestID: String
    /// What led to an answer of 5xx, in names of this program and never in what a caller typed; nil for other answers.
    public let cause: String?

    /// Describes a request, as a test of an ``ExchangeLog`` does.
    public init(
        client: IPAddress = .unspecified, method: Method?, route: String, status: Int, ending: Ending = .sent,
        bytes: Int = 0, microseconds: Int,
        requestID: String, cause: String? = nil
    ) {
        self.client = client
        self.method = method
        self.route = route
        self.status = status
        self.ending = ending
        self.bytes = bytes
        self.microseconds = microseconds
        self.requestID = requestID
        self.cause = cause
    }
}

extension ExchangeEntry.Ending {
    init(_ ending: http_ending) {
        switch ending {
        case HTTP_ENDING_REFUSED: self = .refused
        case HTTP_ENDING_CLIENT_GONE: self = .clientGone
        case HTTP_ENDING_TIMEOUT: self = .timeout
        case HTTP_ENDING_STOPPED: self = .stopped
        case HTTP_ENDING_LOST: self = .lost
        default: self = .sent
        }
    }
}

/// A handler holds an event loop: what a log says so that its operator knows whom to look at.
///
/// Told once each time, when the handler has held the loop for ``ServerLimits/heldAfter``. The other connections of that
/// loop wait for it. No new one comes to it until it is free, as long as there is another loop that is.
public struct HeldLoop: Sendable, Hashable {
    /// Which loop it is, counted from 1.
    public let number: Int
    /// How many loops there are.
    public let loops: Int
    /// The method of the handler's route.
    public let method: Method
    /// The template of the handler's route.
    public let route: String

    /// Describes a loop that is held, as a test of an ``ExchangeLog`` does.
    public init(number: Int, of loops: Int, method: Method, route: String) {
        self.number = number
        self.loops = loops
        self.method = method
        self.route = route
    }
}
