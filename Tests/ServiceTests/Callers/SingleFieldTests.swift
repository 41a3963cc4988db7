import TestSupport
import Testing
import ViewModels

/// A field that stands for one thing must not be read by the first of two: somebody before us may go by the other one.
@Suite("Fields of which one is wanted")
struct SingleFieldTests {
    /// A field with a value that is good and one that is not; `T` stands for a session's token, `I` for its public id.
    struct Field: Sendable, CustomTestStringConvertible {
        let name: String
        let good: String
        let other: String
        /// How it is refused where it comes twice, joined by a comma, and with the other value behind a blank.
        let twice: Refusal
        let joined: Refusal
        let rest: Refusal
        var path = "POST /counter/increment"
        /// Sent with it.
        var besides: [String] = []
        var testDescription: String { "\(name): \(good) and \(other)" }
    }

    enum Refusal: Sendable {
        case malformedHeader, malformedHost, notJSON, crossSite, sessionUnknown, sessionChanged
        /// On purpose.
        case none

        var problem: (slug: String, status: Int)? {
            switch self {
            case .malformedHeader: ("malformed-header", 400)
            case .malformedHost: ("malformed-host", 400)
            case .notJSON: ("not-json", 415)
            case .crossSite: ("cross-site", 403)
            case .sessionUnknown: ("session-unknown", 401)
            case .sessionChanged: ("session-changed", 401)
            case .none: nil
            }
        }
    }

    static let fields = [
        // A token is one word: what stands behind it makes it none of ours.
        Field(
            name: "Authorization", good: "Bearer T", other: "Basic eDp5", twice: .malformedHeader,
            joined: .malformedHeader, rest: .sessionUnknown),
        Field(
            name: "Authorization", good: "Basic eDp5", other: "Bearer T", twice: .malformedHeader,
            joined: .malformedHeader, rest: .malformedHeader),
        Field(
            name: "Authorization", good: "Basic eDp5", other: "Bearer nonsense", twice: .malformedHeader,
            joined: .malformedHeader, rest: .malformedHeader),
        Field(
            name: "Authorization", good: "Basic eDp5", other: "Basic eDp6", twice: .malformedHeader,
            joined: .malformedHeader, rest: .malformedHeader),
        Field(
            name: "Authorization", good: "Bearer T", other: "Bearer T", twice: .malformedHeader,
            joined: .malformedHeader, rest: .sessionUnknown),
        Field(
            name: "Authorization", good: "Bearer T", other: "Basic eDp5", twice: .malformedHeader, joined: .none,
            // Whatever token is shown there is not looked at.
            rest: .none, path: "POST /sessions"),
        Field(
            name: "Cookie", good: "bindery-session=T", other: "bindery-session=AAAAAAAAAAAAAAAAAAAAAA",
            twice: .malformedHeader, joined: .sessionUnknown, rest: .sessionUnknown),
        Field(
            name: "Content-Type", good: "application/json", other: "text/plain", twice: .notJSON, joined: .notJSON,
            rest: .notJSON),
        Field(
            name: "Content-Type", good: "application/json", other: "application/json", twice: .notJSON,
            joined: .notJSON,
            rest: .notJSON),
        Field(
            name: "Content-Type", good: "application/a+json", other: "application/b+json", twice: .notJSON,
            joined: .notJSON, rest: .notJSON),
        Field(
            name: "Content-Encoding", good: "identity", other: "gzip", twice: .notJSON, joined: .notJSON,
            rest: .notJSON,
            besides: ["Content-Type: application/json"]),
        Field(
            name: "Idempotency-Key", good: "a", other: "b", twice: .malformedHeader, joined: .malformedHeader,
            rest: .malformedHeader),
        Field(
            name: "Idempotency-Key", good: "\"a\"", other: "\"a\"", twice: .malformedHeader, joined: .malformedHeader,
            rest: .malformedHeader),
        Field(
            name: "Bindery-Session", good: "I", other: "AAAAAAAAAAAAAAA", twice: .malformedHeader,
            joined: .sessionChanged, rest: .sessionChanged, besides: ["Authorization: Bearer T"]),
        Field(
            name: "Bindery-Session", good: "I", other: "I", twice: .malformedHeader, joined: .sessionChanged,
            rest: .sessionChanged, besides: ["Authorization: Bearer T"]),
        Field(
            name: "Last-Event-ID", good: "k3Qm7w.1", other: "k3Qm7w.2", twice: .malformedHeader,
            joined: .malformedHeader, rest: .malformedHeader, path: "GET /changes"),
        Field(
            name: "Origin", good: "http://bindery.test", other: "http://evil.test", twice: .crossSite,
            joined: .crossSite, rest: .crossSite),
        Field(
            name: "Sec-Fetch-Site", good: "same-origin", other: "cross-site", twice: .crossSite, joined: .crossSite,
            rest: .crossSite),
        Field(
            name: "Host", good: "bindery.test", other: "evil.test", twice: .malformedHost, joined: .malformedHost,
            rest: .malformedHost),
        // The last is the nearest proxy's own word.
        Field(
            name: "X-Forwarded-Host", good: "bindery.test", other: "other.test", twice: .malformedHeader, joined: .none,
            rest: .malformedHeader),
        Field(
            name: "X-Forwarded-Proto", good: "https", other: "http", twice: .malformedHeader, joined: .none,
            rest: .malformedHeader),
    ]

    @Test("one that comes twice, or as two in one, is refused, whichever of them comes first", arguments: fields)
    func single(field: Field) async throws {
        try await withService {
            $0.trustedProxies = .loopback
        } _: { service in
            let begun = try await service.post("/sessions").json()
            let (id, token) = (try #require(begun["id"]?.string), try #require(begun["token"]?.string))
            let besides = field.besides.map { $0.replacing(/\bT\b/, with: token) }
            func expect(_ values: String..., isRefused refusal: Refusal) async throws {
                let lines = values.map { value in
                    "\(field.name): " + value.replacing(/\bT\b/, with: token).replacing(/\bI\b/, with: id)
                }
                try await self.expect(lines + besides, field.path, of: service, isRefused: refusal)
            }
            var counted = 0
            for (good, other) in [(field.good, field.other), (field.other, field.good)] {
                try await expect(good, other, isRefused: field.twice)
                try await expect("\(good), \(other)", isRefused: field.joined)
                counted += field.joined.problem == nil && field.path.contains("increment") ? 1 : 0
            }
            try await expect("\(field.good) \(field.other)", isRefused: field.rest)
            #expect(try await service.get("/counter").json()["text"] == .string("\(counted)"))
            #expect(try await service.get("/counter", "Authorization: Bearer \(token)").json()["text"] == "0")
        }
    }

    private func expect(
        _ lines: [String], _ path: String, of service: LiveService, isRefused refusal: Refusal
    ) async throws {
        let words = path.split(separator: " ").map(String.init)
        let body = lines.contains { $0.hasPrefix("Content-") } ? "{}" : nil
        let answer = try await service.ask(words[0], words[1], lines, body: body)
        guard let problem = refusal.problem else {
            #expect(answer.status < 300, "\(lines): \(answer.text)")
            return
        }
        #expect(answer.status == problem.status, "\(lines): \(answer.text)")
        #expect(try answer.json()["type"] == .string("/problems/\(problem.slug)"), "\(lines)")
    }
}
