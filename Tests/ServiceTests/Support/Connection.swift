import Foundation
import TestSupport
import ViewModels

/// A connection to a server on loopback, which sends exactly what a test says.
final class Connection: Sendable {
    private let client: RawClient

    init(_ port: UInt16) throws { client = try RawClient(to: port) }

    func send(_ method: String, _ path: String, _ fields: [String] = [], body: String? = nil) throws {
        var head = ["\(method) \(path) HTTP/1.1"] + fields
        if !fields.contains(where: { $0.hasPrefix("Host:") }) { head.append("Host: localhost") }
        if let body {
            head.append("Content-Length: \(body.utf8.count)")
            if !fields.contains(where: { $0.hasPrefix("Content-Type") }) {
                head.append("Content-Type: application/json")
            }
        }
        try client.send(head.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""))
    }

    /// Says that nothing more will be sent.
    func halfClose() { client.halfClose() }

    /// The next answer; of a stream the head alone.
    func reply(to method: String = "GET") async throws -> Reply {
        try await onThread { [client] in
            let head = try client.readHead()
            let length = head["Content-Length"].flatMap { Int($0) } ?? 0
            let body = method == "HEAD" ? [] : try client.read(count: length)
            return ReceivedResponse(status: head.status, headers: head.headers, body: body)
        }
    }

    /// The next event of a stream, of which the head was read.
    func event() async throws -> (name: String, id: String?, data: String) {
        try await onThread { [client] in
            var (name, id, data) = ("", String?.none, "")
            // Chunks may end anywhere, so the lines of chunk sizes are passed over.
            while true {
                let line = try client.read(to: "\n").trimmingCharacters(in: .whitespacesAndNewlines)
                if line.hasPrefix("event: ") { name = String(line.dropFirst(7)) }
                if line.hasPrefix("id: ") { id = String(line.dropFirst(4)) }
                if line.hasPrefix("data: ") { data = String(line.dropFirst(6)) }
                if line.isEmpty, !name.isEmpty { return (name, id, data) }
            }
        }
    }
}

typealias Reply = ReceivedResponse

extension ReceivedResponse {
    /// The end of a problem's `type`; nil where the answer is no problem.
    var problem: String? {
        guard self["content-type"] == "application/problem+json" else { return nil }
        return try? String(string("type").dropFirst("/problems/".count))
    }
    var detail: String { (try? string("detail")) ?? "" }

    func string(_ member: String) throws -> String {
        guard case .object(let object) = try JSONValue(parsing: body), case .string(let text) = object[member] else {
            throw Missing()
        }
        return text
    }
}
