import Foundation
import HTTP

/// Makes the lines of an access log.
struct LogLines {
    private let format: LogFormat
    private var text: [UInt8] = []
    // The time of day is made once a second.
    private var second = -1
    private var time = ""

    init(_ format: LogFormat) { self.format = format }

    /// A line for each note.
    consuming func text(of notes: [LogNote]) -> [UInt8] {
        text.reserveCapacity(notes.count * 160)
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
            let bound = "\"bound\":\"\(notice.bound)\",\"client\":\(who),\"count\":\(notice.count)"
            append("{\"time\":\"\(time)\",\(bound)}\n")
        case .text:
            let times = notice.count == 1 ? "once" : "\(notice.count) times"
            append("\(time) --\(notice.bound) reached \(times), last by \(client ?? "a client that left")\n")
        }
        return text
    }

    private mutating func append(_ note: LogNote) {
        if note.time != second {
            second = note.time
            time = Date(timeIntervalSince1970: TimeInterval(second)).ISO8601Format()
        }
        let entry = note.entry
        let method = entry.method?.rawValue ?? "-"
        switch format {
        case .json:
            append(constant: "{\"time\":\"")
            append(time)
            append(constant: "\",\"method\":\"")
            append(method)
            append(constant: "\",\"route\":\"")
            append(entry.route)
            append(constant: "\",\"status\":")
            append(String(entry.status))
            append(constant: ",\"microseconds\":")
            append(String(entry.microseconds))
            append(constant: ",\"requestId\":\"")
            append(entry.requestID)
            append(constant: "\"}\n")
        case .text:
            append("\(time) \(entry.status) \(method) \(entry.route) \(entry.microseconds)µs \(entry.requestID)\n")
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
