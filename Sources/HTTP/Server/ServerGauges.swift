internal import CHTTPShim

/// What a server is doing at a moment.
public struct ServerGauges: Sendable, Equatable {
    /// Open connections.
    public let connections: Int
    /// Requests with a handler, answered or not, that are not over.
    public let running: Int
    /// Of these, the suspended: waiting for an answer, or a stream with nothing to send.
    public let parked: Int
    /// Descriptors watched for a hang-up: the parked, and every stream.
    public let watched: Int
    /// Requests in memory: also those over whose ``Request`` is still held.
    public let exchanges: Int

    init(_ shim: http_gauges) {
        connections = shim.connections
        running = shim.running
        parked = shim.parked
        watched = shim.watched
        exchanges = shim.exchanges
    }
}
