internal import CHTTPShim
import Foundation

/// The bounds of a server.
public struct ServerLimits: Sendable, Equatable {
    /// Event loops, at most 1,024; 0, the default, is one per core.
    public var threads = 0
    /// Connections at a time; others get 503 or are closed.
    ///
    /// The maximum is the process's limit of descriptors less a reserve; 0, the default, means this maximum.
    public var connections = 0
    /// Connections of one IPv4 address or one IPv6 /64; others get 429 or are closed.
    ///
    /// 0, the default, means a quarter of ``connections``. Loopback and trusted proxies are exempt.
    public var connectionsPerAddress = 0
    /// Bytes of a request's line and header fields, 256 to 32,768; 431 beyond.
    ///
    /// Each connection keeps this much and 4 KiB.
    public var headerBytes = 8 * 1024
    /// Bytes of a request's body; 413 beyond.
    public var bodyBytes = 64 * 1024
    /// How long a connection may be without a request.
    public var idleTimeout = Duration.seconds(75)
    /// How long the head of a request may take to arrive.
    public var headTimeout = Duration.seconds(10)
    /// The period over which a body or an answer must average 500 bytes a second.
    public var grace = Duration.seconds(10)

    /// The defaults.
    public init() {}

    /// Brings each bound into its range; `descriptors` is the process's limit.
    func resolved(descriptors: Int) -> ServerLimits {
        var limits = self
        // Descriptors for the log, a store, files, and the epoll sets of libmicrohttpd.
        let reserve = min(descriptors / 2, 256 + descriptors / 200)
        limits.threads = min(threads < 1 ? ProcessInfo.processInfo.activeProcessorCount : threads, 1024)
        limits.connections = min(connections < 1 ? .max : connections, max(1, descriptors - reserve))
        if connectionsPerAddress < 1 { limits.connectionsPerAddress = max(1, limits.connections / 4) }
        limits.headerBytes = min(max(256, headerBytes), 32 * 1024)
        return limits
    }

    var shim: http_limits {
        http_limits(
            threads: UInt32(clamping: threads), connections: UInt32(clamping: connections),
            connections_per_address: UInt32(clamping: connectionsPerAddress),
            header_bytes: headerBytes, body_bytes: max(0, bodyBytes),
            idle_milliseconds: idleTimeout.wholeMilliseconds, head_milliseconds: headTimeout.wholeMilliseconds,
            grace_milliseconds: grace.wholeMilliseconds)
    }
}

extension Duration {
    /// Whole milliseconds, rounded up; never negative.
    var wholeMilliseconds: UInt64 { UInt64(max(0, (self / .milliseconds(1)).rounded(.up))) }
}
