import Entities
import Foundation
import HTTP
import WebFiles

/// A directory of files to serve; no file outside of it, and no file whose name begins with a dot.
struct StaticFiles: Sendable {
    /// The directory without links in its path.
    private let directory: String

    init(_ path: String) throws(StaticFilesError) {
        guard let directory = Self.resolved(path) else {
            let reason = String(cString: strerror(errno))
            throw StaticFilesError(description: "the static files in \(path) cannot be read: \(reason)")
        }
        self.directory = directory
    }

    /// Opens the file at a path that begins with a slash; nil if the server has no such file or may not send it.
    func open(_ name: String) -> (body: Response.Body, tag: String)? {
        // A link may lead out of the directory.
        guard !name.contains("/."), !name.contains("\0"), let path = Self.resolved(directory + name),
            path.hasPrefix(directory == "/" ? "/" : directory + "/")
        else { return nil }
        // The open of a pipe without a writer would block.
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard isFile else { return nil }
        let numbers = [Int(status.st_ino), status.st_mtim.tv_sec, status.st_mtim.tv_nsec, Int(status.st_size)]
        let tag = numbers.map { String($0, radix: 36) }.joined(separator: "-")
        return (.file(file, length: Int(status.st_size)), tag)
    }

    /// The path without links; nil if nothing is there.
    private static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// The media type for the extension of a file's name (IANA's registry of media types).
    static func mediaType(of name: String) -> String {
        let end = name.split(separator: ".").last?.lowercased() ?? ""
        return mediaTypes[end] ?? "application/octet-stream"
    }

    private static let mediaTypes = [
        "css": "text/css; charset=utf-8", "gif": "image/gif", "html": "text/html; charset=utf-8",
        "ico": "image/vnd.microsoft.icon", "jpeg": "image/jpeg", "jpg": "image/jpeg",
        "js": "text/javascript; charset=utf-8", "json": "application/json", "map": "application/json",
        "mjs": "text/javascript; charset=utf-8", "pdf": "application/pdf", "png": "image/png",
        "svg": "image/svg+xml", "ts": "text/plain; charset=utf-8", "txt": "text/plain; charset=utf-8",
        "wasm": "application/wasm", "webmanifest": "application/manifest+json", "webp": "image/webp",
        "woff2": "font/woff2", "xml": "application/xml",
    ]
}

/// Why the server cannot serve a directory of static files.
public struct StaticFilesError: Error, CustomStringConvertible {
    /// One line with the directory and the reason.
    public let description: String
}

extension Service {
    /// The routes of the server's own files for browsers.
    var webRoutes: [Route] {
        (WebFile.modules + (options.hasPage ? WebFile.ofPage : [])).map { route(.get, $0.path, Self.sending($0)) }
    }

    /// The route of the host's static files; none if it has no directory.
    var staticRoutes: [Route] {
        guard staticFiles != nil else { return [] }
        return [
            route(.get, "/*") { [self] request, responder in
                let path = request.path.removingPercentEncoding ?? ""
                let name = path.hasSuffix("/") ? path + "index.html" : path
                guard try sendFile(name, to: request, responder) else { throw ProblemType.notFound.problem() }
            }
        ]
    }

    /// Sends a static file of the host; false if there is no such file.
    func sendFile(_ name: String, to request: Request, _ responder: Responder) throws(Problem) -> Bool {
        guard let (file, tag) = staticFiles?.open(name) else { return false }
        try Self.send(file, named: name, tag, to: request, responder)
        return true
    }

    /// The handler that sends one of the server's own files.
    static func sending(_ file: WebFile) -> Handler {
        let tag = Base64URL.encode(Array(SHA256.digest(of: file.bytes).prefix(12)))
        let policies = [Header("Content-Security-Policy", policy), Header("Referrer-Policy", "no-referrer")]
        let name = file.isPage ? "index.html" : file.path
        return { try send(.bytes(file.bytes), named: name, tag, file.isPage ? policies : [], to: $0, $1) }
    }

    /// Sends a file; browsers keep it and revalidate it with its tag.
    private static func send(
        _ body: Response.Body, named name: String, _ tag: String, _ more: [Header] = [], to request: Request,
        _ responder: Responder
    ) throws(Problem) {
        let headers = [
            Header("Cache-Control", "no-cache"), Header("ETag", "\"\(tag)\""),
            Header("X-Content-Type-Options", "nosniff"),
            Header("Content-Type", StaticFiles.mediaType(of: name)),
        ]
        let isKnown = try EntityTags(.ifNoneMatch, of: request)?.matchWeakly(tag) ?? false
        let answered: Response.Body = isKnown ? .bytes([]) : body
        responder.send(Response(status: isKnown ? 304 : 200, headers: headers + more, body: answered))
    }

    /// A page loads content only from this server, and sends requests only to it (W3C, Content Security Policy 3).
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; "
        + "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
}
