import Foundation

/// `bindery health`: what a container asks, without a tool of its own inside.
enum Health {
    /// Whether the server at the options' address answers `GET /livez` with 200 within three seconds.
    static func isAlive(_ options: ServeOptions) -> Bool {
        let host = ["0.0.0.0", "::", "localhost"].contains(options.server.host) ? "127.0.0.1" : options.server.host
        let isIPv6 = host.contains(":")
        let socket = Glibc.socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { return false }
        defer { close(socket) }
        var patience = timeval(tv_sec: 3, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(socket, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
        guard connect(socket, to: host, port: options.server.port, isIPv6: isIPv6) else { return false }
        let authority = isIPv6 ? "[\(host)]" : host
        let request = Array("GET /livez HTTP/1.1\r\nHost: \(authority)\r\nConnection: close\r\n\r\n".utf8)
        guard send(socket, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else { return false }
        let expected = Array("HTTP/1.1 200 ".utf8)
        var answer = [UInt8](repeating: 0, count: expected.count)
        return recv(socket, &answer, answer.count, Int32(MSG_WAITALL)) == answer.count && answer == expected
    }

    private static func connect(_ socket: Int32, to host: String, port: UInt16, isIPv6: Bool) -> Bool {
        if isIPv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            guard inet_pton(AF_INET6, host, &address.sin6_addr) == 1 else { return false }
            return connect(socket, &address)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else { return false }
        return connect(socket, &address)
    }

    private static func connect<Address>(_ socket: Int32, _ address: inout Address) -> Bool {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(socket, $0, socklen_t(MemoryLayout<Address>.size)) == 0
            }
        }
    }
}
