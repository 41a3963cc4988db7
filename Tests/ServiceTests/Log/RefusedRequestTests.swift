import HTTP
import TestSupport
import Testing

@testable import Service

/// Protects secrets of clients from the log.
@Suite("The log of refused requests")
struct RefusedRequestTests {
    @Test(
        "text has method and path, JSON has no path, and neither has anything else that the client sent",
        arguments: [
            ("GET", "/secret-path?secret=1", "/secret-path", 404), ("DELETE", "/counter?secret=1", "/counter", 405),
            ("BREW", "/counter", "/counter", 405),
        ])
    func refused(method: String, target: String, path: String, status: Int) async throws {
        try await TestServer.run { server in
            let reply = try await server.ask(
                method, target, "Authorization: Bearer secret", "Cookie: secret=1", body: #"{"secret":1}"#)
            #expect(reply.status == status)
            // The server logs a request after its answer.
            #expect(await eventually { !server.log.entries.isEmpty })
            let entry = try #require(server.log.entries.first)
            #expect(entry.path == path)
            var (columns, json) = (LogLines(.text), LogLines(.json))
            columns.append(entry, at: 0)
            json.append(entry, at: 0)
            let text = String(decoding: columns.text, as: UTF8.self)
            let known = method == "BREW" ? "-" : method
            #expect(text.contains(" method=\(known) path=\(path) status=\(status) "))
            #expect(!text.replacing(path, with: "").contains("secret"))
            #expect(!String(decoding: json.text, as: UTF8.self).contains("secret"))
        }
    }
}
