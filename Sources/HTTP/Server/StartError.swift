import Glibc

/// Why a server did not start, for an operator.
public struct StartError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The error of errno(3), such as `EADDRINUSE`.
    public let code: Int32
    /// The address that the server could not listen on.
    public let host: String
    /// The port that the server could not listen on.
    public let port: UInt16

    init(code: Int32, host: String, port: UInt16) { (self.code, self.host, self.port) = (code, host, port) }

    /// One line for a terminal: the error and the remedy.
    public var description: String {
        let place = "port \(port) of \(host)"
        return switch code {
        case EADDRINUSE: "\(place) is taken; choose another (--port, or --admin for operators), or 0 for a free one"
        case EADDRNOTAVAIL, EAFNOSUPPORT:
            "\(host) is no address of this machine; give an IP address or localhost (--host, or --admin for operators)"
        case EACCES, EPERM: "\(place) needs a privilege; choose a port above 1023"
        case EALREADY: "the server cannot start: it was started before"
        case ENOTSUP: "this libmicrohttpd lets ambiguous requests pass; use 0.9.75 or later"
        default: "there are no sockets, threads or memory left to listen on \(place)"
        }
    }
}
