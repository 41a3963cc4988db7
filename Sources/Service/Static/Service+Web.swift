import Entities
import HTTP
import WebFiles

extension Service {
    /// The routes of the files for browsers that are part of the server.
    var webRoutes: [Route] {
        (WebFile.modules + (options.hasPage ? WebFile.ofPage : [])).map { file in
            let send = sending(file)
            return route(.get, file.path) { try send($0, $1) }
        }
    }

    /// Sends a file, which browsers keep and ask for again by its tag.
    func sending(_ file: WebFile) -> @Sendable (Request, Responder) throws(Problem) -> Void {
        let tag = Base64URL.encode(Array(SHA256.digest(of: file.bytes).prefix(12)))
        var headers = [
            Header(.cacheControl, "no-cache"), Header(.eTag, "\"\(tag)\""), Header("X-Content-Type-Options", "nosniff"),
        ]
        if file.isPage {
            headers += [
                Header("Content-Security-Policy", Self.policy), Header("Referrer-Policy", "no-referrer"),
            ]
        }
        let body = SharedBody(file.bytes, headers: [Header(.contentType, file.mediaType)] + headers)
        return { [headers] (request, responder) throws(Problem) in
            let isKnown = try EntityTags(.ifNoneMatch, of: request)?.matchWeakly(tag) ?? false
            responder.send(isKnown ? Response(status: 304, headers: headers) : Response(body: .shared(body)))
        }
    }

    /// A page runs and shows what this server sends, and asks no other (W3C, "Content Security Policy Level 3").
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; "
        + "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
}
