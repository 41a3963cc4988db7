internal import CHTTPShim
import Glibc

/// An IP address.
///
/// An IPv4 address is kept as IPv6 maps it (RFC 4291, section 2.5.5.2), so that both ways to write it are one address.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    /// No address in particular: `::`.
    public static let unspecified = IPAddress(high: 0, low: 0)

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Takes the 16 bytes of an address, in network order.
    init(_ bytes: UnsafePointer<UInt8>?) {
        guard let bytes = bytes.map({ UnsafeRawBufferPointer(start: $0, count: 16) }) else {
            self = .unspecified
            return
        }
        self.init(
            high: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
            low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
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
    /// - Returns: nil where they are no address, as above.
    public init?(_ text: UnsafeRawBufferPointer) {
        // A zero would end the text that inet_pton reads, and what follows it would count for nothing.
        guard (2..<Int(INET6_ADDRSTRLEN)).contains(text.count), !text.contains(0) else { return nil }
        let parsed = withUnsafeTemporaryAllocation(byteCount: Int(INET6_ADDRSTRLEN), alignment: 1) { buffer in
            buffer.copyMemory(from: text)
            buffer[text.count] = 0
            return buffer.withMemoryRebound(to: CChar.self) { $0.baseAddress.flatMap { Self.parse($0) } }
        }
        guard let parsed else { return nil }
        self = parsed
    }

    private static func parse(_ text: UnsafePointer<CChar>) -> IPAddress? {
        var short = in_addr()
        if inet_pton(AF_INET, text, &short) == 1 {
            return IPAddress(high: 0, low: Self.mapping | UInt64(UInt32(bigEndian: short.s_addr)))
        }
        var long = in6_addr()
        guard inet_pton(AF_INET6, text, &long) == 1 else { return nil }
        return withUnsafeBytes(of: &long) { bytes in
            IPAddress(
                high: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
                low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
        }
    }

    /// The bits before the 32 of a mapped IPv4 address.
    private static let mapping: UInt64 = 0xffff_0000_0000

    /// Whether it is an IPv4 address.
    public var isIPv4: Bool { high == 0 && low >> 32 == 0xffff }

    /// Whether it is this machine's own: 127.0.0.0/8 or ::1.
    public var isLoopback: Bool { high == 0 && (low == 1 || low >> 24 == 0xff_ff7f) }

    /// The network that stands for one client where clients are counted: of IPv6 the /64, which one household or
    /// machine has to itself; of IPv4 the address.
    public var network: IPAddress { isIPv4 ? self : IPAddress(high: high, low: 0) }

    /// The address with only its first bits kept, 0 to 128 of them; an IPv4 address begins at the 97th.
    func prefix(_ bits: Int) -> IPAddress {
        // A shift by the whole width or more leaves nothing, as it should.
        IPAddress(high: high & ~(.max >> max(0, bits)), low: low & ~(.max >> max(0, bits - 64)))
    }

    /// The address as text: IPv4 in dotted form, IPv6 as RFC 5952 writes it.
    public var description: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            guard let start = buffer.baseAddress else { return "" }
            start.initialize(to: 0)
            if isIPv4 {
                var short = in_addr(s_addr: UInt32(truncatingIfNeeded: low).bigEndian)
                inet_ntop(AF_INET, &short, start, socklen_t(buffer.count))
            } else {
                var long = (high.bigEndian, low.bigEndian)
                inet_ntop(AF_INET6, &long, start, socklen_t(buffer.count))
            }
            return String(cString: start)
        }
    }
}

/// A range of IP addresses, written as ADDRESS/BITS.
public struct IPNetwork: Hashable, Sendable, CustomStringConvertible {
    let address: IPAddress
    /// Of the address as IPv6 has it.
    let bits: Int

    /// Reads a network; an address alone is a network of one.
    ///
    /// The bits after the first ones are ignored: `10.1.2.3/8` is `10.0.0.0/8`.
    ///
    /// - Returns: nil where the address is none, or has not so many bits.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first.flatMap({ IPAddress($0) }) else { return nil }
        let before = address.isIPv4 ? 96 : 0
        var bits = 128
        if parts.count == 2 {
            guard parts[1].utf8.allSatisfy(\.isDigit), let number = Int(parts[1]),
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
