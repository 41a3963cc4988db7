import Dispatch
public import Events
import Foundation
public import HTTP
import Locking
import ViewModels

/// Writes a line for each request and each event.
///
/// `docs/events.md` lists the events. No line has a token, a query, a header field, a body or a text that a user typed.
///
/// The line of a request is made when it ends. A thread of the log writes the lines of 50 milliseconds together, because a write
/// costs an event loop more than the request. An event has all lines written at once. Lines are lost if the process is killed;
/// ``flush()`` writes them. All methods may be called from any thread, and none but ``flush()`` blocks.
public final class LogWriter: ExchangeLog {
    private struct Page: Sendable {
        var lines: LogLines
        var limit = LogLimit()
        /// Whether the page is going to be written.
        var isScheduled = false
        /// Lines lost since the last page.
        var dropped = 0

        /// Whether there is room for a line; else the line is counted.
        mutating func hasRoom() -> Bool {
            if lines.text.count < LogWriter.mostWaiting { return true }
            dropped += 1
            return false
        }
    }

    /// In bytes.
    private static let mostWaiting = 8 << 20
    private static let period = DispatchTimeInterval.milliseconds(50)

    private let level: Event.Level
    private let now: @Sendable () -> Int
    private let write: @Sendable ([UInt8]) -> Void
    private let page: Lock<Page>
    private let queue = DispatchQueue(label: "log")

    /// Writes lines to a descriptor.
    ///
    /// - Parameters:
    ///   - level: events and requests below it are left out.
    ///   - descriptor: stays open as long as the log; standard error by default.
    public convenience init(
        format: LogFormat, level: Event.Level = .info, descriptor: Int32 = FileHandle.standardError.fileDescriptor
    ) {
        self.init(format: format, level: level) { text in
            // The server serves on if its log cannot be written.
            try? FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(contentsOf: text)
        }
    }

    /// Hands lines, several at a time, to a closure, which one thread at a time calls.
    package init(
        format: LogFormat, level: Event.Level = .info, now: @escaping @Sendable () -> Int = LogWriter.time,
        write: @escaping @Sendable ([UInt8]) -> Void
    ) {
        (self.level, self.now, self.write) = (level, now, write)
        page = Lock(Page(lines: LogLines(format)))
    }

    /// Milliseconds since 1970-01-01T00:00:00Z, up to 4 behind: each request asks, and this clock costs little.
    package static func time() -> Int {
        var clock = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &clock)
        return clock.tv_sec * 1000 + clock.tv_nsec / 1_000_000
    }

    /// Makes the line of a request.
    public func record(_ entry: ExchangeEntry) {
        guard entry.level >= level else { return }
        let isFirst = page.withLock { page in
            // The time is taken under the lock, so that the lines are in its order.
            if page.hasRoom() { page.lines.append(entry, at: now()) }
            defer { page.isScheduled = true }
            return !page.isScheduled
        }
        if isFirst { queue.asyncAfter(deadline: .now() + Self.period) { self.writePage() } }
    }

    /// Makes the line of an event; in a second, at most ten events of a kind are a line each.
    public func record(_ event: Event) {
        guard event.kind.level >= level else { return }
        let hasLine = page.withLock { page in
            let time = now()
            guard let events = page.limit.take(event, at: time) else { return false }
            if page.hasRoom() { page.lines.append(event, standingFor: events, at: time) }
            return true
        }
        if hasLine { queue.async { self.writePage() } }
    }

    /// Writes all lines before it returns; it waits a second at most.
    public func flush() {
        let written = DispatchSemaphore(value: 0)
        queue.async {
            self.writePage()
            written.signal()
        }
        _ = written.wait(timeout: .now() + .seconds(1))
    }

    private func writePage() {
        let text = page.withLock { page in
            if page.dropped > 0 {
                page.lines.append(Event(.linesDropped, ["count": .number(page.dropped)]), at: now())
            }
            (page.dropped, page.isScheduled) = (0, false)
            return page.lines.take()
        }
        if !text.isEmpty { write(text) }
    }
}

