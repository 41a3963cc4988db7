import BinderyClient
import BinderyKit
import Foundation
import Locking

/// Which server is asked, and by whose token.
struct ServerPlace {
    /// Where `bindery serve` listens if nothing else is said.
    static let standard = "http://127.0.0.1:8080"
    /// The variable that has a token; it is an option of nothing, since what stands on a command line is seen by everybody.
    static let variable = IgnoredVariable.clientToken

    private let url: URL
    private let token: String?
    /// Where the token is from.
    private let origin: String

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
            (token, origin) = (try Self.token(in: file), file)
        } else {
            origin = Self.variable
            token = try environment[Self.variable].map { try Self.checked($0, from: Self.variable) }
        }
    }

    /// Whether a word of the command line is meant as a URL.
    static func isURL(_ word: String) -> Bool { word.contains("://") }

    /// Whether a word stands where a URL does.
    static func isOperand(_ word: String) -> Bool { !word.hasPrefix("-") && !word.isEmpty }

    /// What is said of a word that is no URL of a server.
    static func noURL(_ word: String) -> String {
        "\(word) is no server's URL, which is like \(standard) or https://bindery.example.org"
    }

    private static func url(_ text: String) throws -> URL {
        let whole = text.hasSuffix("/") ? String(text.dropLast()) : text
        guard let url = URL(string: whole), ["http", "https"].contains(url.scheme), url.host?.isEmpty == false,
            url.user == nil, url.password == nil, url.query == nil, url.fragment == nil
        else { throw UsageError(noURL(text)) }
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
        // A pipe that nobody writes to would be waited for.
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
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
            guard errno != EEXIST else {
                throw CommandFailure(
                    "\(file) is there already, and perhaps a token in it: end its session, remove it, or name another")
            }
            throw CommandFailure("\(file) cannot be written: \(String(cString: strerror(errno)))")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        // Whatever the umask took away.
        guard fchmod(descriptor, 0o600) == 0 else { throw CommandFailure("\(file) cannot be kept to oneself") }
        try handle.write(contentsOf: Data("\(token)\n".utf8))
    }

    /// A client that says on standard error that it tries again, once for each reason.
    var client: BinderyClient {
        var options = BinderyClient.Options()
        let told = Reasons()
        options.onRetry = { [patience = options.actionPatience] _, error in
            guard told.isNew(error) else { return }
            Console.complain("\(Words.of(error)) Trying again, for \(Words.span(patience)) in all.")
        }
        return BinderyClient(url, options: options)
    }

    /// Asks the server.
    ///
    /// - Throws: `CommandFailure`, in words of which a terminal obeys nothing, where the server refuses or cannot be reached.
    func asking<Answer>(_ body: () async throws -> Answer) async throws -> Answer {
        do { return try await body() } catch let problem as RemoteProblem where problem.status == 401 {
            let whose =
                token == nil ? "None is in \(Self.variable), nor by --token-file" : "The token is from \(origin)"
            throw CommandFailure("\(Words.of(problem)) \(whose); session begin makes a new one.")
        } catch let error where error is RemoteProblem || error is RemoteFailure {
            throw CommandFailure(Words.of(error))
        }
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

/// Why something is tried again; each kind of reason needs to be told once.
final class Reasons: Sendable {
    private let told = Lock<Set<String>>([])

    /// Whether there has been none of the kind before.
    func isNew(_ error: any Error) -> Bool {
        let kind =
            switch error {
            case let problem as RemoteProblem: "\(problem.status) \(problem.type)"
            case let failure as RemoteFailure: "\(failure.code) \(failure.isUnreachable)"
            default: "\(type(of: error))"
            }
        return told.withLock { $0.insert(kind).inserted }
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
