internal import CHTTPShim

/// The proxies that are believed about the clients they speak for: `X-Forwarded-For`, `-Host` and `-Proto`.
///
/// Anybody can send these fields; they are ignored from an address that is not listed here.
public struct TrustedProxies: Hashable, Sendable {
    let networks: [IPNetwork]

    /// No proxy is trusted.
    public static let none = TrustedProxies([])

    /// Trusts whoever connects from these networks.
    public init(_ networks: [IPNetwork]) { self.networks = networks }

    /// Whether no proxy is trusted.
    public var isEmpty: Bool { networks.isEmpty }

    /// Whether the address is a trusted proxy's.
    public func contains(_ address: IPAddress) -> Bool { networks.contains { $0.contains(address) } }

    /// The client that a request comes from.
    ///
    /// Each proxy adds the address it was asked from at the right end, and what stands further left may be made up. So
    /// the list is read from the right, as far as trusted proxies vouch for it.
    ///
    /// - Parameters:
    ///   - peer: who is connected.
    ///   - forwardedFor: the value of the last `X-Forwarded-For`; nil where there is none.
    /// - Returns: the peer where it is not trusted or the list is malformed, else the right-most address that is not
    ///   itself trusted, or the left-most where all are.
    public func client(of peer: IPAddress, forwardedFor: String?) -> IPAddress {
        guard let forwardedFor, contains(peer) else { return peer }
        var client = peer
        let elements = forwardedFor.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        for element in elements.reversed() {
            guard let address = IPAddress(forwarded: Substring(element)) else { return peer }
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
