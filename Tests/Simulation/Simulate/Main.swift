import Foundation

/// Tries to break the room `Sessions`: each seed is a world of replicas, clients and a store that fails, in virtual time
/// and on one thread, and a judge who knows what the store held.
@main
enum Simulate {
    static func main() {
        repeatable()
        guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
            FileHandle.standardError.write(Data((Options.usage + "\n").utf8))
            exit(64)
        }
        Machine.takeOver()
        let start = ContinuousClock.now
        for seed in options.first..<(options.first + UInt64(options.count)) {
            if let failure = Story(seed: seed, options: options).run() {
                print("seed \(seed): \(failure)")
                exit(1)
            }
        }
        let time = (ContinuousClock.now - start) / .milliseconds(1)
        if !options.isVerbose {
            print(
                "\(options.count) seeds from \(options.first): sound, \(String(format: "%.2f", time / Double(options.count))) ms each"
            )
        }
    }

    /// Dictionaries are walked in an order that depends on a key drawn at the start of the process, unless this is set.
    private static func repeatable() {
        let name = "SWIFT_DETERMINISTIC_HASHING"
        guard getenv(name) == nil else { return }
        setenv(name, "1", 1)
        var arguments = CommandLine.arguments.map { strdup($0) } + [nil]
        execv("/proc/self/exe", &arguments)
        fatalError("The simulator cannot start itself again.")
    }
}
