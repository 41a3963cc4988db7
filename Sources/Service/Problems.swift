import Entities
import HTTP
import ViewModels

/// A kind of problem that this service reports (RFC 9457).
///
/// The name of a case in kebab case is the slug of `/problems/SLUG`. Clients read the slug, so do not rename a case.
package enum ProblemType: String, CaseIterable, Sendable {
    case malformedJson, malformedQuery, malformedHeader, sessionUnknown, sessionEnded, sessionRequired, sessionChanged,
        loginFailed, crossSite, publicSession, notAllowed, userRequired, notFound, entityUnknown,
        methodNotAllowed, actionDisabled, exists, preconditionFailed, notJson, misdirectedRequest, wrongShape,
        actionInvalid, idempotencyMismatch, tooManyWaitingActions, tooManyEffects, tooManyKeys, tooManyPolls,
        tooManyStreams, tooManyNewSessions, tooManyLogins, modelUnreadable, stateTooLarge, internalError,
        tooManySessions, sessionBusy, serverBusy, storeUnavailable, outcomeUnknown, draining, actionTimeout
    // HTTP reports these before the handler of a route runs.
    case badRequest, bodyTooLarge, targetTooLong, headerTooLarge,
        tooManyConnections, notImplemented, serverFull, stopping, versionNotSupported

    /// The table of all problems; the explanation says what the client can do.
    package var row: (status: Int, title: String, explanation: String) {
        switch self {
        case .malformedJson: (400, "Malformed JSON", "Send well-formed JSON in UTF-8 (RFC 8259).")
        case .malformedQuery: (400, "Malformed query", "See the parameters of this path in /openapi.yaml.")
        case .malformedHeader: (400, "Malformed header", "See the headers of this path in /openapi.yaml.")
        case .sessionUnknown: (401, "Unknown session", "It has ended, or never existed. POST /sessions begins one.")
        case .sessionEnded: (401, "The session has ended", "Begin a new one with POST /sessions.")
        case .sessionRequired: (401, "A session is needed", "POST /sessions begins one. Send its token as Bearer.")
        case .sessionChanged: (401, "Another session", "Send the id that GET /session shows, or no id.")
        case .loginFailed: (401, "The login failed", "The server refused the credentials. No session began.")
        case .crossSite:
            (
                403, "A request from another site",
                "Send it from a page of this host, or with a Bearer token. " + Self.dutyOfProxies
            )
        case .publicSession: (403, "The public session", "All clients share it. Begin your own: POST /sessions.")
        case .notAllowed: (403, "Not allowed", "The user of the session may not do this. Nothing has changed.")
        case .userRequired: (403, "A user is needed", "Begin a session with credentials: POST /sessions.")
        case .notFound: (404, "Not found", "There is nothing at this path. GET / lists the paths.")
        case .entityUnknown: (404, "No such entity", "No action has made it, or it has ended.")
        case .methodNotAllowed: (405, "Method not allowed", "The header Allow names the methods.")
        case .actionDisabled: (409, "The action is disabled", "The member state shows what is allowed now.")
        case .exists: (409, "The entity exists", "An earlier action made it. Nothing has changed.")
        case .preconditionFailed: (412, "The view model has changed", "Read it again. A tag with W/ never matches.")
        case .notJson: (415, "The body is not declared as JSON", "Send it with Content-Type: application/json.")
        case .misdirectedRequest:
            (421, "Not a host of this server", "Use an IP address or a name of --allowed-hosts. " + Self.dutyOfProxies)
        case .wrongShape: (422, "The JSON has the wrong shape", "The member pointer names the place.")
        case .actionInvalid: (422, "The input is not valid", "The member pointer, if present, names the value.")
        case .idempotencyMismatch: (422, "The idempotency key is used", "Another request has it. Send a new key.")
        case .tooManyWaitingActions: (429, "Too many actions wait", "No more may wait (--max-waiting-actions).")
        case .tooManyEffects: (503, "Too many effects", "No more may wait. Nothing has changed.")
        case .tooManyKeys: (429, "Too many idempotency keys", "The server keeps no more (--max-keys).")
        case .tooManyPolls: (429, "Too many polls wait", "The token may have no more. Use one stream.")
        case .tooManyStreams: (429, "Too many event streams", "No more may be open (--max-streams).")
        case .tooManyNewSessions: (429, "Too many new sessions", "Your network must wait (--max-new-sessions).")
        case .tooManyLogins: (429, "Too many failed logins", "Your network must wait.")
        case .modelUnreadable: (500, "Unreadable view model", "The log has the cause. Other view models work.")
        case .stateTooLarge: (500, "The state is too large", "It would need too many bytes. Nothing has changed.")
        case .internalError: (500, Problem.internalError.title, Problem.internalError.detail)
        case .tooManySessions: (503, "No room for another session", "All in memory are in use (--max-sessions).")
        case .sessionBusy: (503, "Busy", "Other actions changed it meanwhile. This one did nothing: try again.")
        case .serverBusy: (503, "The server is busy", "Too many slow actions run. This one did not begin.")
        case .storeUnavailable: (503, "The store does not answer", "Nothing has changed. Try again.")
        case .outcomeUnknown: (503, "The outcome is not known", "Repeat the request with its key, or read the state.")
        case .draining: (503, "The server is about to stop", "Try again on a new connection.")
        case .actionTimeout: (504, "The action took too long", "Nothing is stored. It may have had effects elsewhere.")
        case .badRequest:
            (
                400, "Bad request",
                "The head is malformed or ambiguous. Send METHOD, target and HTTP/1.1 with single spaces. "
                    + "Percent-encode the target. Send each field as name, colon and value. Send Host and length once."
            )
        case .bodyTooLarge: (413, "Body too large", "The limit is 64 KiB, or bodyBytes (--max-body).")
        case .targetTooLong: (414, "Target too long", "A path with its query may have 4 KiB.")
        case .headerTooLarge: (431, "Header too large", "Send fewer or shorter fields, such as cookies (--max-head).")
        case .tooManyConnections:
            (429, "Too many connections", "Use one for many requests (--max-connections-per-address).")
        case .notImplemented: (501, "Not implemented", "The server knows only the Transfer-Encoding chunked.")
        case .serverFull: (503, "Server full", "There are too many clients (--max-connections). Try again shortly.")
        case .stopping: (503, Problem.stopping.title, Problem.stopping.detail)
        case .versionNotSupported: (505, "Version not supported", "Use HTTP/1.1 or HTTP/1.0.")
        }
    }

    private static let dutyOfProxies =
        "A proxy must forward Host, or be in trustedProxies (--trusted-proxy) and send X-Forwarded-Host and -Proto."

    /// The last segment of the type's URI.
    package var slug: String {
        rawValue.reduce(into: "") { $0 += $1.isUppercase ? "-" + $1.lowercased() : String($1) }
    }
}

