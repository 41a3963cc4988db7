import Dispatch
public import Events
import Foundation
public import HTTP
import Locking

/// Writes a line for each request and each event.
///
/// `docs/events.md` lists the events. No line has a token, a query, a header field, a body or a text that a user typed.
///
/// A thread of the log writes the lines of 50 milliseconds together, because a write costs an event loop more than a request.
/// Lines are lost if the process is killed; ``flush()`` writes them. All methods may be called from any thread, and none but
/// ``flush()`` blocks.
public final class LogWriter: ExchangeLog {
    private struct Page: Sendable {
        var lines: LogLines
        /// Whether the page is going to be written.
        var isScheduled = false
        /// Lines lost since the last page.
        var dropped = 0
        /// By the name of the kind, the events of its last second.
        var events: [String: (second: Int, count: Int)] = [:]

        /// Counts an event, so that an attack cannot fill the disk.
        ///
        /// - Returns: the number of events that its line stands for, those before it without a line among them; nil if it
        ///   has no line.
        mutating func count(_ event: Event, at milliseconds: Int) -> Int? {
            let (second, name) = (milliseconds / 1000, event.kind.name)
            let last = events[name] ?? (second, 0)
            let isNew = last.second != second
            events[name] = (second, isNew ? 1 : last.count + 1)
            if isNew { return max(0, last.count - LogWriter.linesPerSecond) + 1 }
            return last.count < LogWriter.linesPerSecond ? 1 : nil
        }
    }

    /// In bytes.
    private static let mostWaiting = 8 << 20
    /// How many lines of a kind of event a second may have.
    private static let linesPerSecond = 10
    private static let period = DispatchTimeInterval.milliseconds(50)

    private let level: Event.Level
    private let now: @Sendable () -> Int
    private let write: @Sendable ([UInt8]) -> Void
    private let page: Lock<Page>
    private let queue = DispatchQueue(label: "log")

    /// Writes lines to standard error.
    ///
    /// - Parameter level: events and requests below it are left out.
    public convenience init(format: LogFormat, level: Event.Level = .info) {
        // The server serves on if its log cannot be written.
        self.init(format: format, level: level) { try? FileHandle.standardError.write(contentsOf: $0) }
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
        if entry.level >= level { add { $0.lines.append(entry, at: $1) } }
    }

    /// Makes the line of an event; in a second, at most ten events of a kind are a line each.
    public func record(_ event: Event) {
        guard event.kind.level >= level else { return }
        add { page, time in
            guard let events = page.count(event, at: time) else { return }
            page.lines.append(event, standingFor: events, at: time)
        }
    }

    private func add(_ append: (inout Page, _ milliseconds: Int) -> Void) {
        let isFirst = page.withLock { page in
            // The time is taken under the lock, so that the lines are in its order.
            if page.lines.text.count < Self.mostWaiting { append(&page, now()) } else { page.dropped += 1 }
            defer { page.isScheduled = true }
            return !page.isScheduled
        }
        if isFirst { queue.asyncAfter(deadline: .now() + Self.period) { self.writePage() } }
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

/// The form of log lines.
public enum LogFormat: String, Sendable, CaseIterable {
    /// One JSON object a line, for machines.
    case json
    /// Words and `name=value` (logfmt), for a terminal.
    case text
}
