import HTTP

extension TrustedProxies {
    /// The tests' clients speak for others.
    static let loopback = TrustedProxies(["127.0.0.0/8", "::1"].compactMap { IPNetwork($0) })
}
