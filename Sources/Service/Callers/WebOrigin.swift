/// The origin of a page: scheme, host and port (RFC 6454), in the one spelling that browsers use.
public struct WebOrigin: Sendable, Hashable, CustomStringConvertible {
    /// The origin in lower case, without the port that its scheme has anyway.
    public let description: String

    /// In lower case, as `https`.
    var scheme: String { String(description.prefix { $0 != ":" }) }

    /// Reads an origin, like `https://app.example.org` or `capacitor://localhost`.
    ///
    /// - Returns: nil where the text is malformed or says more, such as a path, and for `null`.
    public init?(_ text: some StringProtocol) {
        let parts = text.lowercased().split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        self.init(scheme: String(parts[0]), authority: String(parts[1]))
    }

    /// Makes the origin of a page that was loaded from a host.
    ///
    /// - Parameter authority: a host with or without a port, as in `Host`.
    init?(scheme: String, authority: String) {
        let authority = authority.lowercased()
        let isSound =
            !scheme.isEmpty && !authority.isEmpty
            && (scheme + authority).utf8.allSatisfy { byte in
                byte.isLetter || byte.isDigit || "+-._:[]".utf8.contains(byte)
            }
        guard isSound else { return nil }
        let port = ["http": ":80", "https": ":443"][scheme] ?? "-"
        description = "\(scheme)://\(authority.hasSuffix(port) ? String(authority.dropLast(port.count)) : authority)"
    }
}
