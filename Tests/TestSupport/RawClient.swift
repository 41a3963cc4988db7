import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// One end of a connection, usually the client's; it sends exact bytes over a blocking socket with a deadline.
///
/// Use it with `onThread`, not on the cooperative pool. Sendable is safe, because only one thread at a time uses it.
package final class RawClient: @unchecked Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
        package var isReset = false
    }

    private let descriptor: Int32
    private var isOpen = true
    private var received: [UInt8] = []
    /// The client's port; 0 at the server's end.
    package let port: UInt16

    package init(to serverPort: UInt16, receiveBuffer: Int32? = nil, deadline seconds: Int = 60) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(description: "socket: \(errno)") }
        Self.limit(descriptor, to: seconds)
        if var bytes = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = serverPort.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = descriptor
        let connected = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                connect(socket, address, length) == 0 && getsockname(socket, address, &length) == 0
            }
        }
        guard connected else {
            let error = errno
            Glibc.close(descriptor)
            throw Failure(description: "connect: \(error)")
        }
        port = UInt16(bigEndian: address.sin_port)
    }

    /// The server's end of a connection, from an accepted socket.
    package init(accepted descriptor: Int32, deadline seconds: Int = 60) {
        (self.descriptor, port) = (descriptor, 0)
        Self.limit(descriptor, to: seconds)
    }

    private static func limit(_ descriptor: Int32, to seconds: Int) {
        var timeout = timeval(tv_sec: seconds, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, size)
    }

    deinit { close() }

    package func close() {
        guard isOpen else { return }
        isOpen = false
        Glibc.close(descriptor)
    }

    /// Closes with a TCP reset instead of a FIN.
    package func reset() {
        var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        close()
    }

    /// Closes the sending side.
    package func halfClose() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Sends a text, and closes the sending side in the same segment.
    package func sendAndHalfClose(_ text: String) throws {
        var cork: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_CORK, &cork, socklen_t(MemoryLayout<Int32>.size))
        try send(text)
        halfClose()
    }

    package func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    package func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(description: "send: \(errno)") }
            sent += count
        }
    }

    /// Reads once; false at the end.
    private func fill() throws -> Bool {
        let count = try withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 1) { buffer in
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            guard count >= 0 else {
                let error = errno
                throw Failure(
                    description: "recv: \(error) after \(received.count) bytes", isReset: error == ECONNRESET)
            }
            received += buffer[..<count]
            return count
        }
        return count > 0
    }

    /// Reads up to and including `end`, and returns the text before it.
    package func read(to end: String) throws -> String {
        let end = Array(end.utf8)
        while true {
            if let range = received.firstRange(of: end) {
                defer { received.removeSubrange(..<range.upperBound) }
                return String(decoding: received[..<range.lowerBound], as: UTF8.self)
            }
            guard try fill() else {
                throw Failure(description: "closed; had \(String(decoding: received, as: UTF8.self))")
            }
        }
    }

    package func read(count: Int) throws -> [UInt8] {
        while received.count < count {
            guard try fill() else { throw Failure(description: "closed after \(received.count) of \(count) bytes") }
        }
        defer { received.removeSubrange(..<count) }
        return Array(received[..<count])
    }

    /// Reads until the server closes, and returns the remaining bytes.
    package func readToEnd() throws -> [UInt8] {
        while try fill() {}
        defer { received = [] }
        return received
    }

    /// Whether the server closes without another byte; a reset counts.
    package func isClosed() -> Bool {
        do {
            return try readToEnd().isEmpty
        } catch {
            return (error as? Failure)?.isReset == true
        }
    }

    /// Reads the status line and the header fields.
    package func readHead() throws -> ReceivedResponse {
        let lines = try read(to: "\r\n\r\n").split(separator: "\r\n")
        guard let first = lines.first, let status = Int(first.split(separator: " ").dropFirst().first ?? "") else {
            throw Failure(description: "no status line")
        }
        let headers = lines.dropFirst().map { line in
            let parts = line.split(separator: ": ", maxSplits: 1)
            return (name: String(parts[0]), value: parts.count > 1 ? String(parts[1]) : "")
        }
        return ReceivedResponse(status: status, headers: headers, body: [])
    }

    /// Reads one answer; `hasBody` is false for HEAD.
    package func readResponse(hasBody: Bool = true) throws -> ReceivedResponse {
        let head = try readHead()
        let body: [UInt8] =
            if !hasBody || head.status == 204 || head.status == 304 || head.status < 200 {
                []
            } else if let length = head["Content-Length"].flatMap({ Int($0) }) {
                try read(count: length)
            } else if head["Transfer-Encoding"] == "chunked" {
                try readChunks()
            } else {
                try readToEnd()
            }
        return ReceivedResponse(status: head.status, headers: head.headers, body: body)
    }

    /// Reads one chunk; nil for the last.
    package func readChunk() throws -> [UInt8]? {
        guard let size = Int(try read(to: "\r\n"), radix: 16) else { throw Failure(description: "no chunk size") }
        let chunk = try read(count: size)
        _ = try read(count: 2)
        return size == 0 ? nil : chunk
    }

    private func readChunks() throws -> [UInt8] {
        var body: [UInt8] = []
        while let chunk = try readChunk() { body += chunk }
        return body
    }

    /// Sends a request without a body and reads its answer.
    package func get(_ path: String, _ headers: String...) throws -> ReceivedResponse {
        try send("GET \(path) HTTP/1.1\r\nHost: test\r\n\(headers.map { $0 + "\r\n" }.joined())\r\n")
        return try readResponse()
    }
}
