/// A range of IP addresses, written as ADDRESS/BITS.
public struct IPNetwork: Hashable, Sendable, CustomStringConvertible {
    let address: IPAddress
    /// Of the address as IPv6 has it.
    let bits: Int

    /// Reads a network; an address alone is a network of one.
    ///
    /// What stands behind the first bits counts for nothing: `10.1.2.3/8` is `10.0.0.0/8`.
    ///
    /// - Returns: nil where the address is none, or has not so many bits.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first.flatMap({ IPAddress($0) }) else { return nil }
        let before = address.isIPv4 ? 96 : 0
        var bits = 128
        if parts.count == 2 {
            guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(parts[1]),
                number <= 128 - before
            else { return nil }
            bits = before + number
        }
        self.address = address.prefix(bits)
        self.bits = bits
    }

    /// Whether the address is one of these.
    public func contains(_ other: IPAddress) -> Bool { other.prefix(bits) == address }

    /// The network as ADDRESS/BITS.
    public var description: String { "\(address)/\(address.isIPv4 ? bits - 96 : bits)" }
}

/// The proxies whose word on whom they speak for is believed: `X-Forwarded-For`, `-Host` and `-Proto`.
///
/// Anybody can send these fields; from an address that is not listed here they count for nothing.
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

    /// Whom a request comes from.
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
        var text = element.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return nil }
            text = text[..<end].dropFirst()
        } else if let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") {
            text = text[..<colon]
        }
        self.init(text)
    }
}
