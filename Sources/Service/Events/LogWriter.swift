internal import CCrash
import Dispatch
public import Events
import Foundation
public import HTTP
import Locking
import ViewModels

/// Writes a line for every event: requests, and what else an operator wants to know.
///
/// What stands in the lines is listed in docs/events.md: no path, no token, no body.
///
/// Requests are noted as they end, and for 50 milliseconds: then their lines are made and written together, by a thread
/// that answers nobody, since either would cost more than finding the session. Another event has them written at once. What
/// is noted when the process is killed is lost; ``flush()`` writes it.
public final class LogWriter: ExchangeLog {
    private struct Page: Sendable {
        var notes: [LogNote] = []
        /// Whether the page is going to be written, and whether at once.
        var isScheduled = false
        var isHurried = false
        /// Events that were not noted since the last page, because too many waited.
        var dropped = 0
        /// The same, of all pages before.
        var droppedBefore = 0
    }

    // A note is some 150 bytes.
    private static let pageSize = 4 * 1024
    private static let mostWaiting = 64 * 1024

    private let style: LogStyle
    private let level: Event.Level
    private let write: @Sendable ([UInt8]) -> Void
    /// Where the lines go, where that is a descriptor.
    private let descriptor: Int32?
    private let page = Lock(Page())
    private let queue = DispatchQueue(label: "bindery.log")

    /// Writes lines to a descriptor.
    ///
    /// - Parameters:
    ///   - level: the least that is written.
    ///   - descriptor: stays open for as long as the log lives; standard error by default. Where that is the journal of
    ///     systemd, each line begins with its priority, as `<4>` (sd-daemon(3)).
    public convenience init(
        format: LogFormat, level: Event.Level = .info, descriptor: Int32 = FileHandle.standardError.fileDescriptor
    ) {
        let style = LogStyle(format: format, hasPriorities: Self.isJournal(descriptor))
        self.init(style: style, level: level, descriptor: descriptor) { text in
            // A log that cannot be written is no reason to stop serving.
            try? FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(contentsOf: text)
        }
    }

    /// Hands lines, several at a time, to a closure; it is called from one thread at a time.
    public convenience init(
        format: LogFormat, level: Event.Level = .info, write: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.init(style: LogStyle(format: format), level: level, write: write)
    }

    init(
        style: LogStyle, level: Event.Level, descriptor: Int32? = nil, write: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.descriptor = descriptor
        self.style = style
        self.level = level
        self.write = write
    }

    /// Whether a descriptor leads to the journal: it is the file that `JOURNAL_STREAM` names (systemd.exec(5)).
    static func isJournal(_ descriptor: Int32, environment: [String: String] = ProcessInfo.processInfo.environment)
        -> Bool
    {
        var status = stat()
        guard let journal = environment["JOURNAL_STREAM"], fstat(descriptor, &status) == 0 else { return false }
        return journal == "\(status.st_dev):\(status.st_ino)"
    }

    /// Has a crash of this process leave a last line, the event `crashed`: a trap of Swift's, a bad address, `abort()`.
    ///
    /// At the beginning of the program, before other threads are there; where it is called again, the last call holds. Only where the
    /// log writes to a descriptor. A stack that is full leaves one on the threads that run the code of view models.
    public func reportCrashes() {
        guard let descriptor else { return }
        crash_report_to(descriptor, style.format == .json, style.hasPriorities)
        AskedType.tell { crash_set_type($0) }
    }

    /// Notes a request; where nobody takes the lines and too many wait, it is counted instead.
    public func record(_ entry: ExchangeEntry) {
        guard entry.level >= level else { return }
        note(.request(entry), isUrgent: false)
    }

    /// Notes an event, and has it written at once.
    public func record(_ event: Event) {
        guard event.kind.level >= level else { return }
        note(.event(event), isUrgent: true)
    }

    private func note(_ what: LogNote.What, isUrgent: Bool) {
        let (isFirst, isFull) = page.withLock { page in
            guard page.notes.count < Self.mostWaiting else {
                page.dropped += 1
                return (false, false)
            }
            // Under the lock, so that the notes are in the order of their times.
            page.notes.append(LogNote(what))
            let isFirst = !page.isScheduled
            let isFull = (isUrgent || page.notes.count >= Self.pageSize) && !page.isHurried
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
                page.droppedBefore += page.dropped
                (page.dropped, page.isScheduled, page.isHurried) = (0, false, false)
            }
            return (page.notes, page.dropped)
        }
        let lost = dropped == 0 ? [] : [LogNote(.event(Event(.linesDropped, ["count": .number(dropped)])))]
        if !notes.isEmpty || !lost.isEmpty { write(LogLines(style).text(of: notes + lost)) }
    }
}

extension LogWriter: Measured {
    /// How many lines were lost.
    package var measures: [Measure] {
        let dropped = page.withLock { $0.droppedBefore + $0.dropped }
        return [
            Measure(
                .counter, "bindery_log_lines_dropped_total",
                "Lines of the log that nobody took in time, and that are lost.",
                dropped)
        ]
    }
}

/// Something that is to be a line, and when it was.
struct LogNote: Sendable {
    /// What it says.
    enum What: Sendable {
        case request(ExchangeEntry)
        case event(Event)
    }

    let what: What
    /// Milliseconds since 1970-01-01 00:00 UTC.
    let time: Int

    init(_ what: What, at time: Int) {
        self.what = what
        self.time = time
    }

    /// Notes the time.
    init(_ what: What) {
        var clock = timespec()
        clock_gettime(CLOCK_REALTIME, &clock)
        self.init(what, at: clock.tv_sec * 1000 + clock.tv_nsec / 1_000_000)
    }
}

extension ExchangeEntry {
    /// How much it matters: a probe that finds all well does not, and who refuses because of itself has to be looked at.
    var level: Event.Level {
        switch status {
        case 500: .error
        case 501...: .warning
        default: status < 400 && Service.probes.contains(route) ? .debug : .info
        }
    }
}
