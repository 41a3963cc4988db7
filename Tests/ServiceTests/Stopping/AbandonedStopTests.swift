import Foundation
import HTTP
import Sessions
import TestSupport
import Testing
import ViewModels

@testable import Service

@Suite("A stop that does not come to its end", .serialized)
struct AbandonedStopTests {
    /// The last event of a process that ended with 1.
    private static func lastEvent(of ending: ExitTest.Result?) throws -> JSONValue {
        let said = String(decoding: try #require(ending).standardErrorContent, as: UTF8.self)
        return try JSONValue(Array(#require(said.split(separator: "\n").last { $0.hasPrefix("{") }).utf8))
    }

    /// Serves an errand on one event loop until the signal comes, with its log on standard error.
    private static func serve(
        _ errand: Declaration, over store: any SessionStore = MemoryStore(),
        then act: @escaping @Sendable (UInt16) -> Void
    ) async throws {
        var options = BinderyServer.Options()
        (options.port, options.server.threads) = (0, 1)
        options.service.allowedHosts = .any
        let server = BinderyServer(
            viewModels: [errand], store: store, options: options, log: LogWriter(format: .json))
        try await server.run(patience: .seconds(3)) { started in
            Thread.detachNewThread { act(started.port) }
        }
    }

    @Test("since a fast action hangs on an event loop, says so in the log, with the route, before it ends with 1")
    func heldLoop() async throws {
        let ending = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
            let (count, barrier) = (History<Int>(), Barrier())
            let errand = Declaration.errand {
                count.note(1)
                // Now and then the thread that answered the one before is still there to do it.
                let thread = try String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
                if count.elements.count > 8, thread.hasPrefix("http-loop") {
                    kill(getpid(), SIGTERM)
                    barrier.pass()
                }
            }
            try await Self.serve(errand) { port in
                guard let client = try? RawClient(to: port) else { return }
                for _ in 0..<1000 {
                    try? client.send(Client.request("POST", "/errand/run"))
                    _ = try? client.readResponse()
                }
            }
        }
        let event = try Self.lastEvent(of: ending)
        #expect(event["event"] == "stop-abandoned")
        #expect(event["level"] == "error")
        #expect(event["reason"] == "SIGTERM")
        #expect(event["phase"] == "requests")
        #expect(try #require(event["milliseconds"]?.number) >= 3000)
        #expect(event["running"] == 1)
        #expect(event["routes"] == .array(["POST /errand/run"]))
    }
}
