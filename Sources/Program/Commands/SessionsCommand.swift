import Foundation
import Service

/// `bindery sessions list`, `bindery sessions end`: asks a running server where operators do.
struct SessionsCommand {
    private let server: RunningServer
    private let task: Task

    private enum Task {
        case list(asJSON: Bool)
        case end(String)
        case endUnused(String)
    }

    /// Reads the command line behind `sessions`.
    ///
    /// - Throws: ``UsageError``.
    init(_ program: any BinderyProgram.Type, _ arguments: [String], _ environment: [String: String]) throws {
        var rest = Array(arguments.dropFirst())
        switch arguments.first {
        case "list":
            let count = rest.count
            rest.removeAll { $0 == "--json" }
            task = .list(asJSON: rest.count < count)
        case "end":
            if let seconds = rest.takeValue(of: "--unused-for") {
                guard let number = Int(seconds), number > 0, !seconds.hasPrefix("+") else {
                    throw UsageError("--unused-for needs a number of seconds from 1, not '\(seconds)'")
                }
                task = .endUnused(seconds)
            } else {
                // An id may begin with two hyphens, too.
                guard let id = rest.first, id.wholeMatch(of: /[A-Za-z0-9_-]{15}/) != nil else {
                    throw UsageError(
                        "sessions end needs the id of a session, of 15 characters, as sessions list shows it, or "
                            + "--unused-for SECONDS")
                }
                task = .end(rest.removeFirst())
            }
        default: throw UsageError("sessions needs to know what to do: list or end; see \(program.name) --help")
        }
        let options = try ServeOptions(of: program, arguments: rest, environment: environment)
        guard let address = options.server.admin else {
            throw UsageError("sessions needs to know where operators ask the server: --admin ADDRESS:PORT")
        }
        server = RunningServer(address)
    }

    /// It goes on, whoever waits for it.
    private static let late = "asked; not done yet: sessions-ended in the log says when it is"

    /// Asks, and prints what came of it.
    ///
    /// - Parameter patience: how many seconds an answer may take.
    /// - Throws: ``CommandFailure``.
    func run(patience: Double = 60) throws {
        switch task {
        case .list(let asJSON): try list(asJSON: asJSON)
        case .end(let id):
            _ = try ask("DELETE", "/sessions/\(id)", patience: patience, late: Self.late)
            Output.print("session \(id) ended")
        case .endUnused(let seconds):
            // Some ten thousand a second.
            let answer = try ask(
                "DELETE", "/sessions?unused-for=\(seconds)", patience: max(patience, 600), late: Self.late)
            Output.print("\(answer["ended"] as? Int ?? 0) sessions ended")
        }
    }

    private func list(asJSON: Bool) throws {
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
            if !lines.isEmpty { Output.print(lines.joined(separator: "\n")) }
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

extension [String] {
    /// Takes `NAME VALUE` or `NAME=VALUE` out, which is no option of serve; nil where it is not there, empty without a value.
    mutating func takeValue(of name: String) -> String? {
        guard let index = firstIndex(where: { $0 == name || $0.hasPrefix("\(name)=") }) else { return nil }
        let word = remove(at: index)
        if word != name { return String(word.dropFirst(name.count + 1)) }
        return indices.contains(index) ? remove(at: index) : ""
    }
}
