import HTTP
import Sessions
import WebFiles

extension Service {
    /// The routes of the files for browsers that are in the server.
    var webRoutes: [Route] {
        (WebFile.modules + (options.hasPage ? WebFile.ofPage : [])).map {
            Route(.get, $0.path, answer: Self.answer(with: $0))
        }
    }

    /// Answers with a file, which browsers keep, and ask each time whether it is still the same.
    static func answer(with file: WebFile) -> @Sendable (Request) throws -> Response {
        let tag = "\"\(SHA256.hexDigest(of: file.bytes).prefix(16))\""
        var headers = [
            Header(.cacheControl, "no-cache"), Header(.eTag, tag), Header("X-Content-Type-Options", "nosniff"),
        ]
        if file.isPage {
            headers += [
                Header(.vary, "Accept"), Header("Content-Security-Policy", policy),
                Header("Referrer-Policy", "no-referrer"),
            ]
        }
        let body = SharedBody(file.bytes, headers: [Header(.contentType, file.mediaType)] + headers)
        return { [headers] request in
            if let known = try EntityTags(.ifNoneMatch, of: request), known.matchWeakly(tag) {
                return Response(status: 304, headers: headers)
            }
            return Response(body: .shared(body))
        }
    }

    /// What a page may do: run and show what this server sends, and ask nobody else (W3C, "Content Security Policy Level 3").
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; "
        + "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
}
