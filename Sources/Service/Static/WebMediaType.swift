/// The media types of files on the web, by the ends of their names (IANA's registry of media types).
enum WebMediaType {
    /// The type of a file; that of any bytes where the end is unknown.
    static func of(_ name: String) -> String {
        guard let dot = name.lastIndex(of: ".") else { return anything }
        return types[name[name.index(after: dot)...].lowercased()] ?? anything
    }

    private static let anything = "application/octet-stream"

    private static let types = [
        "css": "text/css; charset=utf-8", "csv": "text/csv; charset=utf-8", "gif": "image/gif",
        "htm": "text/html; charset=utf-8", "html": "text/html; charset=utf-8", "ico": "image/vnd.microsoft.icon",
        "jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript; charset=utf-8", "json": "application/json",
        "map": "application/json", "md": "text/markdown; charset=utf-8", "mjs": "text/javascript; charset=utf-8",
        "mp3": "audio/mpeg", "mp4": "video/mp4", "pdf": "application/pdf", "png": "image/png", "svg": "image/svg+xml",
        "ttf": "font/ttf", "txt": "text/plain; charset=utf-8", "wasm": "application/wasm", "webm": "video/webm",
        "webmanifest": "application/manifest+json", "webp": "image/webp", "woff": "font/woff", "woff2": "font/woff2",
        "xml": "application/xml",
    ]
}