/// Limits the lines of each kind of event, so that an attack cannot fill the disk.
///
/// In a second, the first ten events of a kind are a line each. The next line of the kind also stands for the events without one.
struct LogLimit: Sendable {
    /// How many lines of a kind a second may have.
    static let linesPerSecond = 10

    /// By the name of the kind.
    private var windows: [String: (second: Int, lines: Int, leftOut: Int)] = [:]

    /// Takes an event.
    ///
    /// - Returns: the number of events that its line stands for; nil if it has no line.
    mutating func take(_ event: Event, at milliseconds: Int) -> Int? {
        let second = milliseconds / 1000
        var window = windows[event.kind.name] ?? (second, 0, 0)
        defer { windows[event.kind.name] = window }
        if window.second != second { (window.second, window.lines) = (second, 0) }
        guard window.lines < Self.linesPerSecond else {
            window.leftOut += 1
            return nil
        }
        defer { window.leftOut = 0 }
        window.lines += 1
        return window.leftOut + 1
    }
}

/// The form of log lines.
public enum LogFormat: String, Sendable, CaseIterable {
    /// One JSON object a line, for machines.
    case json
    /// Words and `name=value` (logfmt), for a terminal.
    case text
}

/// Makes the lines of a log.
struct LogLines: Sendable {
    let format: LogFormat

    private(set) var text: [UInt8] = []
    // What stands before the milliseconds of a line is made once a second.
    private var second = -1
    private var time = ""
    // Most requests come from the client of the request before.
    private var client: (address: IPAddress, text: String)?

