import Foundation
import Glibc
import TestSupport

@testable import BinderyClient

/// A server that says exactly what it is told, one connection after the other; each call blocks a thread of its own.
final class WireServer: Sendable {
    struct Failure: Error, CustomStringConvertible { let description: String }

    private let socket: LoopbackSocket
    let url: URL

    init() throws {
        socket = try LoopbackSocket()
        try socket.listen(backlog: 16)
        guard let url = URL(string: "http://127.0.0.1:\(socket.port)") else { throw URLError(.badURL) }
        self.url = url
    }

    /// The next connection, with the request that came on it.
    ///
    /// - Parameter isOpened: whether what a client asks for first on Linux, where a request is to wait, is answered already.
    func accept(isOpened: Bool = true) async throws -> Connection {
        try await onThread { [self] in
            var waiting = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
            guard Glibc.poll(&waiting, 1, 300_000) == 1 else { throw Failure(description: "nobody came") }
            let connection = Connection(Glibc.accept(socket.descriptor, nil, nil))
            try connection.readRequest()
            if isOpened, connection.isOpening { try connection.open() }
            return connection
        }
    }

    /// Whether nobody comes for a moment; a moment is enough to see a client that does not wait.
    var isDeserted: Bool {
        var waiting = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
        return Glibc.poll(&waiting, 1, 0) == 0
    }

    /// One connection.
    // Safe: used by one thread at a time, and handed over between them.
    final class Connection: @unchecked Sendable {
        private let descriptor: Int32
        /// The head of the latest request.
        private(set) var request = ""

        init(_ descriptor: Int32) {
            self.descriptor = descriptor
            var timeout = timeval(tv_sec: 300, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        }

        deinit { close(descriptor) }

        /// A field of the latest request.
        func field(_ name: String) -> String? {
            request.split(separator: "\r\n").first { $0.lowercased().hasPrefix("\(name.lowercased()): ") }
                .map { String($0.dropFirst(name.count + 2)) }
        }

        /// Whether the request is the small one by which a connection is opened for what waits.
        var isOpening: Bool { request.hasPrefix("HEAD /livez HTTP/1.1\r\n") }

        /// Answers the small request, and reads the next.
        fileprivate func open() throws {
            answerOn("200 OK", "application/json", length: 18)
            try readRequest()
        }

        /// The next request on the connection.
        func next() async throws { try await onThread { [self] in try readRequest() } }

        fileprivate func readRequest() throws {
            request = ""
            while !request.hasSuffix("\r\n\r\n") {
                guard let byte = readByte() else { throw Failure(description: "closed after \(request)") }
                request.unicodeScalars.append(Unicode.Scalar(byte))
            }
            for _ in 0..<(field("Content-Length").flatMap { Int($0) } ?? 0) { _ = readByte() }
        }

        private func readByte() -> UInt8? {
            var byte: UInt8 = 0
            return recv(descriptor, &byte, 1, 0) == 1 ? byte : nil
        }

        func send(_ text: String) { send(Array(text.utf8)) }

        func send(_ bytes: [UInt8]) { _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

        /// An answer after which the connection is there for another request.
        func answerOn(_ status: String, _ type: String, _ body: String = "", length: Int? = nil) {
            let length = length ?? body.utf8.count
            send("HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(length)\r\n\r\n\(body)")
        }

        /// An answer, and the connection's end.
        func answer(_ status: String, _ type: String, _ body: String, _ fields: String = "") {
            send(
                "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\(fields)\r\n"
                    + body)
            finish()
        }

        /// The head of an event stream whose end is the connection's.
        func beginEvents() {
            send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nConnection: close\r\n\r\n")
        }

        func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

        /// Whether the client closes, without another byte.
        func isClosed() async throws -> Bool { try await onThread { [self] in readByte() == nil } }
    }
}

/// Runs a test with the URL of a port on which nobody listens, and that no other test is given meanwhile.
func withNobodyListening(_ test: (URL) async throws -> Void) async throws {
    let socket = try LoopbackSocket()
    guard let url = URL(string: "http://127.0.0.1:\(socket.port)") else { throw URLError(.badURL) }
    defer { withExtendedLifetime(socket) {} }
    try await test(url)
}

extension BinderyClient {
    /// A client whose time a test moves.
    convenience init(_ url: URL, by timeline: ManualTimeline, _ change: (inout Options) -> Void = { _ in }) {
        var options = Options()
        options.clock = timeline.clock
        change(&options)
        self.init(url, options: options)
    }
}
