import Foundation

/// A port of the loopback; the kernel gives it to no other socket while this object lives.
final class ReservedPort: Sendable {
    private let descriptor: Int32
    let number: UInt16

    /// - Throws: `POSIXError`.
    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var on: Int32 = 1
        // With this option, a server can listen on the port, because this socket does not listen (socket(7)).
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
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EADDRNOTAVAIL)
        }
        (self.descriptor, number) = (descriptor, UInt16(bigEndian: address.sin_port))
    }

    deinit { close(descriptor) }
}
