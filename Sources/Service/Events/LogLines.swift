import Events
import Foundation
import HTTP
import ViewModels

/// How log lines are written.
public enum LogFormat: String, Sendable, CaseIterable {
    /// One JSON object a line, for machines.
    case json
    /// Columns, for a terminal.
    case text
}

/// How lines look.
struct LogStyle: Sendable {
    let format: LogFormat
    /// Whether each line begins with its priority for the journal.
    var hasPriorities = false
}

/// Makes the lines of a log.
struct LogLines {
    private let style: LogStyle
    private var text: [UInt8] = []
    // The time of day is made once a second.
    private var second = -1
    private var time = ""
    // The next request is often the same client's.
    private var client = IPAddress.unspecified
    private var clientText = IPAddress.unspecified.description

    init(_ style: LogStyle) { self.style = style }

    /// A line for each note.
    consuming func text(of notes: [LogNote]) -> [UInt8] {
        text.reserveCapacity(notes.count * 300)
        for note in notes {
            switch note.what {
            case .request(let entry): append(entry, at: note.time)
            case .event(let event): append(event, at: note.time)
            }
        }
        return text
    }

    private mutating func append(_ entry: ExchangeEntry, at time: Int) {
        begin(entry.level, at: time)
        if entry.client != client {
            client = entry.client
            clientText = client.description
        }
        switch style.format {
        case .json: appendJSON(entry)
        case .text: appendText(entry)
        }
    }

    private mutating func appendJSON(_ entry: ExchangeEntry) {
        append(constant: "\",\"event\":\"request\",\"client\":\"")
        append(clientText)
        if let session = entry.session {
            append(constant: "\",\"session\":\"")
            append(session.description)
        }
        append(constant: "\",\"method\":\"")
        append(entry.method ?? "-")
        append(constant: "\",\"route\":\"")
        append(entry.route)
        append(constant: "\",\"status\":")
        append(entry.status)
        if let problem = entry.problem {
            append(constant: ",\"problem\":")
            append(JSON.text(problem))
        }
        append(constant: ",\"ending\":\"")
        append(entry.ending.rawValue)
        append(constant: "\",\"bytes\":")
        append(entry.bytes)
        append(constant: ",\"microseconds\":")
        append(entry.microseconds)
        append(constant: ",\"requestId\":\"")
        append(entry.requestID)
        append(constant: "\"")
        if let traceparent = entry.traceparent {
            append(constant: ",\"traceparent\":\"")
            append(traceparent)
            append(constant: "\"")
        }
        if let cause = entry.cause {
            append(constant: ",\"cause\":")
            // The names in it are a host's, and may hold whatever it likes.
            append(JSON.text(cause))
        }
        append(constant: "}\n")
    }

    private mutating func appendText(_ entry: ExchangeEntry) {
        let ending = entry.ending == .sent ? "" : " (\(entry.ending.rawValue))"
        append(" \(clientText) \(entry.status)\(ending) \(entry.method ?? "-") \(entry.route) ")
        append("\(entry.bytes)B \(entry.microseconds)µs \(entry.requestID)")
        for (name, value) in [
            ("session", entry.session?.description), ("problem", entry.problem), ("traceparent", entry.traceparent),
            ("cause", entry.cause),
        ] { if let value { append(" \(name)=\(Self.word(value))") } }
        append(constant: "\n")
    }

    private mutating func append(_ event: Event, at time: Int) {
        begin(event.kind.level, at: time)
        switch style.format {
        case .json:
            append("\",\"event\":\"\(event.kind.name)\"")
            for field in event.fields { append(",\"\(field.name)\":\(field.value.json)") }
            append(constant: "}\n")
        case .text:
            append(" \(event.kind.name)")
            for field in event.fields { append(" \(field.name)=\(Self.word(field.value.text))") }
            append(constant: "\n")
        }
    }

    /// What every line begins with, up to the level.
    private mutating func begin(_ level: Event.Level, at milliseconds: Int) {
        if style.hasPriorities { append("<\(level.priority)>") }
        if milliseconds / 1000 != second {
            second = milliseconds / 1000
            time = String(Date(timeIntervalSince1970: TimeInterval(second)).ISO8601Format().dropLast())
        }
        if style.format == .json { append(constant: "{\"time\":\"") }
        append(time)
        append(constant: ".")
        let rest = milliseconds % 1000
        if rest < 100 { append(constant: "0") }
        if rest < 10 { append(constant: "0") }
        append(rest)
        append(constant: "Z")
        append(style.format == .json ? "\",\"level\":\"" : " ")
        append(level.rawValue)
    }

    /// A text as one word of a line: quoted where it would be several.
    private static func word(_ text: String) -> String {
        let isPlain = !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != 0x7f }
        return isPlain ? text : JSON.text(text)
    }

    /// A number that is not negative, digit by digit: a text of its own for each costs more than all else in the line.
    private mutating func append(_ number: Int) {
        if number >= 10 { append(number / 10) }
        text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
    }

    private mutating func append(_ piece: String) {
        var piece = piece
        piece.withUTF8 { text.append(contentsOf: $0) }
    }

    private mutating func append(constant piece: StaticString) {
        piece.withUTF8Buffer { text.append(contentsOf: $0) }
    }
}

extension Event.Value {
    fileprivate var json: String {
        switch self {
        case .text(let text): JSON.text(text)
        case .number(let number): "\(number)"
        case .list(let texts): "[\(texts.map(JSON.text).joined(separator: ","))]"
        }
    }

    fileprivate var text: String {
        switch self {
        case .text(let text): text
        case .number(let number): "\(number)"
        case .list(let texts): texts.joined(separator: ",")
        }
    }
}
