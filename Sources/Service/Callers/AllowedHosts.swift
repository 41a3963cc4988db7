import HTTP

/// The names under which a server may be asked.
///
/// A page of another site can make its own name lead to this machine (DNS rebinding), and a browser takes the answers for
/// that site's own. Its requests still say the name in `Host`. An IP address is no name and cannot be rebound: it is
/// always allowed.
public struct AllowedHosts: Sendable, Hashable {
    private struct Pattern: Hashable {
        /// In lower case; of a wildcard what follows its asterisk, with the dot.
        let name: [UInt8]
        let isWildcard: Bool
    }

    /// Nil for any name.
    private let patterns: [Pattern]?

    /// Any name.
    public static let any = AllowedHosts(patterns: nil)

    /// The names that browsers themselves lead to this machine: `localhost` and all that end in `.localhost`.
    public static let loopback = AllowedHosts(patterns: [
        Pattern(name: Array("localhost".utf8), isWildcard: false),
        Pattern(name: Array(".localhost".utf8), isWildcard: true),
    ])

    private init(patterns: [Pattern]?) { self.patterns = patterns }

    /// Allows these names: `example.org`; `*.example.org` for all that end so; `*` for any.
    ///
    /// - Returns: nil where one of them is no such name, as with a scheme or a port.
    public init?(_ names: [some StringProtocol]) {
        if names.contains("*") {
            self = .any
            return
        }
        let patterns = names.map { Self.pattern(String($0)) }
        guard !patterns.contains(nil) else { return nil }
        self.init(patterns: patterns.compactMap(\.self))
    }

    private static func pattern(_ text: String) -> Pattern? {
        let isWildcard = text.hasPrefix("*.")
        let name = Array((isWildcard ? String(text.dropFirst()) : text).lowercased().utf8)
        guard name.count > (isWildcard ? 1 : 0), name.allSatisfy(isNameByte) else { return nil }
        return Pattern(name: name, isWildcard: isWildcard)
    }

    /// Of a name in the ASCII form of RFC 3490, and of an IPv4 address.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Whether any name is allowed.
    public var isAny: Bool { patterns == nil }

    /// Whether a server may be asked under the name of a `Host` field; its port does not matter.
    ///
    /// Looks at bytes, as this is asked of every request.
    func allow(_ host: UnsafeRawBufferPointer) -> Bool {
        guard let patterns else { return true }
        guard let name = Self.name(in: host) else { return false }
        if IPAddress(UnsafeRawBufferPointer(rebasing: name)) != nil { return true }
        return patterns.contains { pattern in
            let rest = pattern.isWildcard ? name.suffix(pattern.name.count) : name
            return rest.count == pattern.name.count && (!pattern.isWildcard || rest.count < name.count)
                && rest.elementsEqual(pattern.name) { $0.lowercased == $1 }
        }
    }

    /// The host without its port, without the brackets of IPv6 and without the dot that may end a name; nil where it is
    /// malformed.
    private static func name(in host: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer>? {
        var name = host[...]
        if host.first == UInt8(ascii: "[") {
            guard let end = host.firstIndex(of: UInt8(ascii: "]")), isPort(host[(end + 1)...]) else { return nil }
            name = host[1..<end]
            // What stands in brackets is an IPv6 address, and that alone.
            return name.contains(UInt8(ascii: ":")) ? name : nil
        }
        if let colon = host.firstIndex(of: UInt8(ascii: ":")) {
            guard isPort(host[colon...]) else { return nil }
            name = host[..<colon]
        }
        if name.last == UInt8(ascii: ".") { name.removeLast() }
        return name.isEmpty ? nil : name
    }

    private static func isPort(_ rest: Slice<UnsafeRawBufferPointer>) -> Bool {
        rest.isEmpty
            || rest.first == UInt8(ascii: ":")
                && rest.dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