extension ProblemType {
    /// An occurrence of the problem.
    ///
    /// - Parameter detail: says what the client can do; nil for the type's own explanation.
    func problem(
        _ detail: String? = nil, members: [(name: String, json: [UInt8])] = [], headers: [Header] = [],
        retryAfter: Int? = nil, cause: String? = nil
    ) -> Problem {
        let (status, title, explanation) = row
        var problem = Problem(
            slug, status: status, title: title, detail: detail ?? explanation, members: members, headers: headers)
        if status == 401 { problem.headers.append(Header("WWW-Authenticate", "Bearer")) }
        if let retryAfter { problem.headers.append(Header("Retry-After", String(retryAfter))) }
        if status >= 500 { problem.cause = cause ?? title }
        return problem
    }

    fileprivate static let bySlug = Dictionary(uniqueKeysWithValues: allCases.map { ($0.slug, $0) })
}

extension Problem {
    /// A problem that HTTP reports, with the title and the explanation of its row.
    var explained: Problem {
        var problem = self
        if let row = ProblemType.bySlug[slug]?.row { (problem.title, problem.detail) = (row.title, row.explanation) }
        return problem
    }
}

extension Service {
    /// `GET /problems/SLUG` explains each kind, including the kinds that view models declare.
    var problemRoute: Route {
        var rows = Dictionary(uniqueKeysWithValues: ProblemType.allCases.map { ($0.slug, $0.row) })
        for refusal in catalogue.viewModels.flatMap(\.actions).flatMap(\.refusals) {
            let kind = refusal.kind
            if rows[kind.type] == nil { rows[kind.type] = (kind.status, kind.title, refusal.summary) }
        }
        return route(.get, "/problems/{slug}") { [rows] request, responder in
            guard let slug = request.parameter("slug"), let (status, title, explanation) = rows[slug] else {
                throw ProblemType.notFound.problem("No problem has this name.")
            }
            let json =
                #"{"type":"/problems/\#(slug)","title":\#(title.quoted),"detail":\#(explanation.quoted),"#
                + #""status":\#(status)}"#
            responder.send(
                Response(headers: [.json, Header("Cache-Control", "max-age=3600")], body: .bytes(Array(json.utf8))))
        }
    }
}

extension Problem {
    /// The problem of an outcome other than done.
    ///
    /// - Parameter index: the index of the action's view model in its entity; nil for other asks.
    init(_ outcome: Outcome, of index: Int? = nil, _ sightOf: SightOf = { _ in .all }) {
        switch outcome {
        case .done, .replayed: self = .internalError
        case .refused(.action(let error), let state):
            self.init(error)
            if error is Refusal, let index, let sight = try? sightOf(state),
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
        case .unavailable(let reason): self.init(reason)
        }
    }

    /// The problem of an error in a handler, an action, an output or a login.
    init(_ error: any Error) {
        func json(_ text: String) -> [UInt8] { JSONValue.string(text).text }
        switch error {
        case let problem as Problem: self = problem
        case let failure as FeedFailure: self.init(failure.outcome)
        case let reason as Outcome.Unavailable:
            let type = ProblemType(reason)
            self = type.problem(retryAfter: type.row.status < 429 ? nil : reason.retryAfter, cause: "\(reason)")
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
        case let fault as DeclarationFault:
            // The words are the programmer's.
            self = .internalError
            cause = fault.description
        default: self = .internal(causedBy: error)
        }
    }
}

extension ProblemType {
    init(_ reason: Outcome.Unavailable) {
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
