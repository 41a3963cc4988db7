import Foundation
import Testing

/// A store in a process of its own; see Tests/StoreChild.
final class Child {
    private let process = Process()
    private let output = Pipe()
    private let input = Pipe()
    private var rest: [UInt8] = []

    /// Starts the process.
    init(_ arguments: String...) throws {
        // Beside the tests themselves, because SwiftPM builds it for them.
        let tests = try #require(Bundle.main.executableURL)
        process.executableURL = tests.deletingLastPathComponent().appendingPathComponent("store-child")
        process.arguments = arguments
        process.standardOutput = output
        process.standardInput = input
        try process.run()
    }

    deinit { kill() }

    /// The number of the process.
    var identifier: Int32 { process.processIdentifier }

    /// The next line it says; nil when it says no more.
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

    /// All lines it still says, until it ends.
    func lines() -> [String] {
        let all = rest + output.fileHandleForReading.readDataToEndOfFile()
        rest = []
        return all.split(separator: 0x0a).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Kills it as nothing can be caught, and returns when it is gone.
    func kill() {
        guard process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Lets it end, and returns its status.
    func wait() -> Int32 {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
