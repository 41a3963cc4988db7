import Foundation

/// A socket on a free port of the loopback, which nobody else is given as long as it is kept.
///
/// It does not listen unless it is told. Closed when nobody has it any more. Safe from any thread.
package final class LoopbackSocket: Sendable {
    package let descriptor: Int32
    package let port: UInt16

    /// - Throws: `POSIXError`.
    package init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Self.failure }
        var on: Int32 = 1
        // While it does not listen, a server with this option can, and nobody else is given the port (socket(7)).
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else {
            defer { close(descriptor) }
            throw Self.failure
        }
        (self.descriptor, port) = (descriptor, UInt16(bigEndian: address.sin_port))
    }

    deinit { close(descriptor) }

    /// - Throws: `POSIXError`.
    package func listen(backlog: Int32) throws {
        guard Glibc.listen(descriptor, backlog) == 0 else { throw Self.failure }
    }

    private static var failure: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EADDRNOTAVAIL) }
}
