import TestSupport

@testable import Entities

/// A core whose orders a test carries out by hand, apart from synchronous actions, which run at once.
final class CoreBench {
    var core: EntityCore
    let host: Counters
    let kind: EntityKind
    let answers = History<String>()
    private(set) var published: [Publication] = []
    /// Orders that wait for the test.
    private(set) var commits: [(number: UInt64, commit: Commit)] = []
    private(set) var loads: [UInt64] = []
    private(set) var looks: [UInt64] = []
    private(set) var lookUps: [UInt64] = []
    /// The attempts that the core has ordered.
    private(set) var performed: [String] = []
    /// The bases of the ends that were ordered.
    private(set) var ends: [Stamp?] = []
    var slow: [(number: UInt64, call: Call, state: EntityState)] = []

    init(
        isShared: Bool = false, id: EntityID = .publicSession, host: Counters = Counters(),
        _ adjust: (inout EntityCore.Limits) -> Void = { _ in }
    ) {
        var limits = EntityCore.Limits()
        adjust(&limits)
        self.host = host
        kind = EntityKind(host)
        let state = id.expires ? EntityState.new(kind["en"]) : EntityState(initial: kind["en"])
        core = EntityCore(id, state: state, isShared: isShared, existsByName: id == .publicSession, limits: limits)
    }

    func handle(_ event: Event) {
        var events = [event]
        while !events.isEmpty {
            for order in core.handle(events.removeFirst()) {
                switch order {
                case .run(let number, let ask, let state):
                    switch ask.kind {
                    case .action(let call) where call.isSlow: slow.append((number, call, state))
                    case .action(let call):
                        events.append(.ran(number, Result { () throws(ActionError) in try host.run(call, on: state) }))
                    case .language(let initial): events.append(.ran(number, .success(state.changes(to: initial))))
                    case .effect: events.append(.ran(number, .success(Changes())))
                    case .view, .end: break
                    }
                case .submit(let number, let commit):
                    commits.append((number, commit))
                    if commit.isEnd { ends.append(commit.base) }
                case .load(let number): loads.append(number)
                case .checkHead(let number): looks.append(number)
                case .lookUp(let number, _): lookUps.append(number)
                case .perform(let effect): performed.append("\(effect.id) \(effect.attempts)")
                case .publish(let publication): published.append(publication)
                case .answer(let ask, let outcome): ask.answer(outcome)
                }
            }
        }
    }

    // MARK: What clients ask

    func act(
        _ call: Call, key: AskKey? = nil, match: [Stamp]? = nil, as name: String = "act"
    ) {
        handle(.ask(Ask(.action(call), key: key, match: match) { [answers] in answers.append("\(name): \($0.words)") }))
    }

    func take(_ step: EffectStep, as name: String = "step") {
        handle(.ask(Ask(.effect(step)) { [answers] in answers.append("\(name): \($0.words)") }))
    }

    func view() { handle(.ask(Ask(.view) { [answers] in answers.append("view: \($0.words)") })) }

    func end() { handle(.ask(Ask(.end) { [answers] in answers.append("end: \($0.words)") })) }

    func change(to language: String) {
        handle(.ask(Ask(.language(kind[language])) { [answers] in answers.append("language: \($0.words)") }))
    }

    // MARK: What the store says

    func answerCommit(_ result: CommitResult) { handle(.committed(commits.removeFirst().number, result)) }

    /// Loads what another process may have stored.
    func answerLoad(_ state: EntityState) {
        let row = state.row(core.id)
        handle(.loaded(loads.removeFirst(), .found(EntityState(row, of: kind))))
    }

    func answerLoad(_ result: ReadResult<EntityState>) { handle(.loaded(loads.removeFirst(), result)) }

    func answerLook(_ result: ReadResult<Stamp>) { handle(.head(looks.removeFirst(), result)) }

    func answerLookUp(_ result: KeyResult = .missing(count: 0)) { handle(.lookedUp(lookUps.removeFirst(), result)) }

    func finishSlow() {
        let (number, call, state) = slow.removeFirst()
        handle(.ran(number, Result { () throws(ActionError) in try host.run(call, on: state) }))
    }

    /// The state that another process makes of one that is stored.
    func foreign(_ base: EntityState, _ action: Counters.Action = .increment, on part: String = "counter")
        -> EntityState
    {
        guard let changes = try? host.run(.inline(action, on: part), on: base) else { return base }
        return base.applying(changes)
    }
}
