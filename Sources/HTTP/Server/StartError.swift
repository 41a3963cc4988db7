internal import CHTTPShim

/// Why a server did not start.
public enum StartError: Error, Sendable, Equatable {
    /// Another socket listens there.
    case addressInUse
    /// Neither an IPv4 nor an IPv6 literal nor "localhost", or no address of this machine.
    case badAddress
    /// The port needs a privilege this process has not.
    case permissionDenied
    /// A route's template is malformed, or stands twice with the same method.
    case invalidRoutes
    /// It was started before.
    case alreadyStarted
    /// No memory, descriptors or threads left.
    case outOfResources
    /// libmicrohttpd would read past the gate that reads requests strictly: the program is linked in another way than as
    /// one executable with this library in it.
    case unguarded

    init?(_ result: http_start) {
        switch result {
        case HTTP_START_OK: return nil
        case HTTP_START_ADDRESS_IN_USE: self = .addressInUse
        case HTTP_START_BAD_ADDRESS: self = .badAddress
        case HTTP_START_DENIED: self = .permissionDenied
        case HTTP_START_NO_GATE: self = .unguarded
        default: self = .outOfResources
        }
    }
}
