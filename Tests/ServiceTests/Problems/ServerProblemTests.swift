import Foundation
import HTTP
import TestSupport
import Testing
import ViewModels

@testable import Service

@Suite("What the server below refuses")
struct ServerProblemTests {
    @Test(
        "what never reaches a handler is a problem as all others are",
        arguments: [
            ("GET /livez HTTP/1.1\r\nHost: a\r\nHost: b", "malformed-host", 400),
            ("GET /livez HTTP/1.1", "malformed-host", 400),
            ("GET /%zz HTTP/1.1\r\nHost: a", "malformed-path", 400),
            ("GET /livez HTTP/1.1\r\nHost: a\r\nX(Y: z", "bad-request", 400),
            ("GET /livez HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 600))", "header-too-large", 431),
            (
                "POST /sessions HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked",
                "ambiguous-length", 400
            ),
            ("POST /sessions HTTP/1.1\r\nHost: a\r\nContent-Length: 7000000", "body-too-large", 413),
            ("GET /nothing HTTP/1.1\r\nHost: a", "not-found", 404),
            ("PUT /counter HTTP/1.1\r\nHost: a\r\nContent-Length: 0", "method-not-allowed", 405),
            ("GET /changes?since=%zz HTTP/1.1\r\nHost: a", "malformed-query", 400),
        ])
    func refused(head: String, slug: String, status: Int) async throws {
        try await withService {
            $0.server.headerBytes = 512
        } _: { service in
            let raw = try await service.connect().raw
            let answer = try await onThread {
                try raw.send(head + "\r\n\r\n")
                return try raw.readResponse()
            }
            try expect(answer, isProblem: slug, status)
        }
    }

    @Test("every kind of problem the server below can make is described, under the same title")
    func described() throws {
        let source = try String(contentsOf: sourceFile("Sources/HTTP/Answer/Problem+Refusal.swift"), encoding: .utf8)
        let words = source.matches(of: /"(?<slug>[a-z-]+)",\s*"(?<title>[^"]+)"/).map { ($0.slug, $0.title) }
        #expect(words.count > 10)
        for (slug, title) in words {
            #expect(ProblemType.all.contains { $0.slug == slug && $0.title == title }, "\(slug)")
        }
        let failure = Problem.internalError
        #expect(
            ProblemType.all.contains {
                $0.slug == failure.slug && $0.title == failure.title && $0.status == failure.status
            })
    }

    @Test("no two kinds of problem have one name")
    func unique() {
        #expect(Set(ProblemType.all.map(\.slug)).count == ProblemType.all.count)
    }
}
