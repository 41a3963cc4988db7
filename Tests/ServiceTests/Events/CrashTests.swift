import Foundation
import Service
import Sessions
import TestSupport
import Testing
import ViewModels

@Suite("A crash", .serialized)
struct CrashTests {
    @Test("leaves one event with its signal, the action that ran and where it was")
    func action() async throws {
        let ending = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            LogWriter(format: .json).reportCrashes()
            try await withService(of: Catalogue([.errand { preconditionFailure("a trap") }])) { service in
                _ = try await service.post("/errand/run")
            }
        }
        let said = String(decoding: try #require(ending).standardErrorContent, as: UTF8.self)
        let line = try #require(said.split(separator: "\n").first { $0.contains(#""event":"crashed""#) })
        let event = try JSONValue(Array(line.utf8))
        #expect(event["level"] == "critical")
        #expect(["SIGILL", "SIGTRAP"].contains(event["signal"]?.string))
        #expect(event["viewModel"] == "errand")
        #expect(event["action"] == "run")
        #expect(event["sessionId"]?.string == SessionID.public.publicID)
        #expect(line.contains(#""frames":["program+0x"#))
        #expect(event["time"]?.string?.wholeMatch(of: /20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
    }

    @Test("by a bad address says which")
    func address() async throws {
        let ending = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            LogWriter(format: .json).reportCrashes()
            _ = UnsafePointer<UInt8>(bitPattern: 0x5a8)?.pointee
        }
        let said = String(decoding: try #require(ending).standardErrorContent, as: UTF8.self)
        #expect(said.contains(#""signal":"SIGSEGV","address":"0x5a8""#))
    }

    /// Under a sanitizer its own books of calls overflow, with its locks held.
    private static let isSanitized = dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil

    @Test(
        "by a stack that is full leaves its event, too, on a thread of actions and on an event loop",
        .disabled(if: Self.isSanitized), arguments: [1, 20])
    func overflow(run: Int) async throws {
        let ending = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [run] in
            LogWriter(format: .json).reportCrashes()
            let count = History<Int>()
            let errand = Declaration.errand {
                count.note(1)
                if count.elements.count == run { print(Self.depth(from: 0)) }
            }
            try await withService(of: Catalogue([errand])) { service in
                for _ in 0..<run { _ = try await service.post("/errand/run") }
            }
        }
        let said = String(decoding: try #require(ending).standardErrorContent, as: UTF8.self)
        let line = try #require(said.split(separator: "\n").first { $0.contains(#""event":"crashed""#) })
        #expect(line.contains(#""signal":"SIGSEGV","address":"0x"#))
        #expect(line.contains(run == 1 ? #""thread":"bindery-action""# : #""thread":"http-loop""#))
        #expect(
            line.contains(
                #""viewModel":"errand","action":"run","sessionId":"\#(SessionID.public.publicID)","frames":["program+0x"#
            ))
    }

    /// Goes deeper than any stack: each call needs its own frame for what follows.
    @inline(never)
    private static func depth(from depth: Int) -> Int { depth == .max ? 0 : Self.depth(from: depth + 1) &+ depth }

    @Test("of what is known to be fast has its route, too")
    func route() async throws {
        let ending = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            LogWriter(format: .text).reportCrashes()
            let count = History<Int>()
            let errand = Declaration.errand {
                count.note(1)
                precondition(count.elements.count < 20)
            }
            try await withService(of: Catalogue([errand])) { service in
                for _ in 0..<20 { _ = try await service.post("/errand/run") }
            }
        }
        let said = String(decoding: try #require(ending).standardErrorContent, as: UTF8.self)
        let line = try #require(said.split(separator: "\n").first { $0.contains(" critical crashed signal=SIG") })
        #expect(line.contains(" thread=http-loop method=POST route=/errand/run viewModel=errand action=run sessionId="))
    }
}
