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
        var limit = LogLimit()
        /// Whether the page is going to be written.
        var isScheduled = false
        /// Lines lost since the last page.
        var dropped = 0
    }

    /// In bytes.
    private static let mostWaiting = 8 << 20
    private static let period = DispatchTimeInterval.milliseconds(50)

    private let level: Event.Level
    private let now: @Sendable () -> Int
    private let write: @Sendable ([UInt8]) -> Void
    private let page: Lock<Page>
    private let queue = DispatchQueue(label: "log")

    /// Writes lines to a descriptor.
    ///
    /// - Parameters:
    ///   - level: events and requests below it are left out.
    ///   - descriptor: stays open as long as the log; standard error by default.
    public convenience init(
        format: LogFormat, level: Event.Level = .info, descriptor: Int32 = FileHandle.standardError.fileDescriptor
    ) {
        self.init(format: format, level: level) { text in
            // The server serves on if its log cannot be written.
            try? FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(contentsOf: text)
        }
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
            guard let events = page.limit.take(event, at: time) else { return }
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

/// Limits the lines of each kind of event, so that an attack cannot fill the disk.
///
/// In a second, the first ten events of a kind are a line each. The next line of the kind also stands for the events without one.
struct LogLimit: Sendable {
    /// How many lines of a kind a second may have.
    static let linesPerSecond = 10

    /// By the name of the kind.
    private var windows: [String: (second: Int, lines: Int, leftOut: Int)] = [:]

    /// Takes an event.
    ///
    /// - Returns: the number of events that its line stands for; nil if it has no line.
    mutating func take(_ event: Event, at milliseconds: Int) -> Int? {
        let second = milliseconds / 1000
        var window = windows[event.kind.name] ?? (second, 0, 0)
        defer { windows[event.kind.name] = window }
        if window.second != second { (window.second, window.lines) = (second, 0) }
        guard window.lines < Self.linesPerSecond else {
            window.leftOut += 1
            return nil
        }
        defer { window.leftOut = 0 }
        window.lines += 1
        return window.leftOut + 1
    }
}

/// The form of log lines.
public enum LogFormat: String, Sendable, CaseIterable {
    /// One JSON object a line, for machines.
    case json
    /// Words and `name=value` (logfmt), for a terminal.
    case text
}
