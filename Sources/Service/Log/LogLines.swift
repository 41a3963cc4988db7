import Events
import Foundation
import HTTP

/// Makes the lines of a log, each of a request or an event.
struct LogLines: Sendable {
    private(set) var text: [UInt8] = []
    private let isJSON: Bool
    // What stands before the milliseconds of a line is made once a second.
    private var second = -1
    private var time = ""
    // Most requests come from the client of the request before, and many from its session.
    private var client = Spelled<IPAddress>()
    private var session = Spelled<SessionTag>()

    init(_ format: LogFormat) { isJSON = format == .json }

    /// Takes out the lines that were made since the last call.
    mutating func take() -> [UInt8] {
        defer {
            let length = text.count
            text = []
            text.reserveCapacity(length)
        }
        return text
    }

    /// Makes the line of a request.
    mutating func append(_ entry: ExchangeEntry, at time: Int) {
        let client = self.client.text(of: entry.client)
        let session = entry.session.map { self.session.text(of: $0) }
        // A developer at a terminal wants to know what was refused.
        let path = isJSON ? nil : entry.path.map { word(String($0.prefix(128))) }
        let cause = entry.cause.map(word) ?? ""
        // The other texts are short.
        let room = 512 + entry.route.utf8.count + (path?.utf8.count ?? 0) + cause.utf8.count
        append("request", entry.level, at: time, room: room) { line in
            line.add(" client=", #","client":""#, client)
            if let session { line.add(" session=", #"","session":""#, session) }
            line.add(" method=", #"","method":""#, entry.method ?? "-")
            line.add(path == nil ? " route=" : " path=", #"","route":""#, path ?? entry.route)
            line.add(" status=", #"","status":"#, String(entry.status))
            if let problem = entry.problem { line.add(" problem=", #","problem":""#, problem, "\"") }
            line.add(" ending=", #","ending":""#, entry.ending.rawValue)
            line.add(" bytes=", #"","bytes":"#, String(entry.bytes))
            line.add(" microseconds=", #","microseconds":"#, String(entry.microseconds))
            line.add(" requestId=", #","requestId":""#, entry.requestID, "\"")
            if !cause.isEmpty { line.add(" cause=", #","cause":"#, cause) }
        }
    }

    /// Makes the line of an event.
    ///
    /// - Parameter events: the number of events that the line stands for.
    mutating func append(_ event: Event, standingFor events: Int = 1, at time: Int) {
        let fields = event.fields.map { ($0.name, $0.value) } + (events > 1 ? [("count", .number(events))] : [])
        let members = fields.map { name, value in
            let value =
                switch value {
                case .text(let text): word(text)
                case .number(let number): String(number)
                case .list(let texts) where isJSON: "[\(texts.map(\.quoted).joined(separator: ","))]"
                case .list(let texts): word(texts.joined(separator: ","))
                }
            return isJSON ? ",\"\(name)\":\(value)" : " \(name)=\(value)"
        }
        let text = members.joined()
        append(event.kind.name, event.kind.level, at: time, room: 256 + text.utf8.count) { $0.add(text, text) }
    }

    /// A text in quotes; in text mode a word has none.
    private func word(_ text: String) -> String {
        let isWord = !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != 0x7f }
        return !isJSON && isWord ? text : text.quoted
    }

    /// Appends a line that begins with the time, the level and the event.
    ///
    /// It is made on the stack: each append to an array costs more than the copy of a short text.
    private mutating func append(
        _ event: String, _ level: Event.Level, at milliseconds: Int, room: Int, _ write: (inout Line) -> Void
    ) {
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        if seconds != second {
            second = seconds
            let date = Date(timeIntervalSince1970: TimeInterval(seconds)).ISO8601Format().dropLast()
            time = isJSON ? "{\"time\":\"\(date)." : "\(date)."
        }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: room) { memory in
            var line = Line(memory: memory, isJSON: isJSON)
            line.add(time, time, rest < 10 ? "00" : rest < 100 ? "0" : "")
            line.add("", "", String(rest))
            line.add("Z ", #"Z","level":""#, level.rawValue)
            line.add(" ", #"","event":""#, event, "\"")
            write(&line)
            line.add("\n", "}\n")
            text.append(contentsOf: memory[..<line.count])
        }
    }
}

/// A line in memory of its own; what has no room there is cut off.
private struct Line {
    let memory: UnsafeMutableBufferPointer<UInt8>
    let isJSON: Bool
    var count = 0

    /// Adds the text of the format, a value that needs no escapes, and in JSON what closes it.
    mutating func add(_ text: String, _ json: String, _ value: String = "", _ end: String = "") {
        add(isJSON ? json : text)
        add(value)
        if isJSON { add(end) }
    }

    private mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            guard let source = bytes.baseAddress, let start = memory.baseAddress else { return }
            let length = min(bytes.count, memory.count - count)
            (start + count).update(from: source, count: length)
            count += length
        }
    }
}

/// A value and its text, which is made when the value changes.
private struct Spelled<Value: Equatable & CustomStringConvertible & Sendable>: Sendable {
    private var value: Value?
    private var text = ""

    mutating func text(of value: Value) -> String {
        if value != self.value { (self.value, text) = (value, value.description) }
        return text
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
