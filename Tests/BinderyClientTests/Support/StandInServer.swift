import Foundation
import Glibc
import Locking

/// A server of raw sockets on loopback that says exactly what a test tells it.
///
/// Each connection has a thread, which answers `HEAD /livez` and hands other requests to the test.
final class StandInServer: Sendable {
    private let listener: Int32
    let url: URL
    private let calls: AsyncStream<Call>
    private let incoming: AsyncStream<Call>.Continuation
    private let count = Lock(0)
    /// How many requests have come, apart from `HEAD /livez`.
    var requests: Int { count.withLock { $0 } }

    /// What the port does with a connection.
    enum Port { case serves, isSilent, isClosed }

    init(_ port: Port = .serves) throws {
        (calls, incoming) = AsyncStream.makeStream()
        (listener, url) = try Self.bind()
        if port != .isClosed { listen(listener, 16) }
        guard port == .serves else { return }
        Self.thread { [listener, weak self] in
            while true {
                let socket = accept(listener, nil, nil)
                guard socket >= 0 else { return }
                Self.thread { [weak self] in self?.serve(Call(socket)) }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private static func bind() throws -> (Int32, URL) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(listener, $0, size) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard isBound, let url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))") else {
            throw POSIXError(.EADDRNOTAVAIL)
        }
        return (listener, url)
    }

    private static func thread(_ body: @escaping @Sendable () -> Void) {
        let thread = Thread(block: body)
        thread.stackSize = 256 << 10
        thread.start()
    }

    private func serve(_ first: Call) {
        var call = first
        while call.readRequest() {
            if call.line.hasPrefix("HEAD ") {
                call.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 18\r\n\r\n")
            } else {
                count.withLock { $0 += 1 }
                incoming.yield(call)
                // Answered, so that another request may come on the connection.
                call.answered.wait()
                call = Call(sharing: call)
            }
        }
    }

    /// The next request.
    func next() async throws -> Call {
        for await call in calls { return call }
        throw CancellationError()
    }

    /// A request and its connection.
    // Safe: the connection's thread reads the request, and hands the call over before the test uses it.
    final class Call: @unchecked Sendable {
        private let connection: Connection
        fileprivate let answered = DispatchSemaphore(value: 0)
        /// The request line.
        private(set) var line = ""
        private var fields: [String: String] = [:]
        private(set) var body = ""

        private final class Connection: Sendable {
            let socket: Int32
            init(_ socket: Int32) { self.socket = socket }
            deinit { close(socket) }
        }

        fileprivate init(_ socket: Int32) { connection = Connection(socket) }
        fileprivate init(sharing call: Call) { connection = call.connection }

        subscript(name: String) -> String? { fields[name.lowercased()] }

        fileprivate func readRequest() -> Bool {
            var head = ""
            while !head.hasSuffix("\r\n\r\n") {
                guard let byte = readByte() else { return false }
                head.unicodeScalars.append(Unicode.Scalar(byte))
            }
            let lines = head.components(separatedBy: "\r\n")
            line = lines[0]
            fields = [:]
            for line in lines.dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1)
                if parts.count == 2 { fields[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces) }
            }
            let bytes = (0..<(self["Content-Length"].flatMap { Int($0) } ?? 0)).compactMap { _ in readByte() }
            body = String(decoding: bytes, as: UTF8.self)
            return true
        }

        private func readByte() -> UInt8? {
            var byte: UInt8 = 0
            return recv(connection.socket, &byte, 1, 0) == 1 ? byte : nil
        }

        func send(_ text: String) { send(Array(text.utf8)) }
        func send(_ bytes: [UInt8]) { _ = Glibc.send(connection.socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

        /// Sends a whole answer; the connection stays open.
        func answer(_ status: String, _ type: String, _ body: String = "", _ fields: String = "") {
            send(
                "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)"
            )
            answered.signal()
        }

        /// Sends the state of a view model, with its ETag.
        func answer(state: String, seq: Int) { answer("200 OK", "application/json", state, "ETag: \"\(seq).n\"\r\n") }

        /// Sends the head of an event stream, and events.
        func stream(_ events: String...) {
            send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" + events.joined())
        }

        /// Closes the sending side.
        func finish() { shutdown(connection.socket, Int32(SHUT_WR)) }

        /// Returns when the client has closed the connection.
        func closed() async {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    StandInServer.thread {
                        while self.readByte() != nil {}
                        self.answered.signal()
                        continuation.resume()
                    }
                }
            } onCancel: {
                shutdown(connection.socket, Int32(SHUT_RDWR))
            }
        }
    }
}
