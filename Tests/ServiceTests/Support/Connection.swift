import Foundation
import Glibc
import ViewModels

/// A connection to a server on loopback, which sends exactly what a test says.
final class Connection: @unchecked Sendable {
    // Safe: a test uses a connection by one task at a time, which awaits each reading thread.
    private var received: [UInt8] = []
    private let socket: Int32

    init(_ port: UInt16) throws {
        // A child of another test must not keep it open.
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        // A test that waits in vain fails after a minute.
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let result = withUnsafeBytes(of: address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { connect(socket, $0.baseAddress, socklen_t(bytes.count)) }
        }
        guard result == 0 else { throw Missing() }
    }

    deinit { close(socket) }

    func send(_ method: String, _ path: String, _ fields: [String] = [], body: String? = nil) throws {
        var head = ["\(method) \(path) HTTP/1.1"] + fields
        if !fields.contains(where: { $0.hasPrefix("Host:") }) { head.append("Host: localhost") }
        if let body {
            head.append("Content-Length: \(body.utf8.count)")
            if !fields.contains(where: { $0.hasPrefix("Content-Type") }) {
                head.append("Content-Type: application/json")
            }
        }
        let text = head.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")
        let sent = Array(text.utf8).withUnsafeBytes {
            Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard sent == text.utf8.count else { throw Missing() }
    }

    /// Says that nothing more will be sent.
    func halfClose() { shutdown(socket, Int32(SHUT_WR)) }

    /// The next answer.
    func reply(to method: String = "GET") async throws -> Reply {
        let head = try await text(upTo: "\r\n\r\n").components(separatedBy: "\r\n")
        var reply = Reply(status: Int(head[0].split(separator: " ")[1]) ?? 0)
        for field in head.dropFirst() {
            let parts = field.split(separator: ":", maxSplits: 1)
            reply.fields.append((parts[0].lowercased(), parts[1].trimmingCharacters(in: .whitespaces)))
        }
        let length = reply["content-length"].flatMap { Int($0) } ?? 0
        if method != "HEAD" { reply.body = try await bytes(length) }
        return reply
    }

    /// The next event of a stream, of which the head was read.
    func event() async throws -> (name: String, id: String?, data: String) {
        var (name, id, data) = ("", String?.none, "")
        // Chunks may end anywhere, so the lines of chunk sizes are passed over.
        while true {
            let line = try await text(upTo: "\n").trimmingCharacters(in: .whitespacesAndNewlines)
            if line.hasPrefix("event: ") { name = String(line.dropFirst(7)) }
            if line.hasPrefix("id: ") { id = String(line.dropFirst(4)) }
            if line.hasPrefix("data: ") { data = String(line.dropFirst(6)) }
            if line.isEmpty, !name.isEmpty { return (name, id, data) }
        }
    }

    /// Whether the server closes without another byte.
    func isClosed() async -> Bool {
        guard received.isEmpty else { return false }
        return (try? await bytes(1)) == nil
    }

    private func text(upTo end: String) async throws -> String {
        while true {
            if let range = received.firstRange(of: Array(end.utf8)) {
                defer { received.removeSubrange(..<range.upperBound) }
                return String(decoding: received[..<range.lowerBound], as: UTF8.self)
            }
            try await fill()
        }
    }

    private func bytes(_ count: Int) async throws -> [UInt8] {
        while received.count < count { try await fill() }
        defer { received.removeFirst(count) }
        return Array(received[..<count])
    }

    /// Reads on a thread of its own: a blocked thread of the pool would stop other tests.
    private func fill() async throws {
        let socket = socket
        let more = await withCheckedContinuation { done in
            Thread.detachNewThread {
                var buffer = [UInt8](repeating: 0, count: 16_384)
                let count = recv(socket, &buffer, buffer.count, 0)
                done.resume(returning: count > 0 ? Array(buffer[..<count]) : [])
            }
        }
        guard !more.isEmpty else { throw Missing() }
        received += more
    }
}

/// An answer.
struct Reply: Sendable {
    var status: Int
    var fields: [(name: String, value: String)] = []
    var body: [UInt8] = []

    var text: String { String(decoding: body, as: UTF8.self) }
    /// The end of a problem's `type`; nil where the answer is no problem.
    var problem: String? {
        guard self["content-type"] == "application/problem+json" else { return nil }
        return try? String(string("type").dropFirst("/problems/".count))
    }
    var detail: String { (try? string("detail")) ?? "" }

    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    func string(_ member: String) throws -> String {
        guard case .object(let object) = try JSONValue(parsing: body), case .string(let text) = object[member] else {
            throw Missing()
        }
        return text
    }
}
