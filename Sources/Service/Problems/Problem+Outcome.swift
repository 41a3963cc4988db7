import Entities
import HTTP
import ViewModels

extension Problem {
    /// The problem that an outcome is to the client; nil for one that is done or replayed.
    ///
    /// - Parameters:
    ///   - index: the place of the view model whose action it is.
    ///   - eyes: what the caller may see of the state; nil for all.
    ///   - hasWeakTag: whether the request's `If-Match` has a weak tag.
    init?(_ outcome: Outcome, of index: Int? = nil, _ eyes: Eyes? = nil, hasWeakTag: Bool = false) {
        switch outcome {
        case .done, .replayed: return nil
        case .refused(.action(let error), let state): self = .refusal(error, in: state, of: index, eyes)
        case .refused(.exists, _): self = ProblemType.exists.problem()
        case .refused(.preconditionFailed, _): self = .preconditionFailed(hasWeakTag: hasWeakTag)
        case .refused(.keyMismatch, _): self = ProblemType.idempotencyMismatch.problem()
        case .failed(.action(let error)): self = .failure(error)
        case .failed(.timedOut):
            self = ProblemType.actionTimeout.problem(cause: "the action passed its deadline")
        case .failed(.tooLarge): self = ProblemType.stateTooLarge.problem()
        case .unavailable(.ended, _): self = ProblemType.sessionUnknown.problem()
        case .unavailable(.missing, _): self = ProblemType.entityUnknown.problem()
        case .unavailable(let reason, let seconds):
            self = ProblemType(reason).problem(retryAfter: seconds, cause: "\(reason)")
        }
    }

    /// The problem of an `If-Match` that does not match.
    static func preconditionFailed(hasWeakTag: Bool) -> Problem {
        ProblemType.preconditionFailed.problem(
            hasWeakTag
                ? "If-Match compares strong tags (RFC 9110, section 13.1.1), so a tag with W/ never matches. A proxy that "
                    + "compresses may have weakened it: send the tag without W/. Nothing was changed." : nil)
    }

    private static func refusal(_ error: any Error, in state: EntityState, of index: Int?, _ eyes: Eyes?) -> Problem {
        switch error {
        case let refusal as Refusal:
            var problem = Problem(refusal)
            if let index, let sight = try? state.sight(of: eyes),
                let body = try? state.body(of: index, facet: sight.facet)
            {
                problem.members.append(("state", body))
                problem.headers.append(Header(.eTag, "\"\(sight.mix(state.stamp(of: index)))\""))
            }
            return problem
        case is NoAccess: return ProblemType.entityUnknown.problem()
        case let fault as InputFault: return Problem(fault)
        default: return .failure(error)
        }
    }

    /// The problem of a refusal, without a state.
    init(_ refusal: Refusal) {
        let kind = refusal.kind
        self.init(kind.type, status: kind.status, title: kind.title, detail: refusal.detail)
        if let pointer = refusal.pointer { members.append(("pointer", JSONValue.string(pointer).text)) }
    }

    /// The problem of a body that is not taken.
    init(_ fault: InputFault) {
        switch fault {
        case .malformed(let detail): self = ProblemType.malformedJson.problem(detail)
        case .wrongShape(let pointer, let detail):
            self = ProblemType.wrongShape.problem(detail, members: [("pointer", JSONValue.string(pointer).text)])
        }
    }

    private static func failure(_ error: any Error) -> Problem {
        guard let unreadable = error as? Entities.ModelUnreadable else { return .internal(causedBy: error) }
        return ProblemType.modelUnreadable.problem(
            members: [("viewModel", JSONValue.string(unreadable.name).text)],
            cause: "this build cannot read the stored view model \(unreadable.name)")
    }
}

extension ProblemType {
    fileprivate init(_ reason: Outcome.Unavailable) {
        self =
            switch reason {
            case .ended: .sessionUnknown
            case .missing: .entityUnknown
            case .queueFull: .tooManyWaitingActions
            case .tooManyKeys: .tooManyKeys
            case .conflict: .sessionBusy
            case .storeAway: .storeUnavailable
            case .outcomeUnknown: .outcomeUnknown
            case .busy: .serverBusy
            case .full: .tooManySessions
            }
    }
}
