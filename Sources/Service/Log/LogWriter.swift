import Dispatch
public import Events
import Foundation
public import HTTP
import Locking

/// Writes a line for each request and each event.
///
/// `docs/events.md` lists the events. No line has a token, a query, a header field, a body or a text that a user typed.
///
/// The log's queue writes the lines of 50 ms together, because one write costs more than a request. A killed process
/// loses the lines that it has not written. Any thread may call the methods, and only ``flush()`` blocks.
public final class LogWriter: ExchangeLog {
    /// In bytes; the log drops lines beyond it.
    private static let mostWaiting = 8 << 20
    private static let period = DispatchTimeInterval.milliseconds(50)

    private let level: Event.Level
    private let now: @Sendable () -> Int
    private let write: @Sendable ([UInt8]) -> Void
    private let lines: Lock<LogLines>
    private let queue = DispatchQueue(label: "log")

    /// Writes lines to standard error.
    ///
    /// - Parameter level: the log skips events and requests below it.
    public convenience init(format: LogFormat, level: Event.Level = .info) {
        // If the write fails, the server still serves.
        self.init(format: format, level: level) { try? FileHandle.standardError.write(contentsOf: $0) }
    }

    /// Passes lines, several at a time, to a closure; one thread at a time calls it.
    package init(
        format: LogFormat, level: Event.Level = .info, now: @escaping @Sendable () -> Int = LogWriter.time,
        write: @escaping @Sendable ([UInt8]) -> Void
    ) {
        (self.level, self.now, self.write) = (level, now, write)
        lines = Lock(LogLines(format))
    }

    /// Milliseconds since 1970-01-01T00:00:00Z, up to 4 late: each request reads this clock, so it must be cheap.
    package static func time() -> Int {
        var clock = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &clock)
        return clock.tv_sec * 1000 + clock.tv_nsec / 1_000_000
    }

    /// Makes the line of a request.
    public func record(_ entry: ExchangeEntry) {
        if entry.level >= level { add { $0.append(entry, at: $1) } }
    }

    /// Makes the line of an event; each kind gets at most ten lines a second.
    public func record(_ event: Event) {
        if event.kind.level >= level { add { $0.append(event, at: $1) } }
    }

    private func add(_ append: (inout LogLines, _ milliseconds: Int) -> Void) {
        let isFirst = lines.withLock { lines in
            // Read the time under the lock, so that the lines are in the order of their times.
            if lines.text.count < Self.mostWaiting { append(&lines, now()) } else { lines.dropped += 1 }
            defer { lines.isScheduled = true }
            return !lines.isScheduled
        }
        if isFirst { queue.asyncAfter(deadline: .now() + Self.period) { self.writePage() } }
    }

    /// Writes all lines; it waits at most a second.
    public func flush() {
        let written = DispatchSemaphore(value: 0)
        queue.async {
            self.writePage()
            written.signal()
        }
        _ = written.wait(timeout: .now() + .seconds(1))
    }

    private func writePage() {
        let text = lines.withLock { lines in
            if lines.dropped > 0 { lines.append(Event(.linesDropped, ["count": .number(lines.dropped)]), at: now()) }
            (lines.dropped, lines.isScheduled) = (0, false)
            return lines.take()
        }
        if !text.isEmpty { write(text) }
    }
}

/// The format of log lines.
public enum LogFormat: String, Sendable, CaseIterable {
    /// One JSON object per line, for programs.
    case json
    /// Words and `name=value` (logfmt), for a person at a terminal.
    case text
}

/// Makes log lines, one for each request or event.
struct LogLines: Sendable {
    private(set) var text: [UInt8] = []
    /// Whether the queue will write the lines.
    var isScheduled = false
    /// The lines that the log dropped since the last write.
    var dropped = 0
    private let isJSON: Bool
    /// For each name of a kind: the lines of its last second, and the events since its last line.
    private var events: [String: (second: Int, lines: Int, events: Int)] = [:]
    // The log makes the text before the milliseconds of a line once a second.
    private var second = -1
    private var time = ""
    // Most requests have the same client as the previous request.
    private var client = (address: IPAddress.unspecified, text: IPAddress.unspecified.description)

    init(_ format: LogFormat) { isJSON = format == .json }

    /// Removes and returns the lines since the last call.
    mutating func take() -> [UInt8] {
        let taken = text
        text = []
        text.reserveCapacity(taken.count)
        return taken
    }

