import Binding
import Foundation
import Samples
import Sessions
import TestSupport
import Testing
import ViewModels

@testable import Service

/// Shows a number that is no number once it was asked to, and fails in other ways.
private final class Faulty: ViewModel {
    struct Model: StoredModel { var isSpoilt = false }
    struct Trouble: Error {}

    static let interface = Interface<Faulty>("faulty") {
        Output("ratio", \.ratio)
        Action("spoil", Faulty.spoil)
        Action("fail", Faulty.fail)
        Action("lose", Faulty.lose)
        Action("overflow", Faulty.overflow)
    }

    func spoil() { model.isSpoilt = true }
    func fail() throws { throw Trouble() }
    func lose() throws { throw CocoaError(.fileNoSuchFile) }
    func overflow() throws { throw POSIXError(.ENOSPC) }

    var ratio: Double { model.isSpoilt ? .nan : 0 }
    private(set) var model: Model
    init(model: Model) { self.model = model }
}

@Suite("The cause of an answer of 5xx")
struct CauseTests {
    private static let catalogue = Catalogue([.hosting(Faulty.init(model:))])

    /// What the log says of an answer.
    private func line(_ answer: ReceivedResponse, _ service: LiveService) async throws -> JSONValue {
        try JSONValue(Array(#require(await service.log.lines(of: answer).first).utf8))
    }

    @Test("names the output that cannot be encoded")
    func output() async throws {
        try await withService(of: Self.catalogue) { service in
            let answer = try await service.post("/faulty/spoil")
            try expect(answer, isProblem: "internal-error", 500)
            #expect(
                try await line(answer, service)["cause"]
                    == "faulty: the output ratio cannot be encoded (Swift.EncodingError)")
            #expect(try await service.get("/faulty").text == #"{"ratio":0}"#)
        }
    }

    @Test(
        "has the code of an error of Foundation's",
        arguments: [("lose", "(NSCocoaErrorDomain 4)"), ("overflow", "(NSPOSIXErrorDomain 28)")])
    func code(action: String, code: String) async throws {
        try await withService(of: Self.catalogue) { service in
            let answer = try await service.post("/faulty/\(action)")
            try expect(answer, isProblem: "internal-error", 500)
            #expect(try await line(answer, service)["cause"]?.string?.hasSuffix(code) == true)
        }
    }

    @Test("says of a store that does not answer whether the action may be stored")
    func store() async throws {
        try await withService(of: .samples, over: MemoryStore(isShared: true)) { service in
            let token = "Authorization: Bearer \(try await service.begin())"
            for (call, step, cause): (ScriptedStore.Call, ScriptedStore.Step, Unavailability) in [
                (.commit, .loseTheAnswer, .inDoubt), (.commit, .refuse, .notSent), (.load, .refuse, .notRead),
            ] {
                service.store.next(call, step)
                let answer = try await service.post("/counter/increment", token)
                try expect(answer, isProblem: "store-unavailable", 503)
                #expect(try await line(answer, service)["cause"] == .string(cause.rawValue))
            }
            #expect(try await service.get("/counter", token).json()["text"] == "1")
        }
    }

    @Test("says of a session that may have been begun that nobody knows")
    func begun() async throws {
        try await withService(of: .samples) { service in
            for (step, cause): (ScriptedStore.Step, Unavailability) in [
                (.loseTheAnswer, .inDoubt), (.refuse, .notSent),
            ] {
                service.store.next(.commit, step)
                let answer = try await service.post("/sessions")
                try expect(answer, isProblem: "store-unavailable", 503)
                #expect(try await line(answer, service)["cause"] == .string(cause.rawValue))
            }
        }
    }

    @Test("says what is stored that cannot be read, which no later try will")
    func damage() async throws {
        try await withService(of: Self.catalogue) { service in
            let token = "Authorization: Bearer \(try await service.begin())"
            service.timeline.advance(by: .seconds(120))
            await service.server.registry.evictIdle()
            service.store.next(.load, .findDamage("the outputs of faulty"))
            let answer = try await service.get("/faulty", token)
            try expect(answer, isProblem: "session-unreadable", 500)
            #expect(answer["Retry-After"] == nil)
            #expect(try await line(answer, service)["cause"] == "the outputs of faulty")
            #expect(!answer.text.contains("outputs of"))
            #expect(try await service.get("/faulty", token).status == 200)
            // Also to whoever acts, where it is found when the action is to be stored.
            service.store.next(.commit, .findDamage("the outputs of faulty"))
            let action = try await service.post("/sessions")
            try expect(action, isProblem: "session-unreadable", 500)
        }
    }

    @Test("is told of a replay, too")
    func replay() async throws {
        try await withService(of: Self.catalogue) { service in
            let first = try await service.post("/faulty/fail", "Idempotency-Key: a")
            #expect(try await line(first, service)["cause"]?.string?.hasSuffix("Faulty.Trouble") == true)
            let again = try await service.post("/faulty/fail", "Idempotency-Key: a")
            #expect(again.status == 500)
            #expect(again["Idempotency-Replayed"] == "true")
            let said = try await line(again, service)
            #expect(said["problem"] == "internal-error")
            #expect(said["cause"] == "kept under the Idempotency-Key of an action that failed before")
        }
    }

    @Test("is told of a probe that is refused, and of a change while the server drains")
    func draining() async throws {
        try await withService(of: Self.catalogue) { service in
            service.server.service.drain()
            for answer in [try await service.get("/readyz"), try await service.post("/faulty/spoil")] {
                try expect(answer, isProblem: "draining", 503)
                #expect(try await line(answer, service)["cause"] == "The server is about to stop")
            }
        }
    }
}
