internal import CHTTPShim

/// What a server is doing at a moment.
public struct ServerGauges: Sendable, Equatable {
    /// Open connections.
    public let connections: Int
    /// Requests that arrive, or are not answered to the end.
    public let running: Int
    /// Of these, the suspended: waiting for an answer, or streaming.
    public let parked: Int
    /// Connections that are over for us, and are read off until the client closes them too.
    public let lingering: Int
    /// Requests in memory: also those over whose ``Request`` is still held.
    public let exchanges: Int
    /// Requests there have ever been: none has a ``Request/number`` as large yet.
    public let begun: UInt64

    init(_ shim: http_gauges) {
        connections = shim.connections
        running = shim.running
        parked = shim.parked
        lingering = shim.lingering
        exchanges = shim.exchanges
        begun = shim.begun
    }
}
