import Foundation
import Service

extension Command {
    /// Asks a running server, so that a container needs no other tool.
    static let health = Command(
        "health", "ask a running server whether it lives, or with --ready whether it is ready; exit 0, or 1",
        options: [
            .host, .port, .admin,
            ProgramOption("ready", "on|off", "ask whether clients may be sent there", isSwitch: true),
        ]
    ) { options in
        // A full server still answers operators.
        let own = BinderyServer.Options.Address(host: options.server.host, port: options.server.port)
        let path = options["ready"] == "on" ? "/readyz" : "/livez"
        try Probe(options.server.admin ?? own).ask(path)
    }
}

/// Asks a server once, with a deadline for each step.
struct Probe {
    private let host: String
    private let port: UInt16
    /// How many seconds each step may take.
    var patience = 3

    init(_ address: BinderyServer.Options.Address) {
        // A server that listens on all addresses listens on loopback.
        let loopback = ["0.0.0.0": "127.0.0.1", "::": "::1", "localhost": "127.0.0.1"]
        (host, port) = (loopback[address.host] ?? address.host, address.port)
    }

    private var place: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Asks, and returns if the answer is 200.
    ///
    /// - Throws: ``CommandFailure``.
    func ask(_ path: String) throws(CommandFailure) {
        let socket = try connected()
        defer { close(socket) }
        let request = "GET \(path) HTTP/1.1\r\nHost: \(place)\r\nConnection: close\r\n\r\n"
        guard send(socket, request, request.utf8.count, Int32(MSG_NOSIGNAL)) == request.utf8.count else {
            throw failure(errno)
        }
        var answer: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 12)
        while answer.count < 1 << 16 {
            let count = recv(socket, &piece, piece.count, 0)
            guard count >= 0 else { throw failure(errno) }
            guard count > 0 else { break }
            answer += piece.prefix(count)
        }
        let text = String(decoding: answer, as: UTF8.self)
        guard text.hasPrefix("HTTP/1.1 ") else {
            throw CommandFailure("\(place) does not answer as an HTTP server does")
        }
        let status = text.dropFirst(9).prefix(3)
        let body = text.firstRange(of: "\r\n\r\n").map { text[$0.upperBound...] } ?? ""
        guard status == "200" else { throw CommandFailure("\(place)\(path) answers \(status): \(body)") }
    }

    private func connected() throws(CommandFailure) -> Int32 {
        var hints = addrinfo()
        (hints.ai_socktype, hints.ai_flags) = (Int32(SOCK_STREAM.rawValue), AI_NUMERICHOST | AI_NUMERICSERV)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &found) == 0, let address = found?.pointee else {
            throw CommandFailure("\(host) is not an IP address")
        }
        defer { freeaddrinfo(found) }
        let socket = Glibc.socket(address.ai_family, address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw failure(errno) }
        var time = timeval(tv_sec: patience, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(socket, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
        guard connect(socket, address.ai_addr, address.ai_addrlen) == 0 else {
            let error = errno
            close(socket)
            throw failure(error)
        }
        return socket
    }

    private func failure(_ error: Int32) -> CommandFailure {
        switch error {
        case ECONNREFUSED: CommandFailure("\(place) refuses the connection: nothing listens there")
        // connect(2) says EINPROGRESS after its deadline.
        case EAGAIN, EINPROGRESS, ETIMEDOUT: CommandFailure("\(place) does not answer in time")
        default: CommandFailure("\(place) cannot be asked: \(String(cString: strerror(error)))")
        }
    }
}
