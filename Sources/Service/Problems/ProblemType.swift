import HTTP
import ViewModels

/// A kind of problem that this service reports (RFC 9457).
///
/// The name of a case in kebab case is the slug of `/problems/SLUG`: clients read it, so no case is renamed.
package enum ProblemType: String, CaseIterable, Sendable {
    case malformedJson, malformedQuery, malformedHeader, sessionUnknown, sessionEnded, sessionRequired,
        sessionChanged, crossSite, publicSession, httpsRequired, notFound, methodNotAllowed, actionDisabled,
        preconditionFailed, notJson, misdirectedRequest, wrongShape, actionInvalid, idempotencyMismatch,
        tooManyWaitingActions, tooManyKeys, tooManyPolls, tooManyStreams, tooManyNewSessions, modelUnreadable,
        stateTooLarge, internalError, tooManySessions, sessionBusy, serverBusy, storeUnavailable, outcomeUnknown,
        draining, actionTimeout
    // HTTP reports these before a route is found.
    case badRequest, ambiguousLength, malformedHost, malformedPath, bodyTooLarge, targetTooLong, expectationFailed,
        headerTooLarge, tooManyConnections, notImplemented, serverFull, stopping, versionNotSupported

    /// Every kind, but those that view models declare.
    package static let all = allCases

    /// The last segment of the type's URI.
    package var slug: String {
        rawValue.reduce(into: "") { $0 += $1.isUppercase ? "-" + $1.lowercased() : String($1) }
    }
    /// The HTTP status.
    package var status: Int { row.0 }
    /// The kind in a few words.
    package var title: String { row.1 }
    /// What the client can do, in plain words.
    package var explanation: String { row.2 }
}

extension ProblemType {
    /// An occurrence of the problem.
    ///
    /// - Parameters:
    ///   - detail: what to do; nil for the type's own explanation.
    ///   - members: further members of the JSON object, their values JSON text.
    ///   - retryAfter: the seconds of `Retry-After`.
    ///   - cause: for the log.
    func problem(
        _ detail: String? = nil, members: [(name: String, json: [UInt8])] = [], headers: [Header] = [],
        retryAfter: Int? = nil, cause: String? = nil
    ) -> Problem {
        let (status, title, explanation) = row
        var problem = Problem(
            slug, status: status, title: title, detail: detail ?? explanation, members: members, headers: headers)
        if status == 401 { problem.headers.append(Header(.wwwAuthenticate, "Bearer")) }
        if let retryAfter { problem.headers.append(Header(.retryAfter, String(retryAfter))) }
        if status >= 500 { problem.cause = cause ?? title }
        return problem
    }
}

extension Service {
    /// `GET /problems/SLUG`, which explains each kind, also those that view models declare.
    var problemRoute: Route {
        var rows = Dictionary(uniqueKeysWithValues: ProblemType.all.map { ($0.slug, $0.row) })
        for refusal in catalogue.viewModels.flatMap(\.actions).flatMap(\.refusals) {
            let kind = refusal.kind
            if rows[kind.type] == nil { rows[kind.type] = (kind.status, kind.title, refusal.summary) }
        }
        let bodies = rows.map { slug, row in
            let (status, title, explanation) = row
            let texts = [("type", "/problems/\(slug)"), ("title", title), ("detail", explanation)]
            let members = texts.map { Array("\"\($0)\":".utf8) + JSONValue.string($1).text + [UInt8(ascii: ",")] }
            let json = [UInt8(ascii: "{")] + members.joined() + Array("\"status\":\(status)}".utf8)
            return (slug, SharedBody(json, headers: [.json, Header(.cacheControl, "max-age=3600")]))
        }
        let bodyOf = Dictionary(uniqueKeysWithValues: bodies)
        return route(.get, "/problems/{slug}") { request, responder in
            guard let body = request.parameter("slug").flatMap({ bodyOf[$0] }) else {
                throw ProblemType.notFound.problem("There is no problem of this name.")
            }
            responder.send(Response(body: .shared(body)))
        }
    }
}
