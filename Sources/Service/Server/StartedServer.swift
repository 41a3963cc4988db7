import HTTP

/// Where a server listens.
public struct StartedServer: Sendable {
    /// The address it was told to listen on.
    public let host: String
    /// The port it listens on.
    public let port: UInt16
    /// The bounds within which connections live, as they are in force.
    public let limits: ServerLimits
    /// How many files and sockets the process may have open, after the soft limit was raised to the hard one.
    public let fileDescriptorLimit: Int

    /// The server's URL, without a slash at the end.
    public var url: String { host.contains(":") ? "http://[\(host)]:\(port)" : "http://\(host):\(port)" }
}
