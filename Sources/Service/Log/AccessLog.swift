import Foundation
import HTTP
import Locking

/// Writes a line for every request.
///
/// Method, route, status, microseconds, request id: no path, no token, no body.
///
/// Lines are gathered for a few milliseconds and written together, since a write for each would cost more than the
/// request it tells of. What is gathered when the process is killed is lost; ``flush()`` writes it.
public final class AccessLog: ExchangeLog {
    private struct Page: Sendable {
        var text: [UInt8] = []
        var stamp = TimeStamp()
        /// Whether the page is going to be written, and whether at once.
        var isScheduled = false
        var isHurried = false
        /// Lines that were not kept since the last page, because too many waited.
        var dropped = 0

        mutating func append(_ pieces: String...) {
            for piece in pieces { text.append(contentsOf: piece.utf8) }
        }
    }

    private static let pageSize = 64 * 1024
    private static let mostWaiting = 4 * 1024 * 1024

    private let format: LogFormat
    private let write: @Sendable ([UInt8]) -> Void
    private let page = Lock(Page())
    private let queue = DispatchQueue(label: "bindery.log")

    /// Writes lines to a descriptor.
    ///
    /// - Parameter descriptor: stays open for as long as the log lives; standard error by default.
    public convenience init(format: LogFormat, descriptor: Int32 = FileHandle.standardError.fileDescriptor) {
        self.init(format: format) { text in
            // A log that cannot be written is no reason to stop serving.
            try? FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(contentsOf: text)
        }
    }

    /// Hands lines, several at a time, to a closure; it is called from one thread at a time.
    public init(format: LogFormat, write: @escaping @Sendable ([UInt8]) -> Void) {
        self.format = format
        self.write = write
    }

    /// Notes a request; where nobody takes the lines and too many wait, it is counted instead.
    public func record(_ entry: ExchangeEntry) {
        let delay: DispatchTimeInterval? = page.withLock { page in
            guard page.text.count < Self.mostWaiting else {
                page.dropped += 1
                return nil
            }
            append(entry, to: &page)
            let isFull = page.text.count >= Self.pageSize
            guard !page.isScheduled || (isFull && !page.isHurried) else { return nil }
            page.isScheduled = true
            page.isHurried = isFull
            return isFull ? .nanoseconds(0) : .milliseconds(20)
        }
        if let delay { queue.asyncAfter(deadline: .now() + delay) { self.writePage() } }
    }

    /// Writes what was gathered, before it returns; waits a second at most for whoever does not take it.
    public func flush() {
        let written = DispatchSemaphore(value: 0)
        queue.async {
            self.writePage()
            written.signal()
        }
        _ = written.wait(timeout: .now() + .seconds(1))
    }

    private func writePage() {
        let (text, dropped) = page.withLock { page in
            defer {
                page.text.removeAll(keepingCapacity: page.text.capacity <= 2 * Self.pageSize)
                (page.dropped, page.isScheduled, page.isHurried) = (0, false, false)
            }
            return (page.text, page.dropped)
        }
        if !text.isEmpty { write(text) }
        if dropped > 0 { write(Array(lineAboutDropped(dropped).utf8)) }
    }

    private func lineAboutDropped(_ count: Int) -> String {
        switch format {
        case .json: "{\"dropped\":\(count)}\n"
        case .text: "\(count) lines dropped: nobody took them\n"
        }
    }

    private func append(_ entry: ExchangeEntry, to page: inout Page) {
        let stamp = page.stamp.now()
        // A method is whatever a client wrote; only one we know may stand in a line.
        let method = Method(rawValue: entry.method)?.rawValue ?? "-"
        switch format {
        case .json:
            page.append(
                "{\"time\":\"", stamp, "\",\"method\":\"", method, "\",\"route\":\"", entry.route,
                "\",\"status\":", String(entry.status), ",\"microseconds\":", String(entry.microseconds),
                ",\"requestId\":\"", entry.requestID, "\"}\n")
        case .text:
            page.append(
                stamp, " ", String(entry.status), " ", method, " ", entry.route, " ",
                String(entry.microseconds), "µs ", entry.requestID, "\n")
        }
    }
}
