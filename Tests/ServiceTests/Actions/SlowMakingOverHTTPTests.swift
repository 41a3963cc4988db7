import Samples
import Sessions
import TestSupport
import Testing
import ViewModels

@testable import Service

@Suite("A view model that is never made")
struct SlowMakingOverHTTPTests {
    /// The counter, whose initializer blocks where something was stored of it.
    private static func blocking(at barrier: Barrier) -> Catalogue {
        Catalogue([
            .hosting { (model: CounterViewModel.Model) in
                if model.count > 0 { barrier.pass() }
                return CounterViewModel(model: model)
            }
        ])
    }

    /// A store with a session that was acted on once.
    private func stored() async throws -> (MemoryStore, Known) {
        let (store, token) = (MemoryStore(), Known())
        try await withService(over: store) { service in
            token.value = try await service.begin()
            #expect(try await service.post("/counter/increment", token.bearer).status == 200)
        }
        return (store, token)
    }

    @Test(
        "is 503 session-busy for whoever waits and whoever comes, as openapi.yaml says; nothing was begun, and no bound reached"
    )
    func hung() async throws {
        let (store, token) = try await stored()
        let barrier = Barrier()
        defer { barrier.open() }
        try await withService(of: Self.blocking(at: barrier), over: store) { service in
            defer { barrier.open() }
            let first = try await service.connect()
            try await first.send("GET", "/counter", [token.bearer])
            try await barrier.arrivals()
            service.timeline.advance(by: .seconds(30))
            let waited = try await first.answer()
            try expect(waited, isProblem: "session-busy", 503)
            #expect(waited["Retry-After"] == "1")
            let others = [
                try await service.get("/counter", token.bearer), try await service.get("/session", token.bearer),
                try await service.get("/changes", token.bearer),
                try await service.post("/counter/increment", token.bearer, "Idempotency-Key: a"),
            ]
            for answer in others { try expect(answer, isProblem: "session-busy", 503) }
            let line = try JSONValue(Array(#require(await service.log.lines(of: waited).first).utf8))
            #expect(line["cause"] == "the session's view models take too long to be made, or others' do")
            #expect(!service.log.lines.contains { $0.contains("bound-reached") })
            barrier.open()
            #expect(await eventually { service.log.lines.contains { $0.contains("making-returned") } })
            let done = try await service.post("/counter/increment", token.bearer, "Idempotency-Key: a")
            #expect(done.status == 200)
            #expect(done["Idempotency-Replayed"] == nil)
            #expect(try done.json()["text"] == "2")
        }
    }
}

/// What one server tells the test, for the next.
private final class Known {
    var value = ""
    var bearer: String { "Authorization: Bearer \(value)" }
}
