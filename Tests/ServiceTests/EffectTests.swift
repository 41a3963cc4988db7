import Entities
import Events
import HTTP
import Samples
import TestSupport
import Testing
import ViewModels

@testable import Service

/// A bank that a test answers for, and the ids that it was asked with.
private struct Bank: Sendable {
    let ids = History<String>()
    let answer: @Sendable (Int) async throws -> String

    init(_ answer: @escaping @Sendable (Int) async throws -> String) { self.answer = answer }
}

private struct BankDown: Error {}

private struct Payment: ViewModel {
    struct Charge: Codable { var amount = 0 }

    var state = "open"

    static let interface = Interface<Payment>("payment") {
        Output("state", \.state)
        Effect(
            "charge", Self.charge, then: { $0.state = "paid \($1)" }, orElse: { payment, _ in payment.state = "failed" }
        ).attempts(3, timeout: .seconds(20))
        Effect("expire") { $0.state = "expired" }
        Action("pay", example: Charge(amount: 7)) { payment, charge, context in
            payment.state = "paying"
            context.effects.start("charge", charge, key: "charge")
            context.effects.cancel("expire")
        }
        Action("wait") { _, context in context.effects.start("expire", key: "expire", after: .seconds(60)) }
        Action("cancel") { payment, context in
            payment.state = "cancelled"
            context.effects.cancel("charge")
        }
        Action("misname") { payment, context in
            payment.state = "wrong"
            context.effects.start("refund", Charge())
        }
        Action("misuse") { payment, context in
            payment.state = "wrong"
            context.effects.start("charge", ["amount": "much"])
        }
        Action("note", example: "Ann") { _, name, context in
            for name in name.split(separator: ",").map(String.init) {
                context.effects.act(on: "desks/main", "add", name)
            }
        }
        Action("lose") { _, context in context.effects.act(on: "desks/main", "drop") }
    }

    @Sendable static func charge(_ charge: Charge, _ attempt: EffectAttempt<Bank>) async throws -> String {
        attempt.services.ids.append(attempt.id)
        return try await attempt.services.answer(attempt.number)
    }

    typealias Services = Bank
}

/// The payment as a build has it that knows no effects.
private struct OlderPayment: ViewModel {
    var state = "open"

    static let interface = Interface<OlderPayment>("payment") { Output("state", \.state) }
}

/// An entity that ends with an action.
private struct Job: ViewModel {
    var state = "open"

    static let interface = Interface<Job>("job") {
        Output("state", \.state)
        Effect("expire") { $0.state = "expired" }
        Action("open") { _, context in context.effects.start("expire", key: "expire", after: .seconds(60)) }.making()
        Action("close") { _, context in
            context.effects.cancel("expire")
            context.end()
        }
        Action("tell") { _, context in
            context.effects.act(on: "desks/main", "add", "Ann")
            context.end()
        }
    }
}

private struct Desk: ViewModel {
    var names: [String] = []

    static let interface = Interface<Desk>("desk") {
        Output("names", \.names)
        Action("add", example: "Ann") { desk, name in desk.names.append(name) }
        Action("drop") { _ in throw Refusal.disabled("The desk drops nothing.") }
    }
}

/// Protects that work outside happens if and only if its commit is stored, and that its result counts once.
@Suite("Effects")
struct EffectTests {
    private func run(
        _ bank: Bank, store: (any EntityStore)? = nil, timer: ManualTime = ManualTime(), isHeld: Bool = false,
        _ test: (TestServer, ManualTime) async throws -> Void,
        options change: (inout BinderyServer.Options) -> Void = { _ in }
    ) async throws {
        try await TestServer.run(
            [
                .hosting(Payment.self, with: bank), .hosting(Desk.self, at: "desks", keys: .listed("main")),
                .hosting(Job.self, at: "jobs", keys: .made),
            ],
            store: store, timer: timer,
            options: {
                $0.holdsEffects = isHeld
                change(&$0)
            }
        ) { try await test($0, timer) }
    }

