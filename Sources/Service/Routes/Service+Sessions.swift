import HTTP
import Sessions
import ViewModels

extension Service {
    /// The routes that begin, show and end sessions.
    var sessionRoutes: [Route] {
        [
            Route(.post, "/sessions") { [self] in try await failures(beginning: $0) },
            Route(.get, "/session") { [self] request in
                try await failures { try await showSession(to: request) }
            },
            Route(.delete, "/session") { [self] request in
                try await failures { try await endSession(for: request) }
            },
        ]
    }

    private func failures(beginning request: Request) async throws -> Response {
        do {
            return try await failures { try await beginSession(for: request) }
        } catch RegistryFailure.full {
            throw ProblemType.tooManySessions.passing(after: 60)
        }
    }

    private func beginSession(for request: Request) async throws -> Response {
        // Whatever token came along is not looked at: whoever lost a session must be able to begin another.
        try checkOrigin(of: request, isProven: request.header(.authorization).map(Caller.isBearer) ?? false)
        try ActionInput.requireNone(in: request)
        let language = AcceptLanguage.preferred(in: request.header(.acceptLanguage))
        let (token, session) = try await registry.begin(language: language)
        // None of the three has a character that JSON would escape.
        let begun = #"{"token":"\#(token.secret)","expiresIn":\#(lifetimeInSeconds),"cursor":"\#(session.cursor)"}"#
        return .json(
            Array(begun.utf8), status: 201, headers: [Header(.location, "/session"), cookie(token.secret)])
    }

    private func showSession(to request: Request) async throws -> Response {
        let (cursor, views) = try await session(of: request).views()
        let viewModels = JSON.object(registry.catalogue.viewModels.map(\.name)) { views[$0].json }
        let head = "{\"cursor\":\"\(cursor)\",\"expiresIn\":\(lifetimeInSeconds),\"viewModels\":"
        return .json(Array(head.utf8) + viewModels + [UInt8(ascii: "}")], headers: [])
    }

    private func endSession(for request: Request) async throws -> Response {
        try await registry.end(sessionToChange(of: request))
        return Response(status: 204, headers: [.noStore, cookie("", attributes: "; Max-Age=0")])
    }

    /// A session's time begins anew with each use, so it is always the whole time that is left.
    private var lifetimeInSeconds: Int { Int(registry.limits.timeToLive.components.seconds) }

    private func cookie(_ value: String, attributes: String = "") -> Header {
        let secure = options.hasSecureCookies ? "; Secure" : ""
        return Header(
            .setCookie, "\(options.cookieName)=\(value)\(attributes); HttpOnly; SameSite=Lax; Path=/\(secure)")
    }
}

extension ActionInput {
    /// Checks that a request that takes no body brought none of substance.
    fileprivate static func requireNone(in request: Request) throws {
        do {
            try requireNone(request.jsonBody())
        } catch let refusal as ActionRefusal {
            throw Problem(refusal)
        }
    }
}
