import Foundation
import HTTP
import ViewModels

/// Makes the lines of an access log.
struct LogLines {
    private let format: LogFormat
    private var text: [UInt8] = []
    // Requests come in crowds that differ in the end of their lines alone.
    private var start: [UInt8] = []
    private var startIsOf: LogNote?
    // The time of day is made once a second.
    private var second = -1
    private var time = ""
    // The next request is often the same client's.
    private var client = IPAddress.unspecified
    private var clientText = IPAddress.unspecified.description

    init(_ format: LogFormat) { self.format = format }

    /// A line for each note.
    consuming func text(of notes: [LogNote]) -> [UInt8] {
        text.reserveCapacity(notes.count * 240)
        for note in notes { append(note) }
        return text
    }

    /// A line about a bound that was reached.
    consuming func text(of notice: BoundNotice) -> [UInt8] {
        let time = Date.now.ISO8601Format()
        let client = notice.client?.description
        switch format {
        case .json:
            let who = client.map { "\"\($0)\"" } ?? "null"
            let limit = notice.limit.map { ",\"limit\":\($0)" } ?? ""
            let bound = "\"bound\":\"\(notice.bound)\"\(limit),\"client\":\(who),\"count\":\(notice.count)"
            append("{\"time\":\"\(time)\",\(bound)}\n")
        case .text:
            let times = notice.count == 1 ? "once" : "\(notice.count) times"
            let limit = notice.limit.map { " (limit \($0))" } ?? ""
            let who = client.map { ", last by \($0)" } ?? ""
            append("\(time) bound \(notice.bound) reached \(times)\(limit)\(who)\n")
        }
        return text
    }

    /// A line about an event loop that a handler holds.
    consuming func text(of held: HeldLoop) -> [UInt8] {
        let time = Date.now.ISO8601Format()
        let method = held.method.rawValue
        switch format {
        case .json:
            let loop = "\"heldLoop\":\(held.number),\"loops\":\(held.loops)"
            append("{\"time\":\"\(time)\",\(loop),\"method\":\"\(method)\",\"route\":\"\(held.route)\"}\n")
        case .text:
            let until = held.loops > 1 ? "it takes no new connections" : "there is no other, and nobody is served"
            append("\(time) event loop \(held.number) of \(held.loops) is held by \(method) \(held.route): ")
            append("\(until) until it is free\n")
        }
        return text
    }

    private mutating func append(_ note: LogNote) {
        if startIsOf?.beginsLike(note) == true {
            text.append(contentsOf: start)
        } else {
            let index = text.endIndex
            appendStart(of: note)
            start = Array(text[index...])
            startIsOf = note
        }
        let entry = note.entry
        switch format {
        case .json:
            append(entry.bytes)
            append(constant: ",\"microseconds\":")
            append(entry.microseconds)
            append(constant: ",\"requestId\":\"")
            append(entry.requestID)
            append(constant: "\"")
            if let cause = entry.cause { append(",\"cause\":\(Self.quoted(cause))") }
            append(constant: "}\n")
        case .text:
            append("\(entry.bytes)B \(entry.microseconds)µs \(entry.requestID)")
            append(entry.cause.map { " \(Self.quoted($0))\n" } ?? "\n")
        }
    }

    /// The line as far as its number of bytes.
    private mutating func appendStart(of note: LogNote) {
        if note.time != second {
            second = note.time
            time = Date(timeIntervalSince1970: TimeInterval(second)).ISO8601Format()
        }
        let entry = note.entry
        if entry.client != client {
            client = entry.client
            clientText = client.description
        }
        let method = entry.method?.rawValue ?? "-"
        switch format {
        case .json:
            append(constant: "{\"time\":\"")
            append(time)
            append(constant: "\",\"client\":\"")
            append(clientText)
            append(constant: "\",\"method\":\"")
            append(method)
            append(constant: "\",\"route\":\"")
            append(entry.route)
            append(constant: "\",\"status\":")
            append(entry.status)
            append(constant: ",\"ending\":\"")
            append(entry.ending.rawValue)
            append(constant: "\",\"bytes\":")
        case .text:
            let ending = entry.ending == .sent ? "" : " (\(entry.ending.rawValue))"
            append("\(time) \(clientText) \(entry.status)\(ending) \(method) \(entry.route) ")
        }
    }

    /// The names in a cause are a host's, and may hold whatever it likes.
    private static func quoted(_ text: String) -> String {
        // A string is always encoded.
        String(decoding: (try? JSON.encode(text)) ?? [], as: UTF8.self)
    }

    /// A number that is not negative, digit by digit: a text of its own for each costs more than all else in the line.
    private mutating func append(_ number: Int) {
        // No Int has more than 19 digits.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var (rest, first) = (number, digits.count)
            repeat {
                first -= 1
                digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            text.append(contentsOf: UnsafeBufferPointer(rebasing: digits[first...]))
        }
    }

    private mutating func append(_ piece: String) {
        var piece = piece
        piece.withUTF8 { text.append(contentsOf: $0) }
    }

    private mutating func append(constant piece: StaticString) {
        piece.withUTF8Buffer { text.append(contentsOf: $0) }
    }
}

/// A request that is over, and when.
struct LogNote: Sendable {
    let entry: ExchangeEntry
    /// Seconds since 1970-01-01 00:00 UTC.
    let time: Int

    init(_ entry: ExchangeEntry, at time: Int) {
        self.entry = entry
        self.time = time
    }

    /// Notes the time.
    init(_ entry: ExchangeEntry) {
        var clock = timespec()
        // Seconds are all that is wanted, so the clock that is read without asking the hardware will do.
        clock_gettime(CLOCK_REALTIME_COARSE, &clock)
        self.init(entry, at: clock.tv_sec)
    }

    /// Whether its line is the same as far as the number of bytes.
    func beginsLike(_ other: LogNote) -> Bool {
        let (mine, others) = (entry, other.entry)
        return time == other.time && mine.client == others.client && mine.method == others.method
            && mine.route == others.route && mine.status == others.status && mine.ending == others.ending
    }
}

/// How log lines are written.
public enum LogFormat: String, Sendable, CaseIterable {
    /// One JSON object a line, for machines.
    case json
    /// Columns, for a terminal.
    case text
}