    /// Makes the line of a request.
    mutating func append(_ entry: ExchangeEntry, at time: Int) {
        if client.address != entry.client { client = (entry.client, entry.client.description) }
        let client = client.text
        // Text mode shows a developer the path of a request without a route.
        let path = isJSON ? nil : entry.path.map { word(String($0.prefix(128))) }
        let cause = entry.cause.map(word) ?? ""
        // 512 bytes are enough for the other texts.
        let room = 512 + entry.route.utf8.count + (path?.utf8.count ?? 0) + cause.utf8.count
        append("request", entry.level, at: time, room: room) { line in
            line.add(" client=", #","client":""#, client)
            if let session = entry.session {
                line.add(" session=", #"","session":""#)
                line.add(hexadecimal: session.number)
            }
            line.add(" method=", #"","method":""#, entry.method ?? "-")
            line.add(path == nil ? " route=" : " path=", #"","route":""#, path ?? entry.route)
            line.add(" status=", #"","status":"#)
            line.add(UInt64(clamping: entry.status))
            if let problem = entry.problem {
                line.add(" problem=", #","problem":""#, problem)
                line.add("", "\"")
            }
            line.add(" ending=", #","ending":""#, entry.ending.rawValue)
            line.add(" bytes=", #"","bytes":"#)
            line.add(UInt64(clamping: entry.bytes))
            line.add(" microseconds=", #","microseconds":"#)
            line.add(UInt64(clamping: entry.microseconds))
            line.add(" requestId=", #","requestId":""#, entry.requestID)
            line.add("", "\"")
            if !cause.isEmpty { line.add(" cause=", #","cause":"#, cause) }
        }
    }

    /// Makes the line of an event, unless its kind has ten lines in this second: an attack must not fill the disk.
    ///
    /// The next line of the kind also counts the skipped events.
    mutating func append(_ event: Event, at time: Int) {
        var (second, lines, count) = events[event.kind.name] ?? (0, 0, 0)
        if second != time / 1000 { (second, lines) = (time / 1000, 0) }
        let hasLine = lines < 10
        events[event.kind.name] = (second, lines + 1, hasLine ? 0 : count + 1)
        guard hasLine else { return }
        let fields = event.fields.map { ($0.name, $0.value) } + (count > 0 ? [("count", .number(count + 1))] : [])
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
        append(event.kind.name, event.kind.level, at: time, room: 256 + text.utf8.count) { $0.add(text) }
    }

    /// The text in quotes; in text mode a word has no quotes.
    private func word(_ text: String) -> String {
        let isWord = !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != 0x7f }
        return !isJSON && isWord ? text : text.quoted
    }

    /// Appends a line that begins with the time, the level and the event.
    ///
    /// It makes the line on the stack: each append to an array costs more than the copy of a short text.
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
            line.add(time)
            line.add(UInt64(rest), digits: 3)
            line.add("Z ", #"Z","level":""#, level.rawValue)
            line.add(" ", #"","event":""#, event)
            line.add("", "\"")
            write(&line)
            line.add("\n", "}\n")
            text.append(contentsOf: memory[..<line.count])
        }
    }
}

/// A line in a fixed buffer; it drops the bytes that do not fit.
private struct Line {
    let memory: UnsafeMutableBufferPointer<UInt8>
    let isJSON: Bool
    var count = 0

    /// Adds the fixed text for the format, then a value that needs no escapes.
    mutating func add(_ text: StaticString, _ json: StaticString, _ value: String = "") {
        let text = isJSON ? json : text
        add(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
        add(value)
    }

    mutating func add(_ text: String) { _ = text.utf8.withContiguousStorageIfAvailable { add($0) } }

    /// Adds a number with at least `digits` digits.
    mutating func add(_ number: UInt64, digits: Int = 1) {
        if number >= 10 || digits > 1 { add(number / 10, digits: digits - 1) }
        add(digit: number % 10)
    }

    /// Adds all 16 digits.
    mutating func add(hexadecimal number: UInt64) {
        for shift in stride(from: 60, through: 0, by: -4) { add(digit: number >> UInt64(shift) & 0xf) }
    }

    private mutating func add(digit: UInt64) {
        guard count < memory.count else { return }
        memory[count] = UInt8(truncatingIfNeeded: digit < 10 ? 0x30 + digit : 0x57 + digit)
        count += 1
    }

    private mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress, let start = memory.baseAddress else { return }
        let length = min(bytes.count, memory.count - count)
        (start + count).update(from: source, count: length)
        count += length
    }
}

extension ExchangeEntry {
    /// The level of the line: lower for a probe that succeeds, higher for a fault of the server.
    var level: Event.Level {
        switch status {
        case 500: .error
        case 429, 501...: .warning
        default: status < 400 && (route == "/livez" || route == "/readyz") ? .debug : .info
        }
    }
}
