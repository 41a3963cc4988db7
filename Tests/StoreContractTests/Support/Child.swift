import Foundation

/// A process that runs `store-child`, and is killed at the latest when this object goes.
final class Child {
    let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var rest: [UInt8] = []

    init(_ arguments: String...) throws {
        // SwiftPM builds the programs of a package beside its tests.
        let tests = Bundle.main.executableURL?.deletingLastPathComponent()
        process.executableURL = tests?.appendingPathComponent("store-child")
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit { kill() }

    /// The next line that it says; nil once it has ended.
    func line() -> String? {
        while true {
            if let end = rest.firstIndex(of: 0x0a) {
                defer { rest.removeFirst(end + 1) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            rest += more
        }
    }

    /// Kills it by the signal that no process can catch.
    func kill() {
        guard process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
