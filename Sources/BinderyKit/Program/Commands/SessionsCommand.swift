import Foundation
import Service

extension Command {
    /// Lists the sessions of a running server.
    static let listSessions = Command(
        name: "sessions list",
        uses: [
            (
                "--admin ADDRESS:PORT [--json]",
                "list the sessions of a running server, with --json an object a line"
            )
        ],
        options: [.json]
    ) { try SessionsCommand($0).list() }

    /// Ends one, or many.
    static let endSessions = Command(
        name: "sessions end",
        uses: [
            ("ID|--unused-for SECONDS --admin ADDRESS:PORT", "end one, or all that nobody has used for so long")
        ],
        options: [
            ProgramOption(
                "unused-for", "SECONDS", \.own.unusedFor, in: 1...Int(Int32.max), else: "",
                "all that nobody has used for so long", code: "–")
        ],
        // An id may begin with two hyphens, too.
        isOperand: { word in
            word.wholeMatch(of: /[A-Za-z0-9_-]{15}/) != nil && !ProgramOption.all.contains { "--\($0.name)" == word }
        }
    ) { try SessionsCommand($0).end() }
}

/// Asks a running server of its sessions, where operators do.
struct SessionsCommand {
    private let server: RunningServer
    private let options: ProgramOptions

    /// - Throws: ``UsageError`` where it is not said where to ask.
    init(_ options: ProgramOptions) throws {
        guard let address = options.server.admin else {
            throw UsageError("sessions needs to know where operators ask the server: --admin ADDRESS:PORT")
        }
        (server, self.options) = (RunningServer(address), options)
    }

    /// It goes on, whoever waits for it.
    private static let late = "asked; not done yet: sessions-ended in the log says when it is"

    /// Ends what was named, and prints what came of it.
    ///
    /// - Parameter patience: how many seconds an answer may take.
    /// - Throws: ``UsageError``; ``CommandFailure``.
    func end(patience: Double = 60) throws {
        switch (options.operand, options.own.unusedFor) {
        case (let id?, nil):
            _ = try ask("DELETE", "/sessions/\(id)", patience: patience, late: Self.late)
            try Console.print("session \(id) ended")
        case (nil, let seconds?):
            // Some ten thousand a second.
            let answer = try ask(
                "DELETE", "/sessions?unused-for=\(seconds)", patience: max(patience, 600), late: Self.late)
            let ended = answer["ended"] as? Int ?? 0
            try Console.print("\(ended) \(ended == 1 ? "session" : "sessions") ended")
        default:
            throw UsageError(
                "sessions end needs the id of a session, of 15 characters, as sessions list shows it, or "
                    + "--unused-for SECONDS")
        }
    }

    /// Prints a line for each.
    ///
    /// - Throws: ``CommandFailure``.
    func list() throws {
        let asJSON = options.own.isJSON
        var query = "limit=1000"
        var head = asJSON ? nil : SessionColumns.head
        while true {
            let page = try ask("GET", "/sessions?\(query)")
            let sessions = page["sessions"] as? [[String: Any]] ?? []
            var lines = try sessions.map { session in
                guard asJSON else { return SessionColumns.line(of: session) }
                return String(
                    decoding: try JSONSerialization.data(withJSONObject: session, options: .sortedKeys), as: UTF8.self)
            }
            if let head = head.take() { lines.insert(head, at: 0) }
            if !lines.isEmpty { try Console.print(lines.joined(separator: "\n")) }
            guard let next = page["next"] as? String else { return }
            query = "limit=1000&after=\(next)"
        }
    }

    /// - Parameter late: what is said where an answer takes longer.
    /// - Returns: the answer's JSON object, empty where it has none.
    private func ask(
        _ method: String, _ path: String, patience: Double = 60, late: String? = nil
    ) throws -> [String: Any] {
        let (status, body) = try server.ask(method, path, patience: patience, late: late)
        let answer = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        guard (200..<300).contains(status) else {
            throw CommandFailure(
                "\(server.place) answers \(status): \(answer?["detail"] as? String ?? "without a reason")")
        }
        return answer ?? [:]
    }
}

/// The list of sessions as people read it.
enum SessionColumns {
    private typealias Column = (name: String, width: Int, text: @Sendable ([String: Any]) -> String)

    private static let columns: [Column] = [
        ("ID", 17, { $0["id"] as? String ?? "-" }),
        ("WHERE", 8, { $0["inMemory"] as? Bool == true ? "memory" : "store" }),
        ("AGE", 6, { span($0["age"]) }),
        ("UNUSED", 8, { span($0["unusedFor"]) }),
        ("ENDS IN", 9, { span($0["expiresIn"]) }),
        ("BYTES", 9, { number($0["bytes"]) }),
        ("WAITS", 7, { number($0["waits"]) }),
        ("STREAMS", 9, { number($0["streams"]) }),
        ("IN THE LOG", 0, { ($0["log"] as? String ?? "-") + ($0["public"] as? Bool == true ? " (public)" : "") }),
    ]

    static var head: String { line { $0.name } }

    static func line(of session: [String: Any]) -> String { line { $0.text(session) } }

    private static func line(_ text: (Column) -> String) -> String {
        columns.map { column in
            let text = text(column)
            return text + String(repeating: " ", count: max(0, column.width - text.count))
        }.joined()
    }

    private static func number(_ value: Any?) -> String { (value as? Int).map { "\($0)" } ?? "-" }

    /// Seconds in the largest unit of which there are two or more.
    static func span(_ value: Any?) -> String {
        guard let seconds = value as? Int else { return "-" }
        let units = [(86400, "d"), (3600, "h"), (60, "m")]
        let unit = units.first { seconds >= 2 * $0.0 }
        return unit.map { "\(seconds / $0.0)\($0.1)" } ?? "\(seconds)s"
    }
}
