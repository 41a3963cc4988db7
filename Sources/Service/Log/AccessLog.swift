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

        mutating func append(_ pieces: String...) {
            for piece in pieces { text.append(contentsOf: piece.utf8) }
        }
    }

    private static let pageSize = 64 * 1024

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

    /// Notes a request.
    public func record(_ entry: ExchangeEntry) {
        let (isFirst, isFull) = page.withLock { page in
            let isFirst = page.text.isEmpty
            append(entry, to: &page)
            return (isFirst, page.text.count >= Self.pageSize)
        }
        if isFull {
            queue.async { self.writePage() }
        } else if isFirst {
            queue.asyncAfter(deadline: .now() + .milliseconds(20)) { self.writePage() }
        }
    }

    /// Writes what was gathered, before it returns.
    public func flush() { queue.sync { writePage() } }

    private func writePage() {
        let text = page.withLock { page in
            defer { page.text.removeAll(keepingCapacity: page.text.capacity <= 2 * Self.pageSize) }
            return page.text
        }
        if !text.isEmpty { write(text) }
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
