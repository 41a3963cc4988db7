internal import CHTTPShim

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
        /// What was handed over is no socket that listens on an IP address.
        case noListener
        /// A route's template is malformed, or stands twice with the same method.
        case invalidRoutes
        /// It was started before.
        case alreadyStarted
        /// No memory, descriptors or threads left.
        case outOfResources
        /// This build of libmicrohttpd does not keep heads as the strict reading needs it.
        case unsound
    }

    /// What is wrong.
    public let code: Code
    /// The address that it was to listen on.
    public let host: String
    /// The port that it was to listen on.
    public let port: UInt16

    init(_ code: Code, host: String, port: UInt16) {
        self.code = code
        self.host = host
        self.port = port
    }

    /// One line for a terminal: what is wrong, and what to do.
    public var description: String {
        let place = "port \(port) of \(host)"
        return switch code {
        case .addressInUse: "\(place) is taken; choose another (port; --port), or 0 for a free one"
        case .badAddress: "\(host) is no address of this machine; give an IP address or localhost (host; --host)"
        case .permissionDenied: "\(place) needs a privilege; choose a port above 1023 (port; --port)"
        case .noListener: "the socket that was handed over does not listen on an IP address"
        case .invalidRoutes: "the server cannot start: a route's template is malformed, or stands twice"
        case .alreadyStarted: "the server cannot start: it was started before"
        case .outOfResources: "there are no sockets, threads or memory left to listen on \(place)"
        case .unsound:
            "this libmicrohttpd lets ambiguous requests pass; use 0.9.75 or 1.0"
        }
    }
}

extension StartError.Code {
    /// Nil where it did start.
    init?(_ result: http_start) {
        switch result {
        case HTTP_START_OK: return nil
        case HTTP_START_ADDRESS_IN_USE: self = .addressInUse
        case HTTP_START_BAD_ADDRESS: self = .badAddress
        case HTTP_START_DENIED: self = .permissionDenied
        case HTTP_START_NO_LISTENER: self = .noListener
        case HTTP_START_AGAIN: self = .alreadyStarted
        case HTTP_START_UNSOUND: self = .unsound
        case HTTP_START_BAD_ROUTES: self = .invalidRoutes
        default: self = .outOfResources
        }
    }
}
