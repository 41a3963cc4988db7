internal import CHTTPShim

/// What a server may use at most.
///
/// Zero stands for the default.
public struct ServerLimits: Sendable, Equatable {
    /// Event loops; default: one per core.
    public var threads = 0
    /// Connections served at a time; a few more are answered 503.
    ///
    /// Default: what the descriptor limit allows, less a reserve; never more than that.
    public var connections = 0
    /// Connections of one client network at a time: an IPv4 address, or an IPv6 /64; loopback is exempt.
    public var connectionsPerAddress = 0
    /// Bytes of one connection for a request's head, its index and the answer's head, 1 to 32 KiB; default 4 KiB.
    ///
    /// What does not fit is 431 or 414, from libmicrohttpd and in HTML. All of it is touched by a connection's first
    /// answer: it is what an idle client costs.
    public var poolBytes = 0
    /// Bytes of a request's line and header fields; 431 beyond.
    ///
    /// Default: as many as the pool takes.
    public var headerBytes = 0
    /// Bytes of a request's body; 413 beyond.
    ///
    /// Default 64 KiB.
    public var bodyBytes = 0
    /// Bytes that may wait to be sent on one event stream; a writer waits beyond.
    ///
    /// Default 16 KiB.
    public var streamBufferBytes = 0
    /// How long a connection may be without a byte either way; time spent waiting for an answer does not count.
    ///
    /// Whole seconds, default 30.
    public var idleTimeout = Duration.zero

    /// The defaults.
    public init() {}

    var shim: http_limits {
        http_limits(
            threads: UInt32(clamping: threads), connections: UInt32(clamping: connections),
            pool_bytes: max(0, poolBytes), header_bytes: max(0, headerBytes), body_bytes: max(0, bodyBytes),
            stream_bytes: max(0, streamBufferBytes), idle_seconds: UInt32(clamping: idleTimeout.wholeSeconds))
    }

    init(_ shim: http_limits) {
        threads = Int(shim.threads)
        connections = Int(shim.connections)
        poolBytes = shim.pool_bytes
        headerBytes = shim.header_bytes
        bodyBytes = shim.body_bytes
        streamBufferBytes = shim.stream_bytes
        idleTimeout = .seconds(shim.idle_seconds)
    }
}

extension Duration {
    /// Rounded up, so that a short timeout does not become none.
    fileprivate var wholeSeconds: Int64 {
        components.seconds + (components.attoseconds > 0 ? 1 : 0)
    }

    /// Never negative.
    var wholeMilliseconds: UInt64 {
        let (seconds, attoseconds) = components
        return UInt64(max(0, seconds)) * 1000 + UInt64(max(0, attoseconds) / 1_000_000_000_000_000)
    }
}
