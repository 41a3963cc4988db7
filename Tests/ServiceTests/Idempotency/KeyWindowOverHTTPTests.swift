import Foundation
import SQLiteStore
import Service
import TestSupport
import Testing

@testable import Sessions

@Suite("Idempotency-Key: for how long, and how many")
struct KeyWindowOverHTTPTests {
    /// Serves over a file whose store goes by the test's clock, until the test is over, and lets go of the file.
    private func withServer(
        over directory: String, by timeline: ManualTimeline = ManualTimeline(), keys: Int = 10_000,
        _ test: (LiveService) async throws -> Void
    ) async throws {
        let store = try SQLiteStore(
            path: directory + "/bindery.db", now: { TimeOfDay(secondsSince1970: timeline.secondsSince1970) })
        do {
            try await withService(over: store, timeline: timeline) {
                $0.sessions.keysPerSession = keys
            } _: { service async throws in
                try await test(service)
            }
        } catch {
            await store.close()
            throw error
        }
        await store.close()
    }

    private func isReplay(_ service: LiveService, _ headers: String...) async throws -> Bool {
        let answer = try await service.ask("POST", "/counter/increment", headers)
        #expect(answer.status == 200)
        return answer["Idempotency-Replayed"] == "true"
    }

    @Test("an outcome is told again after 64 others, after 59 minutes and a restart, and not after 61 minutes")
    func hour() async throws {
        try await withTemporaryDirectory { directory async throws in
            let timeline = ManualTimeline()
            let bearer = Known()
            try await withServer(over: directory, by: timeline) { service async throws in
                bearer.header = "Authorization: Bearer \(try await service.begin())"
                #expect(try await isReplay(service, bearer.header, "Idempotency-Key: a") == false)
                for number in 0..<64 {
                    #expect(try await isReplay(service, bearer.header, "Idempotency-Key: \(number)") == false)
                }
                #expect(try await isReplay(service, bearer.header, "Idempotency-Key: a"))
            }
            timeline.advance(by: .seconds(59 * 60))
            try await withServer(over: directory, by: timeline) { service async throws in
                #expect(try await isReplay(service, bearer.header, "Idempotency-Key: a"))
                await service.forgetOutcomes()
                #expect(try await isReplay(service, bearer.header, "Idempotency-Key: a"))
                timeline.advance(by: .seconds(2 * 60))
                #expect(try await isReplay(service, bearer.header, "Idempotency-Key: a") == false)
                #expect(try await service.get("/counter", bearer.header).json()["text"] == "66")
            }
        }
    }

    @Test("in the public session it is told again for ten minutes")
    func publicSession() async throws {
        try await withTemporaryDirectory { directory async throws in
            try await withServer(over: directory) { service async throws in
                #expect(try await isReplay(service, "Idempotency-Key: a") == false)
                service.timeline.advance(by: .seconds(9 * 60 + 59))
                #expect(try await isReplay(service, "Idempotency-Key: a"))
                service.timeline.advance(by: .seconds(1))
                #expect(try await isReplay(service, "Idempotency-Key: a") == false)
            }
        }
    }

    @Test("a session that has as many keys as it may is 429 for another, and the log is told; none is forgotten early")
    func full() async throws {
        try await withTemporaryDirectory { directory async throws in
            try await withServer(over: directory, keys: 3) { service async throws in
                for key in ["a", "b", "c"] { #expect(try await isReplay(service, "Idempotency-Key: \(key)") == false) }
                let answer = try await service.post("/counter/increment", "Idempotency-Key: d")
                try expect(answer, isProblem: "too-many-keys", 429)
                #expect(answer["Retry-After"] == "10")
                for key in ["a", "b", "c"] { #expect(try await isReplay(service, "Idempotency-Key: \(key)")) }
                #expect(try await service.post("/counter/increment").status == 200)
                #expect(try await service.get("/counter").json()["text"] == "4")
                let isTold = await eventually {
                    service.log.lines.contains { $0.contains(#""bound":"max-keys""#) && $0.contains(#""limit":3"#) }
                }
                #expect(isTold)
                service.timeline.advance(by: .seconds(600))
                #expect(try await isReplay(service, "Idempotency-Key: d") == false)
            }
        }
    }

    @Test("where the store does not answer for the key, it is 503 and nothing is begun")
    func away() async throws {
        try await withTemporaryDirectory { directory async throws in
            try await withServer(over: directory) { service async throws in
                #expect(try await isReplay(service, "Idempotency-Key: a") == false)
                service.store.next(.look, .refuse)
                let answer = try await service.post("/counter/increment", "Idempotency-Key: b")
                try expect(answer, isProblem: "store-unavailable", 503)
                #expect(try await service.get("/counter").json()["text"] == "1")
            }
        }
    }

    @Test("whoever steals the file finds neither token nor key in it, nor what a password can be tried against")
    func stolen() async throws {
        try await withTemporaryDirectory { directory async throws in
            let token = Known()
            let (key, body) = ("order-7-of-himitsu", #"{"id":"i","password":"himitsu-7f3a"}"#)
            try await withServer(over: directory) { service async throws in
                token.header = try await service.begin()
                let answer = try await service.post(
                    "/login/validate", json: body, "Authorization: Bearer \(token.header)", "Idempotency-Key: \(key)")
                #expect(answer.status == 200)
                _ = try await service.post("/login/validate", json: body, "Idempotency-Key: \(key)")
            }
            let file = try Data(contentsOf: URL(fileURLWithPath: directory + "/bindery.db"))
            // What a build stored whose fingerprints were plain: a guess at the password could be checked.
            let text = Array("/login/validate\0\(body)".utf8)
            let (digest, hex) = (Data(SHA256.digest(of: text)), Data(SHA256.hexDigest(of: text).utf8))
            for secret in [Data(token.header.utf8), Data(key.utf8), Data("himitsu-7f3a".utf8), digest, hex] {
                #expect(file.range(of: secret) == nil)
            }
        }
    }
}

/// What a test knows from one server to the next.
private final class Known {
    var header = ""
}
