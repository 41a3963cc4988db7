import Glibc

/// An IP address.
///
/// It stores an IPv4 address as IPv6 maps it (RFC 4291, section 2.5.5.2), so that both notations are equal.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    /// The unspecified address, `::`.
    public static let unspecified = IPAddress(high: 0, low: 0)

    private init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// Takes the 16 bytes of an address, in network order.
    init(bytes: UnsafeRawPointer) {
        high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
        low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    /// The 16 bytes, in network order.
    var bytes: [UInt8] { withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) } }

    /// Reads an address as inet_pton(3) does: four decimal numbers with dots, or IPv6 without brackets and zone.
    ///
    /// - Returns: nil for anything else.
    public init?(_ text: some StringProtocol) {
        var text = String(text)
        guard let address = text.withUTF8({ IPAddress(UnsafeRawBufferPointer($0)) }) else { return nil }
        self = address
    }

    /// Reads an address from bytes, without allocating.
    ///
    /// - Returns: nil if the bytes are no such address.
    package init?(_ text: UnsafeRawBufferPointer) {
        // A zero would end the text that inet_pton(3) reads.
        guard text.count < Int(INET6_ADDRSTRLEN), !text.contains(0) else { return nil }
        let capacity = Int(INET6_ADDRSTRLEN)
        let read = withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer -> IPAddress? in
            buffer.initialize(repeating: 0)
            UnsafeMutableRawBufferPointer(buffer).copyMemory(from: text)
            var bytes: (UInt64, UInt32, in_addr) = (0, UInt32(0xffff).bigEndian, in_addr())
            if inet_pton(AF_INET, buffer.baseAddress, &bytes.2) == 1 { return IPAddress(bytes: &bytes) }
            return inet_pton(AF_INET6, buffer.baseAddress, &bytes) == 1 ? IPAddress(bytes: &bytes) : nil
        }
        guard let read else { return nil }
        self = read
    }

    /// Whether it is an IPv4 address.
    public var isIPv4: Bool { high == 0 && low >> 32 == 0xffff }

    /// Whether it is this machine's own: 127.0.0.0/8 or ::1.
    public var isLoopback: Bool { high == 0 && (low == 1 || low >> 24 == 0xff_ff7f) }

    /// The network of one client: the /64 of an IPv6 address, or the IPv4 address itself.
    public var network: IPAddress { isIPv4 ? self : IPAddress(high: high, low: 0) }

    /// Keeps the first 0 to 128 bits of the address; an IPv4 address begins at bit 97.
    func prefix(_ bits: Int) -> IPAddress {
        // A shift by the whole width or more leaves nothing.
        IPAddress(high: high & ~(.max >> max(0, bits)), low: low & ~(.max >> max(0, bits - 64)))
    }

    /// The address as text: IPv4 in dotted form, IPv6 as RFC 5952 writes it.
    public var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        inet_ntop(isIPv4 ? AF_INET : AF_INET6, isIPv4 ? Array(bytes[12...]) : bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// A range of IP addresses, written as ADDRESS/BITS.
public struct IPNetwork: Hashable, Sendable {
    let address: IPAddress
    /// The number of kept bits, counted in the IPv6 form.
    let bits: Int

    /// Reads a network; an address alone is a network of one.
    ///
    /// Bits after BITS are ignored: `10.1.2.3/8` is `10.0.0.0/8`.
    ///
    /// - Returns: nil if the address is malformed, or shorter than BITS.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first.flatMap({ IPAddress($0) }) else { return nil }
        let before = address.isIPv4 ? 96 : 0
        let number = parts.count < 2 ? 128 - before : parts[1].utf8.allSatisfy(\.isDigit) ? Int(parts[1]) : nil
        guard let number, number <= 128 - before else { return nil }
        bits = before + number
        self.address = address.prefix(bits)
    }

    /// Whether the address is in this network.
    public func contains(_ other: IPAddress) -> Bool { other.prefix(bits) == address }
}

/// Trusted proxies.
extension [IPNetwork] {
    func contains(_ address: IPAddress) -> Bool { contains { $0.contains(address) } }

    /// The client of a request that a trusted proxy forwards, by the field `X-Forwarded-For`.
    ///
    /// Each proxy appends the address of its client, and a client can forge earlier elements. So the list is read from the
    /// right, up to the first address that is not trusted. If the list is malformed, the proxy counts as the client.
    func client(of proxy: IPAddress, forwardedFor list: String) -> IPAddress {
        var client = proxy
        for element in list.split(separator: ",", omittingEmptySubsequences: false).reversed() where contains(client) {
            guard let address = IPAddress(forwarded: element) else { return proxy }
            client = address
        }
        return client
    }
}

extension IPAddress {
    /// Reads an element of `X-Forwarded-For`; some proxies add the port, and brackets around IPv6.
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
