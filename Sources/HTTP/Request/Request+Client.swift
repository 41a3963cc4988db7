internal import CHTTPShim

// Whom a request comes from and what it asked for, as far as that can be believed.

extension Request {
    /// The address of whoever is connected, a client or the proxy before it.
    public var peer: IPAddress { IPAddress(http_exchange_peer(exchange.pointer.raw)) }

    /// The address of the client: the peer's, or, where that is a trusted proxy, the one that the proxy was asked from.
    ///
    /// `X-Forwarded-For`, all lines as one list, is read from its end for as long as what it names is trusted. The peer's,
    /// too, where what is read of it is malformed.
    public var client: IPAddress { exchange.core.client(of: peer, askingBy: exchange.pointer.raw) }

    /// Whether it comes from this machine, and not by way of a trusted proxy on it, which speaks for others.
    public var isLocal: Bool { peer.isLoopback && !exchange.core.trustedProxies.contains(peer) }

    /// The host that the nearest proxy was asked for, by its `X-Forwarded-Host`; nil where there is none to believe.
    public var forwardedHost: String? { forwarded(.xForwardedHost) }

    /// The scheme that the nearest proxy was asked by, by its `X-Forwarded-Proto`; nil where there is none to believe.
    public var forwardedScheme: String? { forwarded(.xForwardedProto) }

    /// Whether a trusted proxy sent `X-Forwarded-Host` or `-Proto` twice, or two words in it, so that nobody can tell which
    /// to believe.
    public var isForwardedMalformed: Bool {
        [RequestHeader.xForwardedHost, .xForwardedProto].contains { name in
            guard let value = forwarded(name) else { return false }
            return isRepeated(name) || value.utf8.contains(where: Self.isSpace)
        }
    }

    private var isFromTrustedProxy: Bool {
        let proxies = exchange.core.trustedProxies
        return !proxies.isEmpty && proxies.contains(peer)
    }

    /// The last element: where a proxy adds to what its own client sent, only that is its own word.
    private func forwarded(_ name: RequestHeader) -> String? {
        guard let value = header(name), isFromTrustedProxy else { return nil }
        let elements = value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        var last = (elements.last ?? value.utf8[...]).drop(while: Self.isSpace)
        while last.last.map(Self.isSpace) == true { last.removeLast() }
        return String(Substring(last))
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    /// Lends the value that ``header(_:)`` gives without making a text of it; the pointer must not leave the closure.
    ///
    /// - Returns: nil where there is no such field.
    public func withHeader<Result, Failure>(
        _ name: RequestHeader, _ read: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        let text = http_exchange_field(exchange.pointer.raw, name.slot)
        guard let bytes = text.bytes else { return nil }
        let result = try read(UnsafeRawBufferPointer(start: bytes, count: text.length))
        withExtendedLifetime(exchange) {}
        return result
    }
}
