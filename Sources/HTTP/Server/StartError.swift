import Glibc

/// Why a server did not start, in words for an operator.
public struct StartError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong.
    public enum Code: Sendable, CaseIterable {
        /// Another socket listens there.
        case addressInUse
        /// Neither an IPv4 nor an IPv6 literal nor "localhost", or no address of this machine.
        case badAddress
        /// The port needs a privilege this process has not.
        case permissionDenied
        /// The inherited descriptor is no socket that listens on an IP address.
        case noListener
        /// It was started before.
        case alreadyStarted
        /// No memory, descriptors or threads left.
        case outOfResources
        /// libmicrohttpd is older than 0.9.75, and lets ambiguous requests pass.
        case unsound
    }

    /// What is wrong.
    public let code: Code
    /// The address on which it was to listen.
    public let host: String
    /// The port on which it was to listen.
    public let port: UInt16
    /// Whether the listener is that for operators.
    package var isForOperators = false

    /// Takes an error of http_server_start() (CHTTPShim.h).
    init(_ error: Int32, host: String, port: UInt16) {
        (self.host, self.port) = (host, port)
        code =
            switch error {
            case EADDRINUSE: .addressInUse
            case EADDRNOTAVAIL, EAFNOSUPPORT: .badAddress
            case EACCES, EPERM: .permissionDenied
            case ENOTSOCK: .noListener
            case EALREADY: .alreadyStarted
            case ENOTSUP: .unsound
            default: .outOfResources
            }
    }

    /// One line for a terminal: what is wrong, and what to do.
    public var description: String {
        let place = "port \(port) of \(host)" + (isForOperators ? ", the listener for operators," : "")
        let portOption = isForOperators ? "admin; --admin" : "port; --port"
        let hostOption = isForOperators ? "admin; --admin" : "host; --host"
        return switch code {
        case .addressInUse: "\(place) is taken; choose another (\(portOption)), or 0 for a free one"
        case .badAddress: "\(host) is no address of this machine; give an IP address or localhost (\(hostOption))"
        case .permissionDenied: "\(place) needs a privilege; choose a port above 1023 (\(portOption))"
        case .noListener: "the socket that was handed over does not listen on an IP address"
        case .alreadyStarted: "the server cannot start: it was started before"
        case .outOfResources: "there are no sockets, threads or memory left to listen on \(place)"
        case .unsound: "this libmicrohttpd lets ambiguous requests pass; use 0.9.75 or later"
        }
    }
}
