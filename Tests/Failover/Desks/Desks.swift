import BinderyKit
import Foundation
import Samples

/// The server of `script/failover-test`: the samples in each session, and desks that all clients share.
@main
struct Desks: BinderyProgram {
    static let viewModels = Declaration.samples + [.hosting(Desk.self, at: "desks", keys: .listed("main", "side"))]
}

/// Takes a mark and counts as the samples do; each count starts effects, whose results the ledger checks.
struct Desk: ViewModel {
    struct Mark: Codable, Sendable { var paramB = "" }

    /// The number of a count, or of an act, of a desk.
    struct Job: Codable, Sendable { var desk = "", number = 0 }

    struct Ledger: Codable, Sendable {
        /// The counts whose work has given no result.
        var open: [Int] = []
        var ticks = 0
        /// How many acts this desk has asked for, and by desk the last one that this desk has done.
        var asked = 0
        var done: [String: Int] = [:]
        var wrong: [String] = []
    }

    var paramB = ""
    var count = 0
    var ledger = Ledger()

    static let interface = Interface<Desk>("desk", "Starts effects, and checks that each one comes once.") {
        Output("paramB", \.paramB, "The last mark.")
        Output("text", "The count in decimal digits.") { "\($0.count)" }
        Output("ledger", \.ledger, "What became of the effects.")
        Action("load", "Sets the mark.", example: Mark(paramB: "one")) { $0.paramB = $1.paramB }
        Action("increment", "Adds one, and starts the effects of that number.") { $0.increment($1) }
        Action("put", "Takes an act of a desk; they come in their order.", example: Job(desk: "main", number: 1)) {
            $0.put($1)
        }
        Effect(
            "work", work, then: { $0.close($1, $2) },
            orElse: { desk, error, _ in desk.ledger.wrong.append("work was given up: \(error)") }
        ).attempts(20, timeout: .seconds(2))
        Effect("tick") { $0.ledger.ticks += 1 }
    }

    mutating func increment(_ context: Context) {
        count += 1
        ledger.open.append(count)
        context.effects.start("work", Job(desk: context.key ?? "", number: count))
        context.effects.start("tick", after: .seconds(1))
        act(context)
    }

    /// Writes its run down, and takes 0.1 s; some first attempts are too slow.
    static func work(_ job: Job, _ attempt: Attempt) async throws -> Int {
        let line = "\(job.desk) \(job.number) \(attempt.id) \(attempt.number)\n"
        let descriptor = open("runs", O_WRONLY | O_APPEND | O_CREAT, 0o600)
        try FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).write(contentsOf: Data(line.utf8))
        try await Task.sleep(for: attempt.number == 1 && job.number % 7 == 0 ? .seconds(3) : .milliseconds(100))
        return job.number
    }

    mutating func close(_ number: Int, _ context: Context) {
        if let place = ledger.open.firstIndex(of: number) {
            ledger.open.remove(at: place)
        } else {
            ledger.wrong.append("count \(number) has another result")
        }
        act(context)
    }

    private mutating func act(_ context: Context) {
        ledger.asked += 1
        context.effects.act(on: "desks/main", "put", Job(desk: context.key ?? "", number: ledger.asked))
    }

    mutating func put(_ job: Job) {
        let last = ledger.done[job.desk, default: 0]
        if job.number != last + 1 { ledger.wrong.append("act \(job.number) of \(job.desk) came after act \(last)") }
        ledger.done[job.desk] = job.number
    }
}
