import BinderyClient
import BinderyKit
import Foundation

extension Command {
    static let watch = Command(
        "watch", "print each change as a line, until Ctrl-C", words: "[URL]",
        options: [
            ProgramOption("entity", "PATH", "a named entity to watch, as orders/7f3c, instead of the session"),
            ProgramOption("topics", "NAME,…", "view models or facets to watch; by default all", isList: true),
            ProgramOption("snapshot", "on|off", "print the state at the beginning, too", isSwitch: true),
            ProgramOption("json", "on|off", "print a JSON object per line", isSwitch: true),
        ]
    ) { options in
        // If the reader closes the pipe, the loop below ends, not the process.
        signal(SIGPIPE, SIG_IGN)
        var lines = ChangeLines(isJSON: options["json"] == "on", isTerminal: isatty(STDOUT_FILENO) == 1)
        let topics = options["topics"]?.split(separator: ",").map(String.init) ?? []
        var isFirst = true
        try await ServerPlace(options.operands.first).asking { session in
            let changes = session.changes(of: options["entity"], topics: topics) { tell($0) }
            for try await update in changes {
                // The first update is the state, and a later snapshot has all missed changes.
                defer { isFirst = false }
                if isFirst, options["snapshot"] != "on" { continue }
                for change in update.changes {
                    guard try Console.print(lines.line(change, at: Date())) else { return }
                }
            }
        }
    }

    /// Reports on standard error when the connection is lost, and when it is back.
    private static func tell(_ connection: RemoteConnection) {
        let words: String
        switch connection {
        case .live: words = "connected"
        case .waiting(let pause, _): words = "connection lost, trying again in \(pause.shown)"
        case .ended: return
        }
        Console.complain("\(ChangeLines.time(Date()))  …    \(words)")
    }
}

extension RemoteChange.Row {
    /// The members of a row, as in the feed.
    fileprivate var members: String {
        func text(_ text: String?) -> String {
            text.map { ServerPlace.visible(String(decoding: JSONValue.string($0).text, as: UTF8.self)) } ?? "null"
        }
        return #","by":\#(text(member)),"key":\#(text(key))"# + (isRemoved ? #","removed":true"# : "")
            + (isPlaced ? #","after":\#(text(after))"# : "")
    }
}

/// Changes as lines.
struct ChangeLines {
    let isJSON: Bool
    /// A terminal gets columns.
    let isTerminal: Bool
    /// The width of the names so far.
    private var width = 16

    init(isJSON: Bool, isTerminal: Bool) { (self.isJSON, self.isTerminal) = (isJSON, isTerminal) }

    mutating func line(_ change: RemoteChange, at time: Date) -> String {
        let json = ServerPlace.visible(String(decoding: change.value.text, as: UTF8.self))
        let (viewModel, output) = (change.viewModel, change.output)
        if isJSON {
            // Names need no escape.
            return
                #"{"seq":\#(change.seq),"viewModel":"\#(viewModel)","output":"\#(output)"\#(change.row?.members ?? "")"#
                + (change.row?.isRemoved == true ? "}" : #","value":\#(json)}"#)
        }
        let name = "\(viewModel).\(output)" + (change.row.map { "[\($0.key)]" } ?? "")
        let value = change.row?.isRemoved == true ? "removed" : json
        let fields = [Self.time(time), "#\(change.seq)", ServerPlace.visible(name), value]
        guard isTerminal else { return fields.joined(separator: " ") }
        width = max(width, fields[2].count)
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        return "\(fields[0])  \(padded(fields[1], 3))  \(padded(fields[2], width))  \(value)"
    }

    /// The local time of day to the millisecond.
    static func time(_ date: Date) -> String {
        let parts = Calendar.current.dateComponents([.hour, .minute, .second, .nanosecond], from: date)
        return String(
            format: "%02d:%02d:%02d.%03d", parts.hour ?? 0, parts.minute ?? 0, parts.second ?? 0,
            (parts.nanosecond ?? 0) / 1_000_000)
    }
}
