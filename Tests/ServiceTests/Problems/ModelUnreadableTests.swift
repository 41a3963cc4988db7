import Samples
import Sessions
import TestSupport
import Testing
import ViewModels

/// Another build's counter, whose count is text.
private final class WordCounter: ViewModel {
    struct Model: StoredModel { var count = "no secret" }

    static let interface = Interface<WordCounter>("counter") {
        Output("text", \.count)
        Action("increment", WordCounter.increment)
        Action("fail", WordCounter.fail)
    }

    struct Failure: Error {}

    func increment() { model.count += "!" }
    func fail() throws { throw Failure() }
    var count: String { model.count }
    private(set) var model: Model
    init(model: Model) { self.model = model }
}

@Suite("A stored model that cannot be read")
struct ModelUnreadableTests {
    private static let earlier = Catalogue([.hosting(WordCounter.init(model:)), Catalogue.samples.viewModels[4]])
    private static let present = Catalogue([Catalogue.samples.viewModels[0], Catalogue.samples.viewModels[4]])

    @Test("is a problem of that view model for reads, actions, polls and streams; the others are served")
    func problem() async throws {
        let store = MemoryStore()
        var token = ""
        try await withService(of: Self.earlier, over: store) { service in
            token = "Authorization: Bearer \(try await service.begin())"
            #expect(try await service.post("/counter/increment", token).status == 200)
        }
        try await withService(of: Self.present, over: store) { service in
            for answer in [
                try await service.get("/counter", token), try await service.post("/counter/increment", token),
                try await service.get("/changes?wait=0", token), try await service.get("/session", token),
                try await service.get("/changes?topics=counter", token, "Accept: text/event-stream"),
            ] {
                try expect(answer, isProblem: "model-unreadable", 500)
                #expect(try answer.json()["viewModel"] == "counter")
                #expect(!answer.text.contains("secret"))
                let lines = await service.log.lines(of: answer)
                #expect(lines.count == 1)
                let cause = "\"cause\":\"counter: the member count has a value that this build does not read\"}"
                #expect(lines.first?.hasSuffix(cause) == true, "\(lines)")
            }
            #expect(try await service.get("/profile", token).status == 200)
            #expect(try await service.post("/profile/load", json: #"{"paramA":7}"#, token).status == 200)
            #expect(try await service.get("/changes?wait=0&topics=profile", token).status == 200)
            // Another session has nothing stored.
            #expect(try await service.get("/counter").json()["text"] == "0")
        }
    }

    @Test("an action that fails leaves the kind of its error in the log, and the others leave none")
    func cause() async throws {
        try await withService(of: Self.earlier) { service in
            try expect(try await service.post("/counter/fail"), isProblem: "internal-error", 500)
            _ = try await service.get("/counter")
            // Two connections' lines may change places.
            let lines = await service.log.lines(count: 2)
            let failed = try #require(lines.first { $0.contains("/counter/fail") })
            #expect(failed.contains("\"cause\":\"ServiceTests."))
            #expect(failed.contains("WordCounter.Failure\"}"))
            #expect(lines.count { $0.contains("cause") } == 1)
        }
    }

    @Test("an action that fails under a key says that the key is used up, and without one speaks of none")
    func failureUnderKey() async throws {
        try await withService(of: Self.earlier) { service in
            let without = try await service.post("/counter/fail").json()["detail"]?.string
            #expect(without?.contains("Idempotency-Key") == false)
            let first = try await service.post("/counter/fail", "Idempotency-Key: 7")
            try expect(first, isProblem: "internal-error", 500)
            let detail = try first.json()["detail"]?.string
            #expect(detail?.contains("Its Idempotency-Key stands for this answer") == true)
            #expect(detail?.contains("Try again") == false)
            let replay = try await service.post("/counter/fail", "Idempotency-Key: 7")
            #expect(replay.text == first.text)
        }
    }

    @Test("a line in columns ends with the cause, too")
    func text() async throws {
        try await withService(of: Self.earlier, log: .text) { service in
            _ = try await service.post("/counter/fail")
            #expect(await service.log.lines(count: 1).first?.hasSuffix("WordCounter.Failure\"") == true)
        }
    }
}
