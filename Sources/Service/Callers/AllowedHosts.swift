import HTTP

/// The names under which clients may ask a server.
///
/// Another site can let its own name point to this machine (DNS rebinding). A browser then takes the answers for that
/// site's own, but its requests still have the name in `Host`. An IP address cannot be rebound and is always allowed.
public struct AllowedHosts: Sendable, Hashable {
    /// In lower case, one with a dot in front for all names that end so; nil for any name.
    private let names: [[UInt8]]?

    /// Any name.
    public static let any = AllowedHosts(names: nil)

    /// The names that browsers resolve to this machine: `localhost` and `*.localhost`.
    public static let loopback = AllowedHosts(names: ["localhost", ".localhost"].map { Array($0.utf8) })

    private init(names: [[UInt8]]?) { self.names = names }

    /// Allows these names: `example.org`, `*.example.org` for all names that end so, `*` for any.
    ///
    /// - Returns: nil where one of them is not such a name, as with a scheme or a port.
    public init?(_ names: [some StringProtocol]) {
        let plain = names.map { Array(($0.hasPrefix("*.") ? String($0.dropFirst()) : String($0)).lowercased().utf8) }
        let areSound = zip(names, plain).allSatisfy { name, plain in
            plain.count > 1 && name.first != "." && plain.allSatisfy(\.isOfName) || name == "*"
        }
        guard areSound else { return nil }
        self.init(names: names.contains("*") ? nil : plain)
    }

    /// - Throws: ``Problem``, 421, for a request under a name that is not allowed.
    func check(_ request: Request) throws(Problem) {
        if names == nil { return }
        let isAllowed =
            if var host = request.forwardedHost {
                host.withUTF8 { allow(UnsafeRawBufferPointer($0)) }
            } else {
                // HTTP/1.0 may leave Host out.
                request.header(.host) { allow($0) } ?? true
            }
        guard isAllowed else { throw ProblemType.misdirectedRequest.problem() }
    }

    /// Whether clients may ask under the name of a `Host` field; the port does not matter.
    func allow(_ host: UnsafeRawBufferPointer) -> Bool {
        guard let names else { return true }
        let isBracketed = host.first == UInt8(ascii: "[")
        let end = host.firstIndex(of: UInt8(ascii: isBracketed ? "]" : ":")) ?? host.endIndex
        var name = host[(isBracketed ? 1 : 0)..<end]
        let rest = host[end...].dropFirst(isBracketed ? 1 : 0)
        guard rest.isEmpty || rest.first == UInt8(ascii: ":") && rest.dropFirst().allSatisfy(\.isDigit) else {
            return false
        }
        if name.contains(UInt8(ascii: ":")) || name.last?.isDigit == true {
            if IPAddress(UnsafeRawBufferPointer(rebasing: name)) != nil { return true }
        }
        guard !isBracketed else { return false }
        if name.last == UInt8(ascii: ".") { name.removeLast() }
        return names.contains { allowed in
            let isSuffix = allowed.first == UInt8(ascii: ".")
            guard isSuffix ? name.count > allowed.count : name.count == allowed.count else { return false }
            return name.suffix(allowed.count).elementsEqual(allowed) { $0.lowercased == $1 }
        }
    }
}

extension UInt8 {
    /// `a` to `z`, `A` to `Z`.
    var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
    fileprivate var isOfName: Bool { isLetter || isDigit || "-._".utf8.contains(self) }
}
