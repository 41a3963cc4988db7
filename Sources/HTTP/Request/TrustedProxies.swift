/// The proxies that are believed about the clients they speak for: `X-Forwarded-For`, `-Host` and `-Proto`.
///
/// Any client can send these fields. The server ignores them from an address that is not listed here.
public struct TrustedProxies: Hashable, Sendable {
    let networks: [IPNetwork]

    /// No proxy is trusted.
    public static let none = TrustedProxies([])

    /// Trusts each peer of these networks.
    public init(_ networks: [IPNetwork]) { self.networks = networks }

    /// Whether the address is a trusted proxy's.
    public func contains(_ address: IPAddress) -> Bool { networks.contains { $0.contains(address) } }

    /// The client that a request comes from.
    ///
    /// Each proxy appends the address of its client, and a client can make up what stands before. So the list is read from
    /// the right, as far as trusted proxies vouch for it.
    ///
    /// - Parameters:
    ///   - peer: the other end of the connection.
    ///   - forwardedFor: the value of `X-Forwarded-For`, read if the peer is trusted; nil if there is none.
    /// - Returns: the peer if it is not trusted or the list is malformed; else the right-most address that is not
    ///   trusted, or the left-most if all are.
    public func client(of peer: IPAddress, forwardedFor: @autoclosure () -> String?) -> IPAddress {
        guard contains(peer), let forwardedFor = forwardedFor() else { return peer }
        var client = peer
        for element in forwardedFor.split(separator: ",", omittingEmptySubsequences: false).reversed() {
            guard let address = IPAddress(forwarded: element) else { return peer }
            client = address
            guard contains(address) else { break }
        }
        return client
    }
}

extension IPAddress {
    /// Reads an element of `X-Forwarded-For`: some proxies add the port, and brackets around IPv6.
    fileprivate init?(forwarded element: Substring) {
        var text = element.trimmed
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return nil }
            text = text[..<end].dropFirst()
        } else if let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") {
            text = text[..<colon]
        }
        self.init(text)
    }
}
