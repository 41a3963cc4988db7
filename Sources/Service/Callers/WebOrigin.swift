/// Where a page comes from: a scheme, a host and a port (RFC 6454).
///
/// Two that differ only in case, or in that one names its scheme's own port, are equal.
public struct WebOrigin: Sendable, Hashable, CustomStringConvertible {
    /// In lower case.
    let scheme: String
    /// In lower case, IPv6 in brackets.
    let host: String
    /// Nil where none is given and the scheme has none of its own.
    let port: UInt16?

    /// Reads an origin as browsers send it, like `https://app.example.org` or `capacitor://localhost`.
    ///
    /// - Returns: nil where it is malformed or says more, such as a path; for `null`, too, which any page can be.
    public init?(_ text: some StringProtocol) {
        // First of all: beyond ASCII, each character costs five times as much.
        guard text.utf8.allSatisfy({ $0 < 0x80 }), let separator = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<separator.lowerBound]
        self.init(scheme: scheme.lowercased(), authority: text[separator.upperBound...])
    }

    /// The origin of a page that is loaded from a host by a scheme.
    ///
    /// - Parameter authority: a host with or without a port, as in `Host`.
    init?(scheme: String, authority: some StringProtocol) {
        // Beyond ASCII there are letters whose lower case is within it.
        guard authority.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let authority = authority.lowercased()
        // The colon before a port comes behind the brackets of IPv6.
        let afterBrackets = authority.lastIndex(of: "]") ?? authority.startIndex
        let colon = authority[afterBrackets...].firstIndex(of: ":") ?? authority.endIndex
        let digits = authority[colon...].dropFirst()
        let name = authority[..<colon]
        guard !scheme.isEmpty, scheme.utf8.allSatisfy(Self.isSchemeByte), !name.isEmpty,
            name.utf8.allSatisfy(Self.isHostByte), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            digits.isEmpty || UInt16(digits) != nil
        else { return nil }
        self.scheme = scheme
        host = String(name)
        port = UInt16(digits) ?? Self.ports[scheme]
    }

    /// The origin as browsers send it: without the port that its scheme has anyway (WHATWG HTML, "ASCII serialisation").
    public var description: String {
        let port = port == Self.ports[scheme] ? nil : port
        return "\(scheme)://\(host)" + (port.map { ":\($0)" } ?? "")
    }

    private static let ports: [String: UInt16] = ["http": 80, "https": 443]

    private static func isSchemeByte(_ byte: UInt8) -> Bool { isHostByte(byte, and: "+-.") }

    private static func isHostByte(_ byte: UInt8) -> Bool { isHostByte(byte, and: "-._:[]") }

    private static func isHostByte(_ byte: UInt8, and marks: StaticString) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: marks.withUTF8Buffer { $0.contains(byte) }
        }
    }
}
