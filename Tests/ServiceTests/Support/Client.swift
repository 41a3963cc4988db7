import TestSupport

/// One connection; it blocks a thread of its own, not the tests'.
struct Client: Sendable {
    let raw: RawClient

    /// Asks and reads the answer; the connection may be used again.
    func ask(_ method: String, _ path: String, _ headers: [String] = [], body: String? = nil) async throws
        -> ReceivedResponse
    {
        try await send(method, path, headers, body: body)
        return try await answer(hasBody: method != "HEAD")
    }

    func get(_ path: String, _ headers: String...) async throws -> ReceivedResponse {
        try await ask("GET", path, headers)
    }

    /// Asks only.
    func send(_ method: String, _ path: String, _ headers: [String] = [], body: String? = nil) async throws {
        let text = Self.request(method, path, headers, body: body)
        try await onThread { try raw.send(text) }
    }

    /// What comes next.
    func answer(hasBody: Bool = true) async throws -> ReceivedResponse {
        try await onThread { try raw.readResponse(hasBody: hasBody) }
    }

    /// Whether the server has closed, without another byte.
    func isClosed() async throws -> Bool { try await onThread { raw.isClosed() } }

    static func request(_ method: String, _ path: String, _ headers: [String] = [], body: String? = nil) -> String {
        var lines = ["\(method) \(path) HTTP/1.1"]
        if !headers.contains(where: { $0.hasPrefix("Host:") }) { lines.append("Host: bindery.test") }
        lines += headers
        if body != nil || method == "POST" { lines.append("Content-Length: \(body?.utf8.count ?? 0)") }
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")
    }
}
