import Foundation
import Glibc
import TestSupport
import Testing

/// A server of raw sockets on loopback that says exactly what a test tells it.
///
/// It answers `HEAD /livez` itself, and hands other requests to the test.
final class StandInServer: Sendable {
    private let listener: Int32
    private let port: Port
    let url: URL
    private let calls: AsyncStream<Call>
    private let lines = History<String>()
    /// Connections stay open as long as the server is there.
    private let clients = History<RawClient>()
    /// How many requests have come, apart from `HEAD /livez`.
    var requests: Int { lines.all.count }

    /// What the port does with a connection.
    enum Port { case serves, isSilent, isClosed }

    init(_ port: Port = .serves) throws {
        let (calls, incoming) = AsyncStream.makeStream(of: Call.self)
        (self.port, self.calls) = (port, calls)
        (listener, url) = try Self.bind()
        if port != .isClosed { listen(listener, 16) }
        guard port == .serves else { return }
        // The threads do not hold the server, so a test leaves nothing behind.
        Thread.detachNewThread { [listener, lines, clients] in
            while case let socket = accept(listener, nil, nil), socket >= 0 {
                let client = RawClient(accepted: socket)
                clients.append(client)
                Self.serve(client) { call in
                    lines.append(call.line)
                    incoming.yield(call)
                }
            }
            // Not by another thread: this one would take the connections of the next server with the number.
            close(listener)
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        if port != .serves { close(listener) }
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

    /// Reads the next request of a connection in a thread, and hands it over.
    private static func serve(_ client: RawClient, _ take: @escaping @Sendable (Call) -> Void) {
        Thread.detachNewThread {
            while let call = Call(client, take) {
                guard call.line.hasPrefix("HEAD ") else { return take(call) }
                call.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 18\r\n\r\n")
            }
        }
    }

    /// The next request.
    func next() async throws -> Call {
        for await call in calls { return call }
        throw CancellationError()
    }

    /// A request and its connection.
    final class Call: Sendable {
        /// The request line.
        let line: String
        let body: String
        private let fields: [String: String]
        private let client: RawClient
        private let take: @Sendable (Call) -> Void

        /// Reads a request; nil where no more comes.
        fileprivate init?(_ client: RawClient, _ take: @escaping @Sendable (Call) -> Void) {
            guard let lines = try? client.read(to: "\r\n\r\n").components(separatedBy: "\r\n") else { return nil }
            var fields: [String: String] = [:]
            for line in lines.dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1)
                if parts.count == 2 { fields[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces) }
            }
            let length = fields["content-length"].flatMap { Int($0) } ?? 0
            guard let bytes = try? client.read(count: length) else { return nil }
            (line, self.fields, body) = (lines[0], fields, String(utf8: bytes))
            (self.client, self.take) = (client, take)
        }

        subscript(name: String) -> String? { fields[name.lowercased()] }

        // A client that has gone away takes no more; tests look at what it does next.
        func send(_ text: String) { send(Array(text.utf8)) }
        func send(_ bytes: [UInt8]) { try? client.send(bytes) }

        /// Sends a whole answer; another request may come on the connection.
        func answer(_ status: String, _ type: String, _ body: String = "", _ fields: String = "") {
            send(
                "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)"
            )
            StandInServer.serve(client, take)
        }

        /// Sends the state of a view model, with its ETag.
        func answer(state: String, seq: Int) { answer("200 OK", "application/json", state, "ETag: \"\(seq).n\"\r\n") }

        /// Sends the head of an event stream, and events.
        func stream(_ events: String...) {
            send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" + events.joined())
        }

        /// Closes the sending side.
        func finish() { client.halfClose() }

        /// Returns when the client has closed the connection; an issue if it has not after a minute.
        func closed(sourceLocation: SourceLocation = #_sourceLocation) async {
            let isClosed = try? await onThread { [client] in client.isClosed() }
            #expect(isClosed == true, sourceLocation: sourceLocation)
        }
    }
}
