/// Where sessions are kept, as `--store` says it.
enum StoreChoice: Equatable {
    /// In the process, and with it gone.
    case memory
    /// In a file.
    case sqlite(path: String)

    /// The file in the directory the program was started in.
    static let standard = StoreChoice.sqlite(path: "bindery.db")

    /// Reads `memory` or `sqlite:PATH`.
    ///
    /// Throws ``UsageError`` for anything else.
    init(_ text: String) throws {
        let scheme = "sqlite:"
        if text == "memory" {
            self = .memory
        } else if text.hasPrefix(scheme), text.count > scheme.count {
            self = .sqlite(path: String(text.dropFirst(scheme.count)))
        } else {
            throw UsageError("takes memory or sqlite:PATH, not \(text)")
        }
    }
}
