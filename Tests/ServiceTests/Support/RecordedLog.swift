import Service
import TestSupport

/// A log that is kept to be looked at.
struct RecordedLog: Sendable {
    let log: LogWriter
    private let written: History<[UInt8]>

    init(format: LogFormat) {
        let written = History<[UInt8]>()
        self.written = written
        log = LogWriter(format: format) { written.note($0) }
    }

    /// All lines so far.
    var lines: [Substring] {
        log.flush()
        return String(utf8: written.elements.joined()).split(separator: "\n")
    }

    /// Returns the lines once there are so many: a line is written after its answer was sent.
    func lines(count: Int) async -> [Substring] {
        _ = await eventually { lines.count >= count }
        return lines
    }

    /// Returns the lines of one request once there is one: it is written after its answer was sent.
    func lines(of answer: ReceivedResponse) async -> [Substring] {
        guard let id = answer["Request-Id"] else { return [] }
        func told() -> [Substring] { lines.filter { $0.contains("\"requestId\":\"\(id)\"") } }
        _ = await eventually { !told().isEmpty }
        return told()
    }
}
