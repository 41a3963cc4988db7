import Entities
import HTTP
import ViewModels

extension Problem {
    /// The problem that an outcome is to the client.
    ///
    /// - Parameter index: the place of the view model whose action it is; nil for other asks.
    init(_ outcome: Outcome, of index: Int? = nil, _ eyes: Eyes = { _ in .all }) {
        switch outcome {
        case .done, .replayed: self = .internalError
        case .refused(.action(let error), let state):
            self.init(error)
            if error is Refusal, let index, let sight = try? state.sight(of: eyes),
                let body = try? state.body(of: index, facet: sight.facet)
            {
                members.append(("state", body))
                headers.append(Header("ETag", sight.mix(state.stamp(of: index)).entityTag))
            }
        case .refused(.exists, _): self = ProblemType.exists.problem()
        case .refused(.preconditionFailed, _): self = ProblemType.preconditionFailed.problem()
        case .refused(.keyMismatch, _): self = ProblemType.idempotencyMismatch.problem()
        case .failed(.action(let error)): self.init(error)
        case .failed(.timedOut):
            self = ProblemType.actionTimeout.problem(cause: "the action passed its deadline")
        case .failed(.tooLarge): self = ProblemType.stateTooLarge.problem(cause: "the entity would have over 1 MiB")
        case .unavailable(let reason):
            let type = ProblemType(reason)
            self = type.problem(retryAfter: type.row.status < 429 ? nil : reason.retryAfter, cause: "\(reason)")
        }
    }

    /// The problem of an error that an action, an output or a login threw.
    init(_ error: any Error) {
        func json(_ text: String) -> [UInt8] { JSONValue.string(text).text }
        switch error {
        case let refusal as Refusal:
            let kind = refusal.kind
            self.init(kind.type, status: kind.status, title: kind.title, detail: refusal.detail)
            if let pointer = refusal.pointer { members.append(("pointer", json(pointer))) }
        case InputFault.malformed(let detail): self = ProblemType.malformedJson.problem(detail)
        case InputFault.wrongShape(let pointer, let detail):
            self = ProblemType.wrongShape.problem(detail, members: [("pointer", json(pointer))])
        case is NoAccess: self = ProblemType.entityUnknown.problem()
        case let unreadable as ModelUnreadable:
            self = ProblemType.modelUnreadable.problem(
                members: [("viewModel", json(unreadable.viewModel))],
                cause: "this build cannot read the stored view model \(unreadable.viewModel)")
        default: self = .internal(causedBy: error)
        }
    }
}

extension ProblemType {
    fileprivate init(_ reason: Outcome.Unavailable) {
        self =
            switch reason {
            case .ended: .sessionUnknown
            case .missing: .entityUnknown
            case .queueFull: .tooManyWaitingActions
            case .tooManyEffects: .tooManyEffects
            case .tooManyKeys: .tooManyKeys
            case .conflict: .sessionBusy
            case .storeAway: .storeUnavailable
            case .outcomeUnknown: .outcomeUnknown
            case .busy: .serverBusy
            case .full: .tooManySessions
            }
    }
}
