import Foundation

/// A fault that the simulator plants in its store or its view models.
///
/// Faults in the core are patches (Faults/).
enum Fault: String, CaseIterable {
    /// The store writes a commit whose predecessor failed.
    case predecessorFailed = "predecessor-failed"
    /// The store writes a key apart from its change.
    case keyApart = "key-apart"
    /// The copy of an aborted action leaks into the next one.
    case leakedCopy = "leaked-copy"
}

/// simulate [--from S] [--seeds N] [--fault NAME], or --seed S for the history of one world.
@main
struct Main {
    static func main() {
        var from: UInt64 = 1
        var seeds: UInt64 = 1_000
        var fault: Fault?
        var one: UInt64?
        var arguments = CommandLine.arguments.dropFirst()
        while let option = arguments.popFirst() {
            let value = arguments.popFirst() ?? ""
            switch option {
            case "--from": from = UInt64(value) ?? usage()
            case "--seeds": seeds = UInt64(value) ?? usage()
            case "--seed": one = UInt64(value) ?? usage()
            case "--fault": fault = Fault(rawValue: value) ?? usage()
            default: let _: Int = usage()
            }
        }
        if let one {
            let world = World(seed: one, fault: fault, tells: true)
            let finding = world.play()
            print((world.history ?? []).joined(separator: "\n"))
            print(finding.map { "seed \(one): \($0)" } ?? "seed \(one): sound")
            exit(finding == nil ? 0 : 1)
        }
        let start = ContinuousClock.now
        for seed in from..<from + seeds {
            if let finding = World(seed: seed, fault: fault, tells: false).play() {
                print("seed \(seed): \(finding)")
                exit(1)
            }
        }
        let time = (ContinuousClock.now - start) / Double(seeds) / Duration.milliseconds(1)
        print("\(seeds) seeds: sound, \(String(format: "%.2f", time)) ms each")
    }

    static func usage<Value>() -> Value {
        print("usage: simulate [--from S] [--seeds N] [--seed S] [--fault \(Fault.allCases.map(\.rawValue))]")
        exit(64)
    }
}
