import Foundation
import Service

/// `bindery health`: what a container asks, without a tool of its own inside.
enum Health {
    /// Asks the server at the options' address, or where operators ask, if that is told: a full server answers there.
    ///
    /// - Parameters:
    ///   - path: `/livez`, or `/readyz`.
    ///   - patience: how many seconds each step may take.
    /// - Throws: ``CommandFailure`` where it is not answered with 200.
    static func check(
        _ options: ServeOptions, path: String = "/livez", patience: Double = 3
    ) throws(CommandFailure) {
        let address =
            options.server.admin
            ?? BinderyServer.Options.Address(host: options.server.host, port: options.server.port)
        let host = ["0.0.0.0", "::", "localhost"].contains(address.host) ? "127.0.0.1" : address.host
        let isIPv6 = host.contains(":")
        let authority = isIPv6 ? "[\(host)]" : host
        let place = "\(authority):\(address.port)"
        let socket = Glibc.socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw failure(errno, at: place) }
        defer { close(socket) }
        let seconds = patience.rounded(.down)
        var time = timeval(tv_sec: Int(seconds), tv_usec: Int((patience - seconds) * 1_000_000))
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(socket, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
        leaveProxiesAddress(socket, for: host)
        guard connect(socket, to: host, port: address.port, isIPv6: isIPv6) else {
            throw failure(errno, at: place)
        }
        let request = Array("GET \(path) HTTP/1.1\r\nHost: \(authority)\r\nConnection: close\r\n\r\n".utf8)
        guard send(socket, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            throw failure(errno, at: place)
        }
        var answer = [UInt8](repeating: 0, count: "HTTP/1.1 200 ".utf8.count)
        let count = recv(socket, &answer, answer.count, Int32(MSG_WAITALL))
        guard count >= 0 else { throw failure(errno, at: place) }
        guard count > 0 else { throw CommandFailure("\(place) closed the connection without an answer") }
        let line = String(decoding: answer, as: UTF8.self)
        let status = line.dropFirst("HTTP/1.1 ".count).dropLast()
        guard line.hasPrefix("HTTP/1.1 "), status.count == 3, status.allSatisfy(\.isWholeNumber) else {
            throw CommandFailure("\(place) does not answer as an HTTP server does")
        }
        guard status == "200" else { throw CommandFailure("\(place) answers \(path) with \(status), not 200") }
    }

    /// Asks from another address of this machine than its proxies do: a full server keeps some places for this machine, but
    /// not for what comes by a proxy that it trusts.
    private static func leaveProxiesAddress(_ socket: Int32, for host: String) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        guard host == "127.0.0.1", inet_pton(AF_INET, "127.0.0.2", &address.sin_addr) == 1 else { return }
        // Where this machine has no such address, any will do.
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func failure(_ error: Int32, at place: String) -> CommandFailure {
        switch error {
        case ECONNREFUSED: CommandFailure("\(place) refuses the connection: nothing listens there")
        // connect(2) says EINPROGRESS where its time is over.
        case EAGAIN, EINPROGRESS, ETIMEDOUT: CommandFailure("\(place) does not answer in time")
        default: CommandFailure("\(place) cannot be asked: \(String(cString: strerror(error)))")
        }
    }

    private static func connect(_ socket: Int32, to host: String, port: UInt16, isIPv6: Bool) -> Bool {
        if isIPv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            guard inet_pton(AF_INET6, host, &address.sin6_addr) == 1 else { return isNoAddress() }
            return connect(socket, &address)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else { return isNoAddress() }
        return connect(socket, &address)
    }

    private static func isNoAddress() -> Bool {
        errno = EADDRNOTAVAIL
        return false
    }

    private static func connect<Address>(_ socket: Int32, _ address: inout Address) -> Bool {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(socket, $0, socklen_t(MemoryLayout<Address>.size)) == 0
            }
        }
    }
}
