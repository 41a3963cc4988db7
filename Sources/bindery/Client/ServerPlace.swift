import BinderyClient
import BinderyKit
import Foundation

/// Which server is asked, and by whose token.
struct ServerPlace {
    /// Where `bindery serve` listens if nothing else is said.
    static let standard = "http://127.0.0.1:8080"
    /// The variable that has a token; it is an option of nothing, since what stands on a command line is seen by everybody.
    static let variable = IgnoredVariable.clientToken

    private let url: URL
    private let token: String?

    /// - Parameters:
    ///   - text: a URL; nil for the standard one.
    ///   - file: where a token is; nil for the environment's, or none.
    /// - Throws: `UsageError`; `CommandFailure` where the file cannot be used.
    init(
        _ text: String?, tokenFile file: String?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        url = try Self.url(text ?? Self.standard)
        if let file {
            token = try Self.token(in: file)
        } else {
            token = try environment[Self.variable].flatMap {
                $0.isEmpty ? nil : try Self.checked($0, from: Self.variable)
            }
        }
    }

    /// Whether a word of the command line is meant as a URL.
    static func isURL(_ word: String) -> Bool { word.contains("://") }

    private static func url(_ text: String) throws -> URL {
        let whole = text.hasSuffix("/") ? String(text.dropLast()) : text
        guard let url = URL(string: whole), ["http", "https"].contains(url.scheme), url.host?.isEmpty == false,
            url.user == nil, url.password == nil, url.query == nil, url.fragment == nil
        else { throw UsageError("a server is named as \(standard) or https://bindery.example.org, not \(text)") }
        return url
    }

    /// A token, or why it is none, without a letter of it.
    private static func checked(_ text: String, from place: String) throws -> String {
        let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw CommandFailure("\(place) has no token in it, as session begin prints one")
        }
        return token
    }

    private static func token(in file: String) throws -> String {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure("\(file) cannot be read: \(String(cString: strerror(errno)))")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        // Of the file that was opened, whatever its name leads to by now.
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw CommandFailure("\(file) is no file")
        }
        guard status.st_mode & 0o7777 == 0o600, status.st_uid == geteuid() else {
            throw CommandFailure("others may read the token in \(file): chmod 600 \(file), as its owner")
        }
        let text = try handle.read(upToCount: 4096) ?? Data()
        return try checked(String(decoding: text, as: UTF8.self), from: file)
    }

    /// Writes a token to a new file that its owner alone can read.
    ///
    /// - Throws: `CommandFailure`, as where there is a file already.
    static func write(_ token: String, to file: String) throws {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure("\(file) cannot be written: \(String(cString: strerror(errno)))")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        // Whatever the umask took away.
        guard fchmod(descriptor, 0o600) == 0 else { throw CommandFailure("\(file) cannot be kept to oneself") }
        try handle.write(contentsOf: Data("\(token)\n".utf8))
    }

    /// A client that says on standard error when it tries again.
    var client: BinderyClient {
        var options = BinderyClient.Options()
        options.onRetry = { pause, error in Console.complain("\(Words.of(error)); trying again in \(Words.span(pause))")
        }
        return BinderyClient(url, options: options)
    }

    /// The session of the token, or the public one.
    var session: RemoteSession {
        let client = client
        return token.map { client.session(token: $0) } ?? client.publicSession
    }

    /// One's own session.
    ///
    /// - Throws: `UsageError` where there is no token.
    var ownSession: RemoteSession {
        get throws {
            guard token != nil else {
                throw UsageError("whose session? Its token is taken from \(Self.variable), or from --token-file")
            }
            return session
        }
    }
}

/// What a terminal is told.
enum Words {
    /// A time as people say it.
    static func span(_ time: Duration) -> String {
        let milliseconds = time / .milliseconds(1)
        return milliseconds < 950
            ? "\(String(format: "%.1f", milliseconds / 1000)) s" : "\(Int((milliseconds / 1000).rounded())) s"
    }

    /// An error in one line.
    static func of(_ error: any Error) -> String { visible("\(error)") }

    /// A text that a server sent, without anything that a terminal would obey or read backwards.
    static func visible(_ text: String) -> String {
        var shown = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned:
                // As JSON escapes it, beyond the first plane in halves.
                shown += String(scalar).utf16.map { "\\u" + String(format: "%04x", $0) }.joined()
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }
}