    init(_ format: LogFormat) { self.format = format }

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
        let client = text(of: entry.client)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: LogLine.usual) { buffer in
            var line = begin("request", entry.level, at: time, in: buffer)
            line.member(#","client":""#, " client=", client)
            if let session = entry.session {
                line.append(line.format == .json ? #","session":""# : " session=")
                line.append(hexadecimal: session.number)
                line.quote()
            }
            line.member(#","method":""#, " method=", entry.method ?? "-")
            if line.format == .text, let path = entry.path {
                // A developer at a terminal wants to know what was refused.
                line.member("path", quoting: String(path.prefix(128)))
            } else {
                line.member(#","route":""#, " route=", entry.route)
            }
            line.member(#","status":"#, " status=", entry.status)
            if let problem = entry.problem { line.member(#","problem":""#, " problem=", problem) }
            line.member(#","ending":""#, " ending=", entry.ending.rawValue)
            line.member(#","bytes":"#, " bytes=", entry.bytes)
            line.member(#","microseconds":"#, " microseconds=", entry.microseconds)
            line.member(#","requestId":""#, " requestId=", entry.requestID)
            if let trace = entry.traceparent { line.member(#","traceparent":""#, " traceparent=", trace) }
            if let cause = entry.cause { line.member("cause", quoting: cause) }
            line.end(in: &text)
        }
    }

    private mutating func text(of address: IPAddress) -> String {
        if let client, client.address == address { return client.text }
        let text = address.description
        client = (address, text)
        return text
    }

    /// Makes the line of an event.
    ///
    /// - Parameter events: the number of events that the line stands for.
    mutating func append(_ event: Event, standingFor events: Int = 1, at time: Int) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: LogLine.usual) { buffer in
            var line = begin(event.kind.name, event.kind.level, at: time, in: buffer)
            for field in event.fields {
                switch field.value {
                case .text(let text): line.member(field.name, quoting: text)
                case .number(let number):
                    line.begin(field.name)
                    line.append(number)
                case .list(let texts) where line.format == .json:
                    line.append(",\"\(field.name)\":[\(texts.map(YAMLText.quoted).joined(separator: ","))]")
                case .list(let texts): line.member(field.name, quoting: texts.joined(separator: ","))
                }
            }
            if events > 1 { line.member(#","count":"#, " count=", events) }
            line.end(in: &text)
        }
    }

    /// Begins a line with the time, the level and the event.
    private mutating func begin(
        _ event: String, _ level: Event.Level, at milliseconds: Int, in buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> LogLine {
        if milliseconds / 1000 != second {
            second = milliseconds / 1000
            let date = Date(timeIntervalSince1970: TimeInterval(second)).ISO8601Format().dropLast()
            time = format == .json ? "{\"time\":\"\(date)." : "\(date)."
        }
        var line = LogLine(format: format, buffer: buffer)
        line.append(time)
        let rest = milliseconds % 1000
        line.append(rest < 10 ? "00" : rest < 100 ? "0" : "")
        line.append(rest)
        line.member(#"Z","level":""#, "Z ", level.rawValue)
        line.member(#","event":""#, " ", event)
        return line
    }
}

/// A line that is being made: a few pieces in memory of the stack take less time than as many appends to an array.
private struct LogLine {
    /// In bytes: few lines are longer.
    static let usual = 512

    let format: LogFormat
    /// What is not moved yet.
    let buffer: UnsafeMutableBufferPointer<UInt8>
    private var count = 0
    /// The begin of a line that is longer than the buffer.
    private var moved: [UInt8] = []

    init(format: LogFormat, buffer: UnsafeMutableBufferPointer<UInt8>) { (self.format, self.buffer) = (format, buffer) }

    /// Ends the line, and appends it to others.
    mutating func end(in text: inout [UInt8]) {
        append(format == .json ? "}\n" : "\n")
        if !moved.isEmpty { text += moved }
        text.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[..<count]))
    }

    /// A member whose text needs no escapes.
    ///
    /// - Parameters:
    ///   - json: the name in JSON, with what stands around it up to the value.
    ///   - logfmt: the name in the other format.
    mutating func member(_ json: StaticString, _ logfmt: StaticString, _ value: String) {
        append(format == .json ? json : logfmt)
        append(value)
        quote()
    }

    mutating func member(_ json: StaticString, _ logfmt: StaticString, _ number: Int) {
        append(format == .json ? json : logfmt)
        append(number)
    }

    mutating func member(_ name: String, quoting text: String) {
        begin(name)
        let isWord = !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != 0x7f }
        append(format == .text && isWord ? text : YAMLText.quoted(text))
    }

    mutating func begin(_ name: String) {
        append(format == .json ? ",\"" : " ")
        append(name)
        append(format == .json ? "\":" : "=")
    }

    /// The quote after a text in JSON.
    mutating func quote() {
        if format == .json { append("\"") }
    }

    /// A number that is not negative, without a text of its own.
    mutating func append(_ number: Int) {
        if number >= 10 { append(number / 10) }
        append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
    }

    /// All 16 digits.
    mutating func append(hexadecimal number: UInt64) {
        for shift in stride(from: 60, through: 0, by: -4) {
            let digit = UInt8(truncatingIfNeeded: number >> UInt64(shift)) & 0xf
            append(digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10))
        }
    }

    mutating func append(_ piece: String) {
        var piece = piece
        piece.withUTF8 { append($0) }
    }

    mutating func append(_ piece: StaticString) {
        append(UnsafeBufferPointer(start: piece.utf8Start, count: piece.utf8CodeUnitCount))
    }

    private mutating func append(_ byte: UInt8) {
        if count == buffer.count { makeRoom() }
        buffer[count] = byte
        count += 1
    }

    private mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        if count + bytes.count > buffer.count { makeRoom() }
        guard bytes.count <= buffer.count, let start = buffer.baseAddress, let piece = bytes.baseAddress else {
            return moved += bytes
        }
        (start + count).update(from: piece, count: bytes.count)
        count += bytes.count
    }

    private mutating func makeRoom() {
        moved += buffer[..<count]
        count = 0
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
