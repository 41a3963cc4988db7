import Glibc
import Testing

/// Runs a test with a port that is bound, and perhaps listened on, but never accepted from.
func withSilentPort(isListening: Bool, _ test: (UInt16) throws -> Void) throws {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
        }
    }
    try #require(isBound && (!isListening || listen(socket, 1) == 0))
    try test(UInt16(bigEndian: address.sin_port))
}
