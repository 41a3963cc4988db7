internal import CHTTPShim

// Where a request comes from and which host it asked for, as far as that can be believed.

extension Request {
    /// The address of the other end of the connection: a client, or the proxy before it.
    package var peer: IPAddress { IPAddress(http_exchange_peer(exchange.pointer.raw)) }

    /// The address of the client: the peer's, or, where that is a trusted proxy, the one that the proxy was asked from.
    ///
    /// `X-Forwarded-For`, all lines as one list, is read from its end as long as the addresses in it are trusted. Where what
    /// is read is malformed, it is the peer's.
    package var client: IPAddress { exchange.core.client(of: peer, askingBy: exchange.pointer.raw) }

    /// Whether it comes from this machine, but not through a trusted proxy on it, which speaks for others.
    package var isLocal: Bool { peer.isLoopback && !exchange.core.trustedProxies.contains(peer) }

    /// The host that the nearest proxy was asked for, by its `X-Forwarded-Host`; nil where there is none to believe.
    package var forwardedHost: String? { forwarded(.xForwardedHost) }

    /// The scheme that the nearest proxy was asked by, by its `X-Forwarded-Proto`; nil where there is none to believe.
    package var forwardedScheme: String? { forwarded(.xForwardedProto) }

    /// Whether a trusted proxy sent `X-Forwarded-Host` or `-Proto` twice, or two words in it, so that nobody can tell which
    /// to believe.
    package var isForwardedMalformed: Bool {
        [RequestHeader.xForwardedHost, .xForwardedProto].contains { name in
            guard let value = forwarded(name) else { return false }
            return isRepeated(name) || value.utf8.contains(where: \.isBlank)
        }
    }

    private var isFromTrustedProxy: Bool {
        let proxies = exchange.core.trustedProxies
        return !proxies.isEmpty && proxies.contains(peer)
    }

    /// The last element: the only one that the nearest proxy itself has added.
    private func forwarded(_ name: RequestHeader) -> String? {
        guard let value = header(name), isFromTrustedProxy else { return nil }
        let elements = value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        return elements.last.map { String(Substring($0).trimmed) }
    }
}
