import Foundation
import HTTP
import ViewModels

/// Makes the lines of an access log.
struct LogLines {
    private let format: LogFormat
    private var text: [UInt8] = []
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
            append(entry.bytes)
            append(constant: ",\"microseconds\":")
            append(entry.microseconds)
            append(constant: ",\"requestId\":\"")
            append(entry.requestID)
            append(constant: "\"")
            if let cause = entry.cause { append(",\"cause\":\(Self.quoted(cause))") }
            append(constant: "}\n")
        case .text:
            let ending = entry.ending == .sent ? "" : " (\(entry.ending.rawValue))"
            append("\(time) \(clientText) \(entry.status)\(ending) \(method) \(entry.route) ")
            append("\(entry.bytes)B \(entry.microseconds)µs \(entry.requestID)")
            append(entry.cause.map { " \(Self.quoted($0))\n" } ?? "\n")
        }
    }

    /// The names in a cause are a host's, and may hold whatever it likes.
    private static func quoted(_ text: String) -> String {
        // A string is always encoded.
        String(decoding: (try? JSON.encode(text)) ?? [], as: UTF8.self)
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
}

/// How log lines are written.
public enum LogFormat: String, Sendable, CaseIterable {
    /// One JSON object a line, for machines.
    case json
    /// Columns, for a terminal.
    case text
}
