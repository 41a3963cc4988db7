import HTTP
import Sessions
import ViewModels

/// A kind of problem this service reports (RFC 9457): what `/problems/SLUG` stands for.
struct ProblemType: Hashable, Sendable {
    /// The last segment of the type's URI.
    let slug: String
    /// What kind of problem it is, the same for every occurrence.
    let title: String
    /// The HTTP status it is reported with.
    let status: Int
    /// In plain words, what the caller can do; used where an occurrence has nothing more to say.
    let advice: String

    init(_ slug: String, _ status: Int, _ title: String, _ advice: String) {
        self.slug = slug
        self.title = title
        self.status = status
        self.advice = advice
    }

    /// A refusal of an action as a kind of problem.
    init(_ kind: ActionRefusal.Kind, _ advice: String) { self.init(kind.type, kind.status, kind.title, advice) }
}

extension ProblemType {
    /// An occurrence of the problem.
    ///
    /// - Parameters:
    ///   - detail: what to do, in plain words; the type's own advice where nil.
    ///   - members: further members of the JSON object, their values JSON text.
    ///   - headers: further headers of the response.
    func problem(
        _ detail: String? = nil, members: [(name: String, json: [UInt8])] = [], headers: [Header] = []
    ) -> Problem {
        let challenge = status == 401 ? [Header(.wwwAuthenticate, "Bearer")] : []
        var problem = Problem(
            slug, status: status, title: title, detail: detail ?? advice, members: members,
            headers: headers + challenge)
        // What is known better is said where it is known.
        if status >= 500 { problem.cause = title }
        return problem
    }

    /// An occurrence that will pass.
    func passing(after seconds: Int) -> Problem { problem(headers: [Header(.retryAfter, String(seconds))]) }
}

extension Problem {
    /// What an error is to the caller that came of asking a session.
    static func of(_ error: any Error) -> Problem {
        switch error {
        case let problem as Problem: return problem
        case let failure as SessionFailure: return Problem(failure)
        case let refusal as ActionRefusal: return Problem(refusal)
        default:
            var problem = Problem.internal(causedBy: error)
            if let error = error as? OutputUnshowable { problem.cause = "\(error)" }
            return problem
        }
    }

    /// What a session's failure is to the caller.
    init(_ failure: SessionFailure) {
        switch failure {
        case .keyOfAnotherRequest: self = ProblemType.idempotencyMismatch.problem()
        // Found again and again, and each time evicted before it could be asked: the server has no time for it.
        case .evicted:
            self = ProblemType.storeUnavailable.passing(after: 1)
            cause = "the session left memory each time before it could be asked"
        case .ended: self = ProblemType.sessionEnded.problem()
        case .refused(let refusal, let view): self = Problem(refusal, view: view)
        case .preconditionFailed: self = ProblemType.preconditionFailed.problem()
        case .tooManyActions(let seconds): self = ProblemType.tooManyActions.passing(after: seconds)
        case .lineFull: self = ProblemType.lineFull.passing(after: 1)
        case .tooManyKeys(let seconds): self = ProblemType.tooManyKeys.passing(after: seconds)
        case .tooManyKeyBytes(let seconds): self = ProblemType.tooManyKeyBytes.passing(after: seconds)
        case .timedOut:
            self = ProblemType.actionTimeout.problem()
            cause = "the action ran longer than an action may (actionTime; --action-timeout)"
        case .busy:
            self = ProblemType.busy.passing(after: 1)
            cause = "as many actions hold a thread as may"
        case .notMade:
            self = ProblemType.sessionBusy.passing(after: 1)
            cause = "the session's view models take too long to be made, or others' do"
        // Looked at each second.
        case .outOfMemory:
            self = ProblemType.memoryFull.passing(after: 2)
            cause = "the process has as much memory as it may (memoryBytes; --max-memory)"
        case .unreadable(let error):
            self = ProblemType.modelUnreadable.problem(
                members: [("viewModel", Array("\"\(error.viewModel)\"".utf8))])
            cause = "\(error)"
        case .damaged(let what):
            self = ProblemType.sessionUnreadable.problem()
            cause = what
        case .unavailable(let why):
            self = ProblemType.storeUnavailable.passing(after: 1)
            cause = why.rawValue
        }
    }

    /// What an action that failed after it was begun is to the caller, where its key stands for the answer.
    init(underKey error: any Error) {
        switch error {
        case let failure as SessionFailure:
            self.init(failure)
            if case .timedOut = failure { detail += " " + ProblemType.keyIsUsed }
        default:
            self = .of(error)
            detail =
                "The action failed: nothing of it is stored, but what it did outside of this server is done. "
                + ProblemType.keyIsUsed + " If it stays, report it with the Request-Id."
        }
    }

    /// What the refusal of an action is to the caller.
    ///
    /// - Parameter view: the state in which it was refused, where there is one.
    init(_ refusal: ActionRefusal, view: View? = nil) {
        let kind = refusal.kind
        if let fault = kind.fault {
            self = .internalError
            cause = "the refusal \"\(kind.type)\" \(fault)"
            return
        }
        // What is found in the body before the action runs says nothing of the state.
        let view = kind.isOfBody ? nil : view
        let pointer = refusal.pointer.map(JSON.bytes(of:))
        self.init(
            kind.type, status: kind.status, title: kind.title, detail: refusal.detail,
            members: (pointer.map { [("pointer", $0)] } ?? []) + (view.map { [("state", $0.json)] } ?? []),
            headers: view.map { [Header(.eTag, $0.entityTag)] } ?? [])
        isOfHost = !kind.isOfBody
    }
}
