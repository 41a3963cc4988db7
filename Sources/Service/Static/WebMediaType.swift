/// The media types of files on the web, by the ends of their names (WHATWG MIME Sniffing, and IANA's registry).
enum WebMediaType {
    /// Of a file by its name; that of any bytes where the end is not known.
    static func of(_ name: String) -> String {
        guard let dot = name.lastIndex(of: ".") else { return anything }
        return types[name[name.index(after: dot)...].lowercased()] ?? anything
    }

    private static let anything = "application/octet-stream"

    private static let types = [
        "avif": "image/avif", "css": "text/css; charset=utf-8", "csv": "text/csv; charset=utf-8", "gif": "image/gif",
        "htm": "text/html; charset=utf-8", "html": "text/html; charset=utf-8", "ico": "image/vnd.microsoft.icon",
        "jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript; charset=utf-8", "json": "application/json",
        "map": "application/json", "md": "text/markdown; charset=utf-8", "mjs": "text/javascript; charset=utf-8",
        "mp3": "audio/mpeg", "mp4": "video/mp4", "ogg": "audio/ogg", "otf": "font/otf", "pdf": "application/pdf",
        "png": "image/png", "svg": "image/svg+xml", "ttf": "font/ttf", "txt": "text/plain; charset=utf-8",
        "wasm": "application/wasm", "wav": "audio/wav", "webm": "video/webm",
        "webmanifest": "application/manifest+json",
        "webp": "image/webp", "woff": "font/woff", "woff2": "font/woff2", "xml": "application/xml",
    ]
}
