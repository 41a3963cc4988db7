import BinderyClient
import BinderyKit
import Foundation

/// A server, and the session of the requests.
struct ServerPlace {
    /// The default address of `bindery serve`.
    static let standard = "http://127.0.0.1:8080"
    /// The variable with a session's token, because every user of the machine can see a command line.
    static let variable = "BINDERY_TOKEN"

    let session: RemoteSession

    /// - Parameter text: a URL; nil for the standard one.
    /// - Throws: `UsageError` for a text that is not a URL of a server.
    init(_ text: String?, environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        let text = text ?? Self.standard
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host?.isEmpty == false,
            url.user == nil, url.query == nil
        else { throw UsageError("\(text) is not the URL of a server such as \(Self.standard)") }
        var options = BinderyClient.Options()
        options.onRetry = { pause, error in
            Console.complain("\(Self.visible("\(error)")) Trying again in \(pause.shown).")
        }
        let (client, token) = (BinderyClient(url, options: options), environment[Self.variable])
        session = token.map { client.session(token: $0) } ?? client.publicSession
    }

    /// Asks the server.
    ///
    /// - Throws: `CommandFailure` if the server refuses or cannot be reached.
    func asking<Answer>(_ body: (RemoteSession) async throws -> Answer) async throws -> Answer {
        do { return try await body(session) } catch let error where error is RemoteProblem || error is RemoteFailure {
            let hint = (error as? RemoteProblem)?.status == 401 ? " The token comes from \(Self.variable)." : ""
            throw CommandFailure(Self.visible("\(error)") + hint)
        }
    }

    /// Escapes, as JSON does, the characters of a text that control a terminal or the direction of its text.
    static func visible(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                String(scalar).utf16.map { String(format: "\\u%04x", $0) }.joined()
            default: String(scalar)
            }
        }.joined()
    }
}

extension Duration {
    /// The time for people, as `2 s`.
    var shown: String { "\(max(1, Int((self / .seconds(1)).rounded()))) s" }
}
