internal import CHTTPShim

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
        default: self = .sent
        }
    }
}
