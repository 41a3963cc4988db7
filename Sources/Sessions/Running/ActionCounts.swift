internal import Events
import Locking
import ViewModels

/// What became of actions, and which of them run off the event loops this moment.
final class ActionCounts: Sendable {
    /// What became of an action, as a label of the metrics names it; what is kept under a key is an outcome.
    enum Label: Int, CaseIterable, Sendable {
        case done, replayed, disabled, malformed, failed
        case timedOut, precondition, refused, unavailable, calledOff

        /// As the metrics have it.
        var name: String {
            switch self {
            case .timedOut: "timeout"
            case .calledOff: "called-off"
            default: "\(self)"
            }
        }
    }

    private final class Action: Sendable {
        let counts = Lock([Int](repeating: 0, count: Label.allCases.count))
    }

    private let actions: [[Action]]
    private let running = Lock<[ObjectIdentifier: Duration]>([:])

    init(_ catalogue: Catalogue) { actions = catalogue.viewModels.map { $0.actions.map { _ in Action() } } }

    /// Notes that an action was answered.
    func note(_ id: ActionID, _ result: Result<ActionResult, any Error>) {
        let label = Self.label(of: result)
        actions[id.viewModel][id.action].counts.withLock { $0[label.rawValue] += 1 }
    }

    /// Notes that an action began at a time, off the event loops.
    func begin(_ run: TimedRun, at time: Duration) { running.withLock { $0[ObjectIdentifier(run)] = time } }

    /// Notes that it has returned, or did not begin.
    func end(_ run: TimedRun) { _ = running.withLock { $0.removeValue(forKey: ObjectIdentifier(run)) } }

    private static func label(of result: Result<ActionResult, any Error>) -> Label {
        switch result {
        case .success(.done): .done
        case .success(.remembered(_, isReplay: true)): .replayed
        case .success(.remembered(let outcome, isReplay: false)):
            outcome.status < 400 ? .done : outcome.status < 500 ? .disabled : .failed
        case .failure(let failure as SessionFailure):
            switch failure {
            case .refused(let refusal, _): refusal.kind.isOfBody ? .malformed : .disabled
            case .timedOut: .timedOut
            case .preconditionFailed: .precondition
            case .tooManyActions, .lineFull, .tooManyKeys, .tooManyKeyBytes, .busy, .notMade, .keyOfAnotherRequest:
                .refused
            case .unavailable, .evicted, .ended, .outOfMemory: .unavailable
            case .unreadable, .damaged: .failed
            }
        case .failure(is CancellationError): .calledOff
        case .failure: .failed
        }
    }

    /// - Parameter now: the time by which the oldest is as old as it is.
    func measures(_ catalogue: Catalogue, at now: Duration) -> [Measure] {
        var samples: [Measure.Sample] = []
        for (declaration, actions) in zip(catalogue.viewModels, actions) {
            for (action, counts) in zip(declaration.actions, actions) {
                for (label, count) in zip(Label.allCases, counts.counts.withLock { $0 }) where count > 0 {
                    let labels = [
                        Measure.Label("view_model", declaration.name.rawValue),
                        Measure.Label("action", action.name.rawValue), Measure.Label("outcome", label.name),
                    ]
                    samples.append(Measure.Sample(labels, Double(count)))
                }
            }
        }
        let running = running.withLock { Array($0.values) }
        return [
            Measure(.counter, "bindery_actions_total", "Actions that were answered, by what became of them.", samples),
            Measure(
                .gauge, "bindery_actions_running", "Actions that run off the event loops, the hung ones among them.",
                running.count),
            Measure(
                .gauge, "bindery_oldest_action_seconds", "How long the oldest of them has run; 0 where none does.",
                running.min().map { (now - $0) / .seconds(1) } ?? 0),
        ]
    }
}
