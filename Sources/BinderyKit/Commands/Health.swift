import Foundation
import Service

extension Command {
    /// Checks a running server, so that a container needs no other tool.
    static let health = Command(
        "health", "check that a running server is alive, or with --ready that it is ready; exit 0, or 1",
        options: [
            .host, .port, .admin,
            ProgramOption("ready", "on|off", "check whether it is ready for clients", isSwitch: true),
        ]
    ) { options in
        // A full server still answers operators.
        let own = BinderyServer.Options.Address(host: options.server.host, port: options.server.port)
        try ask(options.server.admin ?? own, options["ready"] == "on" ? "/readyz" : "/livez")
    }

    /// Sends one request, and returns if the answer is 200; each step may take three seconds.
    ///
    /// - Throws: ``CommandFailure``.
    static func ask(_ address: BinderyServer.Options.Address, _ path: String) throws(CommandFailure) {
        // A server that listens on all addresses listens on loopback.
        let loopback = ["0.0.0.0": "127.0.0.1", "::": "::1", "localhost": "127.0.0.1"]
        let host = loopback[address.host] ?? address.host
        let place = host.contains(":") ? "[\(host)]:\(address.port)" : "\(host):\(address.port)"
        var hints = addrinfo()
        (hints.ai_socktype, hints.ai_flags) = (Int32(SOCK_STREAM.rawValue), AI_NUMERICHOST | AI_NUMERICSERV)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(address.port)", &hints, &found) == 0, let server = found?.pointee else {
            throw CommandFailure("\(host) is not an IP address")
        }
        defer { freeaddrinfo(found) }
        let socket = Glibc.socket(server.ai_family, server.ai_socktype, 0)
        defer { close(socket) }
        var patience = timeval(tv_sec: 3, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(socket, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
        let request = "GET \(path) HTTP/1.1\r\nHost: \(place)\r\nConnection: close\r\n\r\n"
        var answer = [UInt8](repeating: 0, count: 1 << 14)
        var count = 0
        let isWhole =
            connect(socket, server.ai_addr, server.ai_addrlen) == 0
            && send(socket, request, request.utf8.count, Int32(MSG_NOSIGNAL)) == request.utf8.count
        // The server closes the connection after its answer.
        var last = isWhole ? 1 : -1
        while last > 0, count < answer.count {
            last = answer[count...].withUnsafeMutableBytes { recv(socket, $0.baseAddress, $0.count, 0) }
            count += max(last, 0)
        }
        guard last >= 0 else {
            // connect(2) says EINPROGRESS after its deadline, and recv(2) EAGAIN.
            let isLate = errno == EINPROGRESS || errno == EAGAIN
            let reason = isLate ? "no answer in time" : String(cString: strerror(errno))
            throw CommandFailure("\(place) cannot be reached: \(reason)")
        }
        let text = String(decoding: answer.prefix(count), as: UTF8.self)
        guard let status = text.firstMatch(of: /^HTTP\/1\.1 (\d+)/)?.1 else {
            throw CommandFailure("\(place) does not answer with HTTP")
        }
        let body = text.firstRange(of: "\r\n\r\n").map { text[$0.upperBound...] } ?? ""
        guard status == "200" else { throw CommandFailure("\(place)\(path) answers \(status): \(body)") }
    }
}
