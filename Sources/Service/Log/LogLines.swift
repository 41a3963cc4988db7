import Events
import Foundation
import HTTP
import ViewModels

/// The form of log lines.
public enum LogFormat: String, Sendable, CaseIterable {
    /// One JSON object a line, for machines.
    case json
    /// Columns, for a terminal.
    case text
}

/// Makes the lines of a log.
struct LogLines: Sendable {
    let format: LogFormat
    /// Whether each line begins with its priority for the journal (sd-daemon(3)).
    let hasPriorities: Bool

    private(set) var text: [UInt8] = []
    private(set) var count = 0
    // The date and time are made once a second.
    private var second = -1
    private var time = ""
    // Most requests come from the client of the request before.
    private var client: (address: IPAddress, text: String)?

    init(_ format: LogFormat, hasPriorities: Bool = false) {
        (self.format, self.hasPriorities) = (format, hasPriorities)
    }

    /// Takes out the lines that were made since the last call.
    mutating func take() -> [UInt8] {
        defer {
            let length = text.count
            (text, count) = ([], 0)
            text.reserveCapacity(length)
        }
        return text
    }

    /// Makes the line of a request.
    mutating func append(_ entry: ExchangeEntry, at time: Int) {
        if format == .json { appendJSON(entry, at: time) } else { appendText(entry, at: time) }
        count += 1
    }

    private mutating func appendJSON(_ entry: ExchangeEntry, at time: Int) {
        begin(entry.level, at: time)
        member("event", "request")
        member("client", text(of: entry.client))
        if let session = entry.session { member("session", session.description) }
        member("method", entry.method ?? "-")
        member("route", entry.route)
        member("status", entry.status)
        if let problem = entry.problem { member("problem", problem) }
        member("ending", entry.ending.rawValue)
        member("bytes", entry.bytes)
        member("microseconds", entry.microseconds)
        member("requestId", entry.requestID)
        if let traceparent = entry.traceparent { member("traceparent", traceparent) }
        if let cause = entry.cause { append(",\"cause\":\(YAMLText.quoted(cause))") }
        append("}\n")
    }

    private mutating func text(of address: IPAddress) -> String {
        if let client, client.address == address { return client.text }
        let text = address.description
        client = (address, text)
        return text
    }

    /// A member whose text needs no escapes.
    private mutating func member(_ name: StaticString, _ text: String) {
        append(",\"")
        append(name)
        append("\":\"")
        append(text)
        append("\"")
    }

    private mutating func member(_ name: StaticString, _ number: Int) {
        append(",\"")
        append(name)
        append("\":")
        append(number)
    }

    /// The path stands for the route where there is none: whoever tries requests at a terminal wants to know what was refused.
    private mutating func appendText(_ entry: ExchangeEntry, at time: Int) {
        begin(entry.level, at: time)
        let ending = entry.ending == .sent ? "" : " (\(entry.ending.rawValue))"
        let place = entry.path.map { Self.word(String($0.prefix(128))) } ?? entry.route
        append(" \(entry.client) \(entry.status)\(ending) \(entry.method ?? "-") \(place) ")
        append("\(entry.bytes)B \(entry.microseconds)µs \(entry.requestID)")
        for (name, value) in [
            ("session", entry.session?.description), ("problem", entry.problem), ("traceparent", entry.traceparent),
            ("cause", entry.cause),
        ] { if let value { append(" \(name)=\(Self.word(value))") } }
        append("\n")
    }

    /// Makes the line of an event.
    ///
    /// - Parameter events: the number of events that the line stands for.
    mutating func append(_ event: Event, standingFor events: Int = 1, at time: Int) {
        count += 1
        begin(event.kind.level, at: time)
        var fields = event.fields.map { ($0.name, $0.value) }
        let isCounted = events > 1 || event.kind.fields.contains("count")
        if isCounted, event["count"] == nil { fields.append(("count", .number(events))) }
        switch format {
        case .json:
            member("event", event.kind.name)
            for (name, value) in fields { append(",\"\(name)\":\(value.json)") }
            append("}\n")
        case .text:
            append(" \(event.kind.name)")
            for (name, value) in fields { append(" \(name)=\(Self.word(value.text))") }
            append("\n")
        }
    }

    /// The beginning of each line, up to the level.
    private mutating func begin(_ level: Event.Level, at milliseconds: Int) {
        if hasPriorities { append("<\(level.priority)>") }
        if milliseconds / 1000 != second {
            second = milliseconds / 1000
            time = String(Date(timeIntervalSince1970: TimeInterval(second)).ISO8601Format().dropLast())
        }
        if format == .json { append("{\"time\":\"") }
        append(time)
        let rest = milliseconds % 1000
        append(rest < 10 ? ".00" : rest < 100 ? ".0" : ".")
        append(rest)
        append(format == .json ? "Z\"" : "Z ")
        if format == .json { member("level", level.rawValue) } else { append(level.rawValue) }
    }

    /// A text as one word of a line, in quotes where it would be several.
    private static func word(_ text: String) -> String {
        let isPlain = !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != 0x7f }
        return isPlain ? text : YAMLText.quoted(text)
    }

    /// A number that is not negative, without a text of its own.
    private mutating func append(_ number: Int) {
        if number >= 10 { append(number / 10) }
        text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
    }

    private mutating func append(_ piece: StaticString) {
        text.append(contentsOf: UnsafeBufferPointer(start: piece.utf8Start, count: piece.utf8CodeUnitCount))
    }

    @_disfavoredOverload
    private mutating func append(_ piece: String) {
        var piece = piece
        piece.withUTF8 { text.append(contentsOf: $0) }
    }
}

extension Event.Value {
    fileprivate var json: String {
        switch self {
        case .text(let text): YAMLText.quoted(text)
        case .number(let number): "\(number)"
        case .list(let texts): "[\(texts.map(YAMLText.quoted).joined(separator: ","))]"
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

extension ExchangeEntry {
    /// A probe that finds all well matters less than other requests, a fault of the server more.
    var level: Event.Level {
        switch status {
        case 500: .error
        case 429, 501...: .warning
        default: status < 400 && (route == "/livez" || route == "/readyz") ? .debug : .info
        }
    }
}
