import HTTP

/// A line of the access log, put together in memory that is lent to it.
///
/// A dozen pieces a line, each of them appended to the page by itself, would cost as much as finding the session.
struct LogLine {
    private let memory: UnsafeMutableBufferPointer<UInt8>
    private var count = 0

    /// Appends a line, with its line break, to a page.
    static func append(_ entry: ExchangeEntry, at time: String, as format: LogFormat, to page: inout [UInt8]) {
        // Enough for what surrounds the route: the rest of a line has an end.
        let capacity = entry.route.utf8.count + 256
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { memory in
            var line = LogLine(memory)
            line.append(entry, at: time, as: format)
            page.append(contentsOf: memory[..<line.count])
        }
    }

    private init(_ memory: UnsafeMutableBufferPointer<UInt8>) { self.memory = memory }

    private mutating func append(_ entry: ExchangeEntry, at time: String, as format: LogFormat) {
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

    private mutating func append(constant piece: StaticString) { piece.withUTF8Buffer { append($0) } }

    private mutating func append(_ piece: String) {
        // A string that is not contiguous UTF-8 comes from Objective-C, where there is none.
        _ = piece.utf8.withContiguousStorageIfAvailable { append($0) }
    }

    /// What does not fit is left out.
    private mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count <= memory.count - count else { return }
        _ = UnsafeMutableBufferPointer(rebasing: memory[count...]).initialize(from: bytes)
        count += bytes.count
    }
}
