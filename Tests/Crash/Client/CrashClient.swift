import BinderyClient
import Foundation
import Samples

/// A client of the crash test that lives through every kill: it asks for what standard input says, and prints what it is told.
///
/// Input is a line a request, all under way at once: `NUMBER act KEY`, `NUMBER act` under a key of the client's own, `NUMBER show`.
/// Output is an object a line: an answer with its number, an update or a value with the name of what brought it, an action
/// that is tried again. It is judged by `swift_client.py`.
@main
enum CrashClient {
    static func main() async throws {
        guard CommandLine.arguments.count == 2, let url = URL(string: CommandLine.arguments[1]) else {
            FileHandle.standardError.write(Data("usage: crash-client URL, with a token in BINDERY_TOKEN\n".utf8))
            exit(64)
        }
        var options = BinderyClient.Options()
        // Back before the next kill: a cursor outlives four of them (ARCHITECTURE.md, history).
        (options.firstPause, options.longestPause) = (.milliseconds(20), .milliseconds(200))
        options.onRetry = { _, _ in say(#"{"again":true}"#) }
        let token = ProcessInfo.processInfo.environment["BINDERY_TOKEN"]
        let client = BinderyClient(url, options: options)
        let session = token.map { client.session(token: $0) } ?? client.publicSession
        let bound = try await session.bound(topics: ["counter"])
        let counter = try bound.viewModel(CounterViewModel.self)
        NotificationCenter.default.observe(counter.text) { say(#"{"by":"bound","value":"\#($0)"}"#) }
        // The first that ends ends the others: the input, or a follower by an error.
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await follow(session, over: .stream, as: "stream") }
            group.addTask { try await follow(session, over: .polls, as: "polls") }
            // For this one something waits to be read when the server is killed.
            group.addTask { try await follow(session, over: .stream, as: "slow stream", pause: .milliseconds(100)) }
            group.addTask {
                await withDiscardingTaskGroup { requests in
                    for await line in input() { requests.addTask { await carryOut(line, by: counter) } }
                }
            }
            try await group.next()
        }
        await bound.close()
    }

    private static func follow(
        _ session: RemoteSession, over carrier: RemoteChanges.Carrier, as name: String, pause: Duration = .zero
    ) async throws {
        for try await update in session.changes(over: carrier) {
            // Names and cursors need no escaping.
            let changes = update.changes.map { change in
                let value = String(decoding: change.json, as: UTF8.self)
                return #"{"seq":\#(change.seq),"viewModel":"\#(change.viewModel)","output":"\#(change.output)","#
                    + #""value":\#(value)}"#
            }
            let kind =
                switch update.kind {
                case .delta: #""kind":"delta""#
                case .snapshot(let reason): #""kind":"snapshot","reason":"\#(reason)""#
                case .idle: #""kind":"idle""#
                }
            say(
                #"{"by":"\#(name)",\#(kind),"cursor":"\#(update.cursor)","changes":[\#(changes.joined(separator: ","))]}"#
            )
            // The slow reader's: what comes meanwhile is gathered, and must not get lost.
            if pause > .zero { try await Task.sleep(for: pause) }
        }
    }

    private static func carryOut(_ line: String, by counter: BoundViewModel<CounterViewModel>) async {
        let words = line.split(separator: " ").map(String.init)
        do {
            let state =
                words[1] == "act"
                ? try await counter.act("increment", key: words.count > 2 ? words[2] : nil)
                : try await shown(counter.session.session.viewModel(CounterViewModel.self))
            say(
                #"{"number":\#(words[0]),"count":\#(try state.text),"bound":\#(counter.text.value),"cursor":"\#(state.cursor)"}"#
            )
        } catch {
            let why = String(decoding: (try? JSONEncoder().encode("\(error)")) ?? Data(), as: UTF8.self)
            say(#"{"number":\#(words[0]),"failure":\#(why)}"#)
        }
    }

    /// What the counter shows, once there is an answer: what is only read, the client asks for once.
    private static func shown(
        _ counter: RemoteViewModel<CounterViewModel>
    ) async throws -> RemoteState<CounterViewModel> {
        while true {
            do { return try await counter.state() } catch let failure as RemoteFailure {
                guard failure.code == .connectionLost else { throw failure }
                // The server is away: a moment, so that it is not asked in a busy loop.
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    /// The lines of standard input.
    private static func input() -> AsyncStream<String> {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        // A thread of its own: it blocks, and Swift's pool is as small as the machine.
        Thread.detachNewThread {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }
        return lines
    }

    /// One write, which a pipe takes whole: of a few kilobytes at most (PIPE_BUF).
    private static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
