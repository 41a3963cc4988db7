internal import CHTTPShim

/// What a server may use at most.
///
/// Zero stands for the default.
public struct ServerLimits: Sendable, Equatable {
    /// Event loops; default: one per core.
    public var threads = 0
    /// Connections served at a time; more are answered 503 at once.
    ///
    /// Default: what the descriptor limit allows, less a reserve; never more than that.
    public var connections = 0
    /// Connections of one IPv4 address, or of one IPv6 network of 64 bits; more are answered 429 at once.
    ///
    /// Default: a quarter of ``connections``. Loopback and trusted proxies are exempt.
    public var connectionsPerAddress = 0
    /// Bytes of a request's line and header fields; 431 beyond.
    ///
    /// 256 bytes to 32 KiB, default 8 KiB. They are kept only while the request is there.
    public var headerBytes = 0
    /// Bytes of a request's target; 414 beyond.
    ///
    /// Default 2 KiB.
    public var targetBytes = 0
    /// Bytes of a request's body; 413 beyond.
    ///
    /// Default 64 KiB.
    public var bodyBytes = 0
    /// Bytes that the kernel keeps of what was sent on one connection and not taken; default 64 KiB.
    public var unsentBytes = 0
    /// How long a connection may be without a request; default 30 s.
    public var idleTimeout = Duration.zero
    /// How long a request's head may take from its first byte to its last; 408 beyond; default 10 s.
    public var headTimeout = Duration.zero
    /// How long a body or an answer may take before ``minimumRate`` counts; default 10 s.
    ///
    /// A client that takes nothing of what it was sent is cut off after five times as long, whatever its connection is doing.
    public var grace = Duration.zero
    /// How long a handler may hold its event loop before the log is told and the loop takes no new connections; default
    /// 1 s.
    public var heldAfter = Duration.zero
    /// Bytes a second that a body has to come in and an answer has to be taken with; default 500.
    ///
    /// A body that is slower is 408; the connection of an answer that is slower is cut off. An answer is taken when the client's
    /// kernel acknowledges it: what it reads later from its own buffers is seen by nobody here.
    public var minimumRate = 0

    /// The defaults.
    public init() {}

    var shim: http_limits {
        http_limits(
            threads: UInt32(clamping: threads), connections: UInt32(clamping: connections),
            connections_per_address: UInt32(clamping: connectionsPerAddress),
            header_bytes: max(0, headerBytes), target_bytes: max(0, targetBytes), body_bytes: max(0, bodyBytes),
            unsent_bytes: max(0, unsentBytes), idle_milliseconds: idleTimeout.wholeMilliseconds,
            head_milliseconds: headTimeout.wholeMilliseconds, grace_milliseconds: grace.wholeMilliseconds,
            held_milliseconds: heldAfter.wholeMilliseconds, minimum_rate: max(0, minimumRate), trusted: nil,
            trusted_count: 0)
    }

    init(_ shim: http_limits) {
        threads = Int(shim.threads)
        connections = Int(shim.connections)
        connectionsPerAddress = Int(shim.connections_per_address)
        headerBytes = shim.header_bytes
        targetBytes = shim.target_bytes
        bodyBytes = shim.body_bytes
        unsentBytes = shim.unsent_bytes
        idleTimeout = .milliseconds(shim.idle_milliseconds)
        headTimeout = .milliseconds(shim.head_milliseconds)
        grace = .milliseconds(shim.grace_milliseconds)
        heldAfter = .milliseconds(shim.held_milliseconds)
        minimumRate = shim.minimum_rate
    }
}

extension Duration {
    /// Rounded up, so that a short time does not become none; never negative.
    var wholeMilliseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return UInt64(seconds) * 1000 + UInt64((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
