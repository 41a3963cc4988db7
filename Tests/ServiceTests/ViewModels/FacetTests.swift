import Samples
import TestSupport
import Testing
import ViewModels

@Suite("A facet over HTTP")
struct FacetTests {
    @Test("it shows its outputs alone, under a tag of its own")
    func read() async throws {
        try await withService(of: .samples) { service in
            let before = try await service.get("/profile/card")
            #expect(before.text == #"{"paramB":""}"#)
            #expect(before["Cache-Control"] == "no-store")
            let tag = try #require(before["ETag"])
            _ = try await service.post("/profile/load", json: #"{"paramA":7}"#)
            #expect(try await service.get("/profile/card", "If-None-Match: \(tag)").status == 304)
            #expect(try await service.get("/profile", "If-None-Match: \(tag)").status == 200)
            _ = try await service.post("/profile/load", json: #"{"paramB":"seven"}"#)
            let after = try await service.get("/profile/card", "If-None-Match: \(tag)")
            #expect(after.text == #"{"paramB":"seven"}"#)
            #expect(try await service.get("/profile").text == #"{"paramA":7,"paramB":"seven"}"#)
        }
    }

    @Test("a poll on its topic is not woken by what it does not show")
    func topic() async throws {
        try await withService(of: .samples) { service in
            let start = try await service.cursor()
            let waiting = try await service.poll("since=\(start)&topics=profile/card")
            await service.waits(1)
            _ = try await service.post("/profile/load", json: #"{"paramA":7}"#)
            #expect(service.waiting() == 1)
            _ = try await service.post("/profile/load", json: #"{"paramB":"seven"}"#)
            #expect(try await waiting.answer().changes() == ["profile.paramB=seven@2"])
        }
    }
}
