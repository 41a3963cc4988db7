/// What an access log says of one request: nothing that a client wrote.
public struct ExchangeEntry: Sendable, Equatable {
    /// The method, nil where it is none that we know: then it is whatever a client wrote.
    public let method: Method?
    /// The template of its route, "-" where it had none.
    public let route: String
    /// The status answered; 499 where the client left before an answer.
    public let status: Int
    /// From the request's complete head to the answer's last byte handed to the kernel.
    public let microseconds: Int
    /// The id, as in `Request-Id`.
    public let requestID: String

    /// Describes a request, as a test of an ``ExchangeLog`` does.
    public init(method: Method?, route: String, status: Int, microseconds: Int, requestID: String) {
        self.method = method
        self.route = route
        self.status = status
        self.microseconds = microseconds
        self.requestID = requestID
    }
}
