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
    // Most requests come from the client of the request before.
    private var client: (address: IPAddress, text: String)?

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
        begin("request", entry.level, at: time)
        member(#","client":""#, name(of: entry.client))
        if let session = entry.session {
            begin(#","session":""# as StaticString)
            append(hexadecimal: session.number)
            quote()
        }
        member(#","method":""#, entry.method ?? "-")
        if !isJSON, let path = entry.path {
            // A developer at a terminal wants to know what was refused.
            member("path", quoting: String(path.prefix(128)))
        } else {
            member(#","route":""#, entry.route)
        }
        member(#","status":"#, entry.status)
        if let problem = entry.problem { member(#","problem":""#, problem) }
        member(#","ending":""#, entry.ending.rawValue)
        member(#","bytes":"#, entry.bytes)
        member(#","microseconds":"#, entry.microseconds)
        member(#","requestId":""#, entry.requestID)
        if let cause = entry.cause { member("cause", quoting: cause) }
        append(isJSON ? "}\n" : "\n")
    }

    private mutating func name(of address: IPAddress) -> String {
        if let client, client.address == address { return client.text }
        let text = address.description
        client = (address, text)
        return text
    }

    /// Makes the line of an event.
    ///
    /// - Parameter events: the number of events that the line stands for.
    mutating func append(_ event: Event, standingFor events: Int = 1, at time: Int) {
        begin(event.kind.name, event.kind.level, at: time)
        for field in event.fields {
            switch field.value {
            case .text(let text): member(field.name, quoting: text)
            case .number(let number):
                begin(field.name)
                append(number)
            case .list(let texts) where isJSON:
                begin(field.name)
                append("[\(texts.map(\.quoted).joined(separator: ","))]")
            case .list(let texts): member(field.name, quoting: texts.joined(separator: ","))
            }
        }
        if events > 1 { member(#","count":"#, events) }
        append(isJSON ? "}\n" : "\n")
    }

    // MARK: Pieces

    /// Begins a line with the time, the level and the event.
    private mutating func begin(_ event: String, _ level: Event.Level, at milliseconds: Int) {
        if milliseconds / 1000 != second {
            second = milliseconds / 1000
            let date = Date(timeIntervalSince1970: TimeInterval(second)).ISO8601Format().dropLast()
            time = isJSON ? "{\"time\":\"\(date)." : "\(date)."
        }
        append(time)
        let rest = milliseconds % 1000
        append(rest < 10 ? "00" : rest < 100 ? "0" : "")
        append(rest)
        append(isJSON ? #"Z","level":""# : "Z ")
        append(level.rawValue)
        append(isJSON ? #"","event":""# : " ")
        append(event)
        quote()
    }

    /// Adds a member whose text needs no escapes.
    ///
    /// - Parameter name: in JSON, with what stands around it: one piece costs less than several.
    private mutating func member(_ name: StaticString, _ value: String) {
        begin(name)
        append(value)
        quote()
    }

    private mutating func member(_ name: StaticString, _ number: Int) {
        begin(name)
        append(number)
    }

    private mutating func member(_ name: String, quoting value: String) {
        begin(name)
        let isWord = !value.isEmpty && value.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != 0x7f }
        append(!isJSON && isWord ? value : value.quoted)
    }

    private mutating func begin(_ name: StaticString) {
        guard !isJSON else { return append(name) }
        begin("\(name)".filter(\.isLetter))
    }

    private mutating func begin(_ name: String) { append(isJSON ? ",\"\(name)\":" : " \(name)=") }

    /// The quote after a text in JSON.
    private mutating func quote() {
        if isJSON { append("\"") }
    }

    /// A number that is not negative, without a text of its own.
    private mutating func append(_ number: Int) {
        if number >= 10 { append(number / 10) }
        text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
    }

    /// All 16 digits.
    private mutating func append(hexadecimal number: UInt64) {
        for shift in stride(from: 60, through: 0, by: -4) {
            let digit = UInt8(truncatingIfNeeded: number >> UInt64(shift)) & 0xf
            text.append(digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10))
        }
    }

    private mutating func append(_ piece: String) {
        var piece = piece
        piece.withUTF8 { text.append(contentsOf: $0) }
    }

    private mutating func append(_ piece: StaticString) {
        text.append(contentsOf: UnsafeBufferPointer(start: piece.utf8Start, count: piece.utf8CodeUnitCount))
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
