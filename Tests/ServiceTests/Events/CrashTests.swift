import Binding
import Foundation
import Locking
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

    @Test(
        "of what is no action says whose code it was: made, looked at, suspended, or changed from inside",
        arguments: ["init", "output", "wait", "change"])
    func code(place: String) async throws {
        let ending = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [place] in
            LogWriter(format: .json).reportCrashes()
            let armed = Lock<String?>(nil)
            let changes = Lock<[Changes<FragileViewModel>]>([])
            let fragile = Declaration.hosting { (model: FragileViewModel.Model, context) in
                let viewModel = FragileViewModel(model: model) { if $0 == armed.withLock(\.self) { fatalError($0) } }
                changes.withLock { $0.append(context.changes(of: viewModel)) }
                return viewModel
            }
            try await withService(of: Catalogue([fragile])) { service in
                if place != "init" { _ = try await service.post("/fragile/touch") }
                armed.withLock { $0 = place }
                if place == "change" { try await changes.withLock { $0.last }?({ $0.change() }) }
                _ = try await service.post(place == "wait" ? "/fragile/wait" : "/fragile/touch")
            }
        }
        let said = String(decoding: try #require(ending).standardErrorContent, as: UTF8.self)
        let line = try #require(said.split(separator: "\n").first { $0.contains(#""event":"crashed""#) })
        let event = try JSONValue(Array(line.utf8))
        #expect(event["viewModel"] == "fragile")
        #expect(event["sessionId"]?.string == SessionID.public.publicID)
        #expect(event["action"] == (place == "wait" ? "wait" : nil))
        let threads = ["init": ["bindery-making"], "change": ["bindery-change"]]
        // An action that was quick runs on the loop that it came by.
        let thread = try #require(event["thread"]?.string)
        #expect((threads[place] ?? ["bindery-action", "http-loop"]).contains(thread))
    }

    /// Takes no number but those that it wrote.
    struct Proud: Codable {
        var number: Int

        init(from decoder: any Decoder) throws {
            number = try decoder.singleValueContainer().decode(Int.self)
            precondition(number > 3)
        }
    }

    @Test("while a declaration is judged says whose init(from:) it was")
    func declaration() async throws {
        let ending = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            LogWriter(format: .json).reportCrashes()
            _ = try JSONSchema(of: [Proud?].self)
        }
        let said = String(decoding: try #require(ending).standardErrorContent, as: UTF8.self)
        #expect(said.contains(#""type":"ServiceTests.CrashTests.Proud""#))
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

    private static var threadName: String? { try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8) }

    @Test("of what is known to be fast has its route, too")
    func route() async throws {
        let ending = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            LogWriter(format: .text).reportCrashes()
            let errand = Declaration.errand { precondition(Self.threadName != "http-loop\n") }
            try await withService(of: Catalogue([errand])) { service in
                // Known to be fast once it was a few times, however busy the machine is.
                for _ in 0..<10_000 { _ = try await service.post("/errand/run") }
            }
        }
        let said = String(decoding: try #require(ending).standardErrorContent, as: UTF8.self)
        let line = try #require(said.split(separator: "\n").first { $0.contains(" critical crashed signal=SIG") })
        #expect(line.contains(" thread=http-loop method=POST route=/errand/run viewModel=errand action=run sessionId="))
    }
}

/// A view model that calls back from wherever its code runs.
private final class FragileViewModel: ViewModel {
    struct Model: StoredModel { var count = 0 }

    static let interface = Interface<FragileViewModel>("fragile") {
        Output("count", \.count)
        Action("touch", FragileViewModel.change)
        Action("wait", FragileViewModel.wait)
    }

    func change() {
        passes("change")
        model.count += 1
        shown.value = Shown(count: model.count, passes: passes)
    }

    func wait() async {
        await Task.yield()
        passes("wait")
    }

    let count: Constant<Shown>
    private(set) var model: Model
    private let shown: Variable<Shown>
    private let passes: @Sendable (String) -> Void

    init(model: Model, passes: @escaping @Sendable (String) -> Void) {
        passes("init")
        (self.model, self.passes) = (model, passes)
        shown = Variable(Shown(count: model.count, passes: passes))
        count = Constant(shown)
    }

    /// Calls back when it is encoded.
    struct Shown: Codable, Sendable, Equatable {
        let count: Int
        var passes: @Sendable (String) -> Void = { _ in }

        init(count: Int, passes: @escaping @Sendable (String) -> Void) { (self.count, self.passes) = (count, passes) }

        init(from decoder: any Decoder) throws { count = try decoder.singleValueContainer().decode(Int.self) }

        func encode(to encoder: any Encoder) throws {
            passes("output")
            var container = encoder.singleValueContainer()
            try container.encode(count)
        }

        static func == (left: Shown, right: Shown) -> Bool { left.count == right.count }
    }
}
