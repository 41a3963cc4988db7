import Testing
import WebFiles

@Suite("A file for browsers")
struct WebFileTests {
    @Test("is sent as it stands in the sources, and known again by its tag", arguments: WebFile.modules.map(\.path))
    func file(path: String) async throws {
        let file = try #require(WebFile.modules.first { $0.path == path })
        try await withService { service in
            let answer = try await service.get(path)
            #expect(answer.status == 200)
            #expect(answer.body == file.bytes)
            #expect(answer["Content-Type"] == file.mediaType)
            #expect(answer["X-Content-Type-Options"] == "nosniff")
            // Asked for each time, so that a page never runs another build's script.
            #expect(answer["Cache-Control"] == "no-cache")
            let tag = try #require(answer["ETag"])
            let known = try await service.get(path, "If-None-Match: \(tag)")
            #expect(known.status == 304)
            #expect(known.body.isEmpty)
            #expect(known["ETag"] == tag)
            #expect(try await service.get(path, "If-None-Match: \"other\"").status == 200)
        }
    }
}
