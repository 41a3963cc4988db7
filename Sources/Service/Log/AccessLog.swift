import Foundation
import HTTP
import Locking

/// Writes a line for every request.
///
/// Client, method, route, status, how it ended, bytes, microseconds, request id: no path, no token, no body.
///
/// Requests are noted as they end, and for 50 milliseconds: then their lines are made and written together, by a thread
/// that answers nobody, since either would cost more than finding the session. What is noted when the process is killed
/// is lost; ``flush()`` writes it.
public final class AccessLog: ExchangeLog {
    private struct Page: Sendable {
        var notes: [LogNote] = []
        /// Whether the page is going to be written, and whether at once.
        var isScheduled = false
        var isHurried = false
        /// Requests that were not noted since the last page, because too many waited.
        var dropped = 0
    }

    // A note is some 100 bytes.
    private static let pageSize = 4 * 1024
    private static let mostWaiting = 64 * 1024

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
        let (isFirst, isFull) = page.withLock { page in
            guard page.notes.count < Self.mostWaiting else {
                page.dropped += 1
                return (false, false)
            }
            // Under the lock, so that the notes are in the order of their times.
            page.notes.append(LogNote(entry))
            let isFirst = !page.isScheduled
            let isFull = page.notes.count >= Self.pageSize && !page.isHurried
            page.isScheduled = true
            if isFull { page.isHurried = true }
            return (isFirst, isFull)
        }
        if isFull {
            queue.async { self.writePage() }
        } else if isFirst {
            queue.asyncAfter(deadline: .now() + .milliseconds(50)) { self.writePage() }
        }
    }

    /// Writes a line about a bound that was reached, behind the requests that were written before.
    public func record(_ notice: BoundNotice) {
        let line = LogLines(format).text(of: notice)
        queue.async { self.write(line) }
    }

    /// Writes a line about an event loop that a handler holds, in the same way.
    public func record(_ held: HeldLoop) {
        let line = LogLines(format).text(of: held)
        queue.async { self.write(line) }
    }

    /// Writes what was noted, before it returns; waits a second at most for whoever does not take it.
    public func flush() {
        let written = DispatchSemaphore(value: 0)
        queue.async {
            self.writePage()
            written.signal()
        }
        _ = written.wait(timeout: .now() + .seconds(1))
    }

    private func writePage() {
        let (notes, dropped) = page.withLock { page in
            defer {
                page.notes.removeAll(keepingCapacity: page.notes.capacity <= 2 * Self.pageSize)
                (page.dropped, page.isScheduled, page.isHurried) = (0, false, false)
            }
            return (page.notes, page.dropped)
        }
        if !notes.isEmpty { write(LogLines(format).text(of: notes)) }
        if dropped > 0 { write(Array(lineAboutDropped(dropped).utf8)) }
    }

    private func lineAboutDropped(_ count: Int) -> String {
        switch format {
        case .json: "{\"dropped\":\(count)}\n"
        case .text: "\(count) lines dropped: nobody took them\n"
        }
    }
}
