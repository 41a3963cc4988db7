import HTTP
import Sessions
import WebFiles

extension Service {
    /// The routes of the files for browsers that are in the server.
    var webRoutes: [Route] { WebFile.modules.map(Self.route) }

    /// A file as a route: kept by browsers, which ask each time whether it is still the same.
    private static func route(of file: WebFile) -> Route {
        let tag = "\"\(SHA256.hexDigest(of: file.bytes).prefix(16))\""
        let headers = [
            Header(.cacheControl, "no-cache"), Header(.eTag, tag), Header("X-Content-Type-Options", "nosniff"),
        ]
        let body = SharedBody(file.bytes, headers: [Header(.contentType, file.mediaType)] + headers)
        return Route(.get, file.path) { request in
            if let known = try EntityTags(.ifNoneMatch, of: request), known.matchWeakly(tag) {
                return Response(status: 304, headers: headers)
            }
            return Response(body: .shared(body))
        }
    }
}
