import BinderyClient
import BinderyKit
import Foundation
import Locking

extension Command {
    /// Prints what changes.
    static let watch = Command(
        name: "watch",
        uses: [
            (
                "[URL] [--topics NAME,…] [--json] [--token-file PATH]",
                "print each change in a line as it comes, until Ctrl-C; with --json an object a line"
            )
        ],
        options: [
            ProgramOption(
                "topics", "NAME,…", \.own.topics, "view models or facets to watch", code: "–", isRepeatable: true
            ) {
                $0.isEmpty ? "all" : $0.joined(separator: ",")
            } read: {
                $0.split(separator: ProgramOption.separator).map(String.init)
            }, .json, .tokenFile,
        ],
        isPlain: true, isOperand: ServerPlace.isOperand
    ) { options in
        if let word = options.operands.first, !ServerPlace.isURL(word) {
            throw UsageError(ServerPlace.noURL(word) + "; topics stand behind --topics")
        }
        let place = try ServerPlace(options.operands.first, tokenFile: options.own.tokenFile)
        let watch = Watch(session: place.session, topics: options.own.topics, isJSON: options.own.isJSON)
        try await place.asking { try await watch.run() }
    }
}

/// Prints changes until it is interrupted, or nobody reads any more.
struct Watch {
    let session: RemoteSession
    let topics: [String]
    let isJSON: Bool
    /// A terminal gets columns and colour.
    var isTerminal = isatty(STDOUT_FILENO) == 1

    /// - Throws: `RemoteProblem`, `RemoteFailure`; `CommandFailure` where nothing can be printed; nothing where it is interrupted.
    func run() async throws {
        let printing = Task {
            let status = ConnectionStatus()
            var lines = ChangeLines(isJSON: isJSON, isTerminal: isTerminal)
            for try await update in session.changes(topics: topics).onConnection({ status.tell($0) }) {
                for change in update.changes {
                    // Nobody reads any more.
                    guard try Console.print(lines.line(change, at: Date())) else { return }
                }
            }
        }
        Self.onceNobodyReads { printing.cancel() }
        // Instead of the end that the system has for them.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGINT, SIG_IGN)
        let interrupts = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        interrupts.setEventHandler { printing.cancel() }
        interrupts.resume()
        defer { interrupts.cancel() }
        do { try await printing.value } catch is CancellationError {}
    }

    /// Is told when nobody can read any more what is printed, as behind `| head -1`, where perhaps nothing is to be printed for hours.
    private static func onceNobodyReads(_ tell: @escaping @Sendable () -> Void) {
        Thread.detachNewThread {
            // Errors and hang-ups are told to whoever asks for nothing (poll(2)).
            var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            while poll(&output, 1, -1) < 0, errno == EINTR {}
            if output.revents & Int16(POLLERR | POLLHUP) != 0 { tell() }
        }
    }
}

/// Says on standard error how it stands with the connection, each time that this changes, and not at each attempt.
final class ConnectionStatus: Sendable {
    private struct Known {
        var wasLive = false
        /// Why there is no connection; nil where there is one, or nothing is known.
        var reasons: Reasons?
    }
    private let known = Lock(Known())

    func tell(_ connection: RemoteConnection) {
        guard let line = line(for: connection) else { return }
        Console.complain("\(ChangeLines.time(Date()))  …  \(line)")
    }

    /// What is new; nil where nothing is.
    func line(for connection: RemoteConnection) -> String? {
        known.withLock { known in
            switch connection {
            case .live:
                defer { known = Known(wasLive: true) }
                return known.reasons == nil ? nil : known.wasLive ? "connected again" : "connected"
            case .waiting(_, let error):
                let what = known.reasons == nil && known.wasLive ? "connection lost" : "no connection"
                let reasons = known.reasons ?? Reasons()
                known.reasons = reasons
                guard reasons.isNew(error) else { return nil }
                return "\(what), trying again until it is there (\(Words.of(error)))"
            case .ended: return nil
            }
        }
    }
}

/// Changes as lines.
struct ChangeLines {
    let isJSON: Bool
    let isTerminal: Bool
    /// How wide the names have been.
    private var width = 16

    init(isJSON: Bool, isTerminal: Bool) { (self.isJSON, self.isTerminal) = (isJSON, isTerminal) }

    mutating func line(_ change: RemoteChange, at time: Date) -> String {
        let value = String(decoding: change.json, as: UTF8.self)
        if isJSON {
            // Names need no escaping. Some readers end a line where others do not.
            let value = Words.visible(value)
            return
                #"{"seq":\#(change.seq),"viewModel":"\#(change.viewModel)","output":"\#(change.output)","value":\#(value)}"#
        }
        let (time, seq, name) = (
            Self.time(time), "#\(change.seq)", Words.visible("\(change.viewModel).\(change.output)")
        )
        let shown = Words.visible(value)
        guard isTerminal else { return "\(time) \(seq) \(name) \(shown)" }
        width = max(width, name.count)
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        // Faint and bright, as every terminal has it (ECMA-48, 8.3.117).
        return "\u{1B}[2m\(time)  \(padded(seq, 5))\u{1B}[0m  \u{1B}[1m\(padded(name, width))\u{1B}[0m  \(shown)"
    }

    /// The time of day to the millisecond, where the machine is.
    static func time(_ date: Date) -> String {
        let parts = Calendar.current.dateComponents([.hour, .minute, .second, .nanosecond], from: date)
        return String(
            format: "%02d:%02d:%02d.%03d", parts.hour ?? 0, parts.minute ?? 0, parts.second ?? 0,
            (parts.nanosecond ?? 0) / 1_000_000)
    }
}