    private func pay(_ server: TestServer) async throws {
        try await act("pay", on: server, body: #"{"amount":7}"#)
    }

    /// Waits until the payment comes to a state; the time goes on meanwhile.
    private func comes(
        _ state: String, on server: TestServer, _ time: ManualTime? = nil, at place: SourceLocation = #_sourceLocation
    ) async throws {
        let isThere = try await eventually {
            time?.pass(seconds: 1)
            return try await server.ask("GET", "/payment").string("state") == state
        }
        #expect(isThere, sourceLocation: place)
    }

    private func shows(
        _ state: String, on server: TestServer, at place: SourceLocation = #_sourceLocation
    ) async throws {
        let shown = try await server.ask("GET", "/payment").string("state")
        #expect(shown == state, sourceLocation: place)
    }

    /// An action that succeeds.
    private func act(_ action: String, on server: TestServer, body: String? = nil) async throws {
        let fields = body == nil ? [] : ["Content-Type: application/json"]
        let reply = try await server.ask("POST", "/payment/\(action)", fields, body: body)
        #expect(reply.status == 200)
    }

    @Test("Work begins after its commit, and a waiting client is told of the result")
    func works() async throws {
        let bank = Bank { number in "receipt \(number)" }
        try await run(bank) { server, _ in
            let cursor = try await server.ask("GET", "/changes").string("cursor")
            try await pay(server)
            try await comes("paid receipt 1", on: server)
            let told = try await server.ask("GET", "/changes?since=\(cursor)")
            #expect(told.text.contains(#""value":"paid receipt 1""#))
            #expect(bank.ids.all.count == 1)
        }
    }

    @Test("A failed attempt is repeated with the same id, three times; a refusal is final", arguments: [false, true])
    func fails(isRefused: Bool) async throws {
        let bank = Bank { _ in throw isRefused ? Refusal.disabled("No money.") as any Error : BankDown() }
        try await run(bank) { server, time in
            try await pay(server)
            try await comes("failed", on: server, time)
            #expect(bank.ids.all.count == (isRefused ? 1 : 3) && Set(bank.ids.all).count == 1)
            #expect(server.log.events.count { $0.kind.name == "effect-retried" } == (isRefused ? 0 : 2))
        }
    }

    @Test("An attempt that takes too long is given up")
    func timesOut() async throws {
        let bank = Bank { number in
            if number == 1 { try await Task.sleep(for: .seconds(3_600)) }
            return "second"
        }
        try await run(bank) { server, time in
            try await pay(server)
            try await comes("paid second", on: server, time)
            #expect(bank.ids.all.count == 2)
        }
    }

    @Test("Another process goes on where one has died")
    func diesInTheMiddle() async throws {
        let time = ManualTime()
        let store = MemoryStore(isShared: true) { time.now }
        // The first process never comes back from the bank.
        let first = Bank { _ in
            try await Task.sleep(for: .seconds(3_600))
            return ""
        }
        let second = Bank { number in "attempt \(number)" }
        try await run(first, store: store, timer: ManualTime()) { dead, _ in
            try await pay(dead)
            #expect(await eventually { first.ids.all.count == 1 })
            try await run(second, store: store, timer: time) { server, _ in
                try await comes("paid attempt 2", on: server, time)
                #expect(second.ids.all == first.ids.all)
            }
        }
    }

    @Test("A timer comes after its time, also if the server was down meanwhile")
    func timer() async throws {
        let (bank, time) = (Bank { _ in "" }, ManualTime())
        let store = MemoryStore { time.now }
        try await run(bank, store: store, timer: time) { server, _ in
            try await act("wait", on: server)
            time.pass(seconds: 30)
            try await shows("open", on: server)
        }
        time.advance(by: .seconds(600))
        try await run(bank, store: store, timer: time) { server, _ in
            try await comes("expired", on: server, time)
        }
    }

    @Test("A timer comes though its session has left memory")
    func evicted() async throws {
        try await run(Bank { _ in "" }) { server, time in
            try await act("wait", on: server)
            let registry = server.server.registry
            let isGone = await eventually {
                time.pass(seconds: 1)
                return registry.count == 0
            }
            #expect(isGone && time.now < .seconds(60))
            try await comes("expired", on: server, time)
        } options: {
            $0.sessions.timeInMemory = .seconds(5)
        }
    }

    @Test("An effect that a build does not know stays for one that does")
    func unknown() async throws {
        let (bank, time) = (Bank { _ in "" }, ManualTime())
        let store = MemoryStore { time.now }
        try await run(bank, store: store, timer: time) { server, _ in try await act("wait", on: server) }
        try await TestServer.run([.hosting(OlderPayment.self)], store: store, timer: time) { server in
            time.pass(seconds: 90)
            let isTold = await eventually { server.log.events.contains { $0.kind.name == "effect-unknown" } }
            #expect(isTold)
            try await shows("open", on: server)
        }
        try await run(bank, store: store, timer: time) { server, _ in try await comes("expired", on: server, time) }
    }

    @Test("What is cancelled leaves nothing")
    func cancels() async throws {
        let (asked, answer) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
        let bank = Bank { _ in
            asked.continuation.finish()
            for await _ in answer.stream {}
            return "late"
        }
        try await run(bank) { server, time in
            try await act("wait", on: server)
            try await pay(server)
            for await _ in asked.stream {}
            try await act("cancel", on: server)
            answer.continuation.finish()
            #expect(await eventually { server.server.service.environment.effects.runningCount == 0 })
            time.pass(seconds: 120)
            try await shows("cancelled", on: server)
        }
    }

    @Test("A stop waits for the result of work that runs")
    func stops() async throws {
        let (asked, answer) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
        let bank = Bank { _ in
            asked.continuation.finish()
            for await _ in answer.stream {}
            return "in time"
        }
        let time = ManualTime()
        let store = MemoryStore { time.now }
        try await run(bank, store: store, timer: time) { server, _ in
            try await pay(server)
            for await _ in asked.stream {}
            async let stopped: Void = server.server.stop()
            // Nothing but the work keeps the server from its end.
            let isHeld = await eventually { server.server.service.environment.effects.isHeld }
            #expect(isHeld)
            answer.continuation.finish()
            await stopped
        }
        try await run(bank, store: store, timer: time) { server, _ in try await shows("paid in time", on: server) }
    }

    @Test("A server that holds effects starts none, and another one does")
    func holds() async throws {
        let (bank, time) = (Bank { _ in "later" }, ManualTime())
        let store = MemoryStore { time.now }
        try await run(bank, store: store, timer: time, isHeld: true) { server, _ in
            try await pay(server)
            time.pass(seconds: 60)
            #expect(bank.ids.all.isEmpty)
        }
        try await run(bank, store: store, timer: time) { server, _ in
            try await comes("paid later", on: server, time)
        }
    }

    @Test(
        "An action that starts an effect in a wrong way fails, changes nothing, and the log says why",
        arguments: ["misname", "misuse"])
    func misuses(action: String) async throws {
        try await run(Bank { _ in "" }) { server, _ in
            #expect(try await server.ask("POST", "/payment/\(action)").status == 500)
            #expect(server.log.entries.contains { $0.cause?.contains("effect") == true })
            try await shows("open", on: server)
        }
    }

    @Test("Actions on another entity are done in their order")
    func actsInOrder() async throws {
        try await run(Bank { _ in "" }) { server, _ in
            let names = (1...9).map(String.init).joined(separator: ",")
            try await act("note", on: server, body: "\"\(names)\"")
            let shown = "{\"names\":[\"\(names.replacing(",", with: "\",\""))\"]}"
            let isThere = try await eventually { try await server.ask("GET", "/desks/main").text == shown }
            #expect(isThere)
        }
    }

    @Test("An action that ends its entity cancels effects, and starts none")
    func ends() async throws {
        try await run(Bank { _ in "" }) { server, _ in
            var statuses: [Int] = []
            for action in ["open", "tell", "close", "close"] {
                statuses.append(try await server.ask("POST", "/jobs/a/\(action)").status)
            }
            #expect(statuses == [200, 500, 200, 404])
        }
    }

    @Test("A timer does not keep a session that nobody uses")
    func noUse() async throws {
        let time = ManualTime()
        let store = MemoryStore { time.now }
        try await run(Bank { _ in "" }, store: store, timer: time) { server, _ in
            let token = try await server.begin()
            _ = try await server.ask("POST", "/payment/wait", token)
            time.pass(seconds: 850)
            let isGone = await eventually {
                time.pass(seconds: 1)
                return server.server.registry.count == 0
            }
            #expect(isGone)
            time.pass(seconds: 120)
            #expect(try await server.ask("GET", "/payment", token).status == 401)
        } options: {
            $0.sessions.timeToLive = .seconds(900)
        }
    }

    @Test("An action on another entity is done once")
    func acts() async throws {
        try await run(Bank { _ in "" }) { server, _ in
            try await act("note", on: server, body: #""Ann""#)
            #expect(try await eventually { try await server.ask("GET", "/desks/main").text == #"{"names":["Ann"]}"# })
            // The same effect again, as after a crash between the action and its acknowledgement.
            let effect = StoredEffect(
                id: "e", part: "payment", name: StoredEffect.act(on: "desks/main"),
                input: #"{"entity":"desks/main","action":"add","body":"\"Bob\""}"#, due: 0)
            for _ in 0..<2 { try await server.server.service.act(effect, of: .publicSession) }
            #expect(try await server.ask("GET", "/desks/main").text == #"{"names":["Ann","Bob"]}"#)
        }
    }

    @Test("An action that another entity refuses is in the log")
    func refusedAct() async throws {
        try await run(Bank { _ in "" }) { server, _ in
            try await act("lose", on: server)
            #expect(await eventually { server.log.events.contains { $0.kind.name == "effect-failed" } })
        }
    }
}
