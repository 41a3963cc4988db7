import Foundation
import Service

/// A server that runs, to be asked by a command: by hand, so that no other tool has to be there.
struct RunningServer {
    private let host: String
    private let port: UInt16

    /// Its address and port, as in a URL.
    var place: String { "\(authority):\(port)" }
    private var isIPv6: Bool { host.contains(":") }
    private var authority: String { isIPv6 ? "[\(host)]" : host }

    /// One that listens at an address of this machine, or of another.
    init(_ address: BinderyServer.Options.Address) {
        host = ["0.0.0.0", "::", "localhost"].contains(address.host) ? "127.0.0.1" : address.host
        port = address.port
    }

    /// Asks without a body, on a connection of its own.
    ///
    /// - Parameters:
    ///   - patience: how many seconds each step may take.
    ///   - late: what is said where it was asked, and does not answer in that time; nil for just that.
    /// - Throws: ``CommandFailure`` where there is no answer.
    func ask(
        _ method: String, _ path: String, patience: Double, late: String? = nil
    ) throws(CommandFailure) -> (status: Int, body: [UInt8]) {
        let socket = Glibc.socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw failure(errno) }
        defer { close(socket) }
        let seconds = patience.rounded(.down)
        var time = timeval(tv_sec: Int(seconds), tv_usec: Int((patience - seconds) * 1_000_000))
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(socket, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
        leaveProxiesAddress(socket)
        guard connect(socket) else { throw failure(errno) }
        let request = Array("\(method) \(path) HTTP/1.1\r\nHost: \(authority)\r\nConnection: close\r\n\r\n".utf8)
        guard send(socket, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else { throw failure(errno) }
        return try answer(from: socket, late)
    }

    /// Reads until the server closes, or all that it has told the length of is there.
    private func answer(from socket: Int32, _ late: String?) throws(CommandFailure) -> (status: Int, body: [UInt8]) {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = recv(socket, &piece, piece.count, 0)
            guard count >= 0 else {
                if let late, errno == EAGAIN { throw CommandFailure("\(place) was \(late)") }
                throw failure(errno)
            }
            bytes += piece.prefix(count)
            let answer = Answer(bytes)
            if let answer, let length = answer.length, answer.body.count >= length {
                return (answer.status, Array(answer.body.prefix(length)))
            }
            guard count == 0 else { continue }
            guard !bytes.isEmpty else { throw CommandFailure("\(place) closed the connection without an answer") }
            guard let answer else { throw CommandFailure("\(place) does not answer as an HTTP server does") }
            guard answer.length == nil else { throw CommandFailure("\(place) broke off its answer") }
            return (answer.status, Array(answer.body))
        }
    }

    /// As much of an answer as is there, once its head is.
    private struct Answer {
        let status: Int
        /// Nil where it ends with the connection.
        let length: Int?
        let body: ArraySlice<UInt8>

        init?(_ bytes: [UInt8]) {
            guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
            let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
            let words = head[0].split(separator: " ")
            guard words.count > 1, words[0] == "HTTP/1.1", words[1].count == 3, let status = Int(words[1]) else {
                return nil
            }
            self.status = status
            length =
                status == 204
                ? 0
                : head.dropFirst().lazy.compactMap { line in
                    line.lowercased().wholeMatch(of: /content-length: *([0-9]+)/).flatMap { Int($0.1) }
                }.first
            body = bytes[end.upperBound...]
        }
    }

    /// Asks from another address of this machine than its proxies do: a full server keeps some places for this machine, but
    /// not for what comes by a proxy that it trusts.
    private func leaveProxiesAddress(_ socket: Int32) {
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

    private func failure(_ error: Int32) -> CommandFailure {
        switch error {
        case ECONNREFUSED: CommandFailure("\(place) refuses the connection: nothing listens there")
        // connect(2) says EINPROGRESS where its time is over.
        case EAGAIN, EINPROGRESS, ETIMEDOUT: CommandFailure("\(place) does not answer in time")
        default: CommandFailure("\(place) cannot be asked: \(String(cString: strerror(error)))")
        }
    }

    private func connect(_ socket: Int32) -> Bool {
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

    private func isNoAddress() -> Bool {
        errno = EADDRNOTAVAIL
        return false
    }

    private func connect<Address>(_ socket: Int32, _ address: inout Address) -> Bool {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(socket, $0, socklen_t(MemoryLayout<Address>.size)) == 0
            }
        }
    }
}
