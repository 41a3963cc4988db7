import Testing

@testable import Entities

/// Protects that an effect runs after its commit, and that its result counts once.
@Suite("An effect")
struct CoreEffectTests {
    private func effect(_ id: String, key: String? = nil, attempts: Int = 1) -> StoredEffect {
        StoredEffect(id: id, part: "counter", name: "charge", key: key, input: "{}", attempts: attempts, due: 9)
    }

    /// An action that takes the result of an effect.
    private func result(of effect: StoredEffect, _ action: Counters.Action = .increment) -> Call {
        Call(part: "counter", step: EffectStep(effect, ifAttempt: nil, to: nil), body: action)
    }

    @Test("runs once its commit is stored, and not before")
    func afterCommit() {
        let bench = CoreBench()
        bench.act(.inline(.with(.start(effect("e"), after: nil))))
        #expect(bench.performed.isEmpty && bench.commits.first?.commit.row.due == 9)
        bench.answerCommit(.stored)
        #expect(bench.performed == ["e 1"])
    }

    @Test("does not run if its commit fails, or if nobody has taken it")
    func notRun() {
        let bench = CoreBench()
        bench.act(.inline(.with(.start(effect("e"), after: nil))))
        bench.answerCommit(.refused)
        #expect(bench.performed.isEmpty)
        bench.answerLoad(.missing)
        bench.act(.inline(.with(.start(effect("t", attempts: 0), after: .seconds(9)))))
        bench.answerCommit(.stored)
        #expect(bench.performed.isEmpty && bench.core.committed.effects.map(\.id) == ["t"])
    }

    @Test("leaves a result once, also if two processes bring it")
    func once() {
        let bench = CoreBench()
        bench.act(.inline(.with(.start(effect("e"), after: nil))))
        bench.answerCommit(.stored)
        bench.act(result(of: effect("e")), as: "first")
        bench.act(result(of: effect("e")), as: "second")
        bench.answerCommit(.stored)
        #expect(bench.answers.all.suffix(2) == ["second: missing", "first: done \"en 2\""])
        #expect(bench.core.committed.effects.isEmpty && bench.core.committed.row(.publicSession).due == nil)
    }

    @Test("leaves no result once it is cancelled or replaced")
    func cancelled() {
        let bench = CoreBench()
        bench.act(.inline(.with(.start(effect("a", key: "k"), after: nil))))
        bench.act(.inline(.with(.start(effect("b", key: "k"), after: nil))))
        bench.answerCommit(.stored)
        bench.answerCommit(.stored)
        bench.act(result(of: effect("a")), as: "a")
        #expect(bench.answers.all.last == "a: missing")
        bench.act(.inline(.with(.cancel(part: "counter", key: "k"))))
        bench.answerCommit(.stored)
        bench.act(result(of: effect("b")), as: "b")
        #expect(bench.answers.all.last == "b: missing" && bench.core.committed.text() == "\"en 3\"")
    }

    @Test("counts each attempt by a commit before it begins")
    func attempts() {
        let bench = CoreBench()
        bench.act(.inline(.with(.start(effect("e", attempts: 0), after: .seconds(9)))))
        bench.answerCommit(.stored)
        let old = effect("e", attempts: 0)
        let step = EffectStep(old, ifAttempt: 0, to: old.with(attempts: 1, due: .milliseconds(50)))
        bench.take(step, as: "take")
        bench.take(step, as: "again")
        #expect(bench.performed.isEmpty && bench.commits.count == 1)
        bench.answerCommit(.stored)
        #expect(bench.performed == ["e 1"] && bench.answers.all.contains("again: missing"))
        bench.take(EffectStep(old, ifAttempt: 1, to: old.with(attempts: 1, due: .milliseconds(70))))
        bench.answerCommit(.stored)
        #expect(bench.core.committed.effects.map(\.due) == [70] && bench.core.committed.effects.map(\.attempts) == [1])
    }

    @Test("is not due while an act on the same entity before it is not over")
    func actsInOrder() {
        func act(_ id: String, on entity: String, attempts: Int = 0, due: Int64) -> EffectChange {
            let name = StoredEffect.act(on: entity)
            let act = StoredEffect(id: id, part: "counter", name: name, input: "", attempts: attempts, due: due)
            return .start(act, after: nil)
        }
        let bench = CoreBench()
        bench.act(
            .inline(.with(act("a", on: "desks/main", attempts: 1, due: 15), act("b", on: "desks/main", due: 1))))
        #expect(bench.commits.last?.commit.row.due == 15)
        bench.act(.inline(.with(act("c", on: "desks/side", due: 3))))
        #expect(bench.commits.last?.commit.row.due == 3)
    }

    @Test("is refused beyond the limit, and its action leaves nothing")
    func limit() {
        let bench = CoreBench { $0.effects = 1 }
        bench.act(.inline(.with(.start(effect("a"), after: nil), .start(effect("b"), after: nil))))
        #expect(bench.answers.all == ["act: tooManyEffects"] && bench.commits.isEmpty)
    }

    @Test("ends with its entity")
    func ended() {
        let bench = CoreBench(id: .session("s"))
        bench.act(.inline(.with(.start(effect("e"), after: nil))))
        bench.answerCommit(.stored)
        bench.end()
        bench.answerCommit(.stored)
        bench.act(result(of: effect("e")), as: "result")
        #expect(bench.answers.all.last == "result: ended")
    }
}
