import Foundation
import Testing

/// A store in a process of its own; see Tests/StoreChild.
///
/// By posix_spawn(3), because Foundation's Process leaks (Swift 6.3), which the address sanitizer then reports.
final class Child {
    /// The number of the process.
    let identifier: pid_t
    private let input: FileHandle
    private let output: FileHandle
    private var rest: [UInt8] = []
    private var status: Int32?

    /// Starts the process.
    init(_ arguments: String...) throws {
        // Beside the tests themselves, because SwiftPM builds it for them.
        let tests = try #require(Bundle.main.executableURL)
        let program = tests.deletingLastPathComponent().appendingPathComponent("store-child").path
        let (input, output) = (Pipe(), Pipe())
        self.input = input.fileHandleForWriting
        self.output = output.fileHandleForReading
        // None for the children of other tests, which would keep the pipe open.
        for pipe in [input, output] {
            for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
                try #require(fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC) == 0)
            }
        }

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input.fileHandleForReading.fileDescriptor, 0)
        posix_spawn_file_actions_adddup2(&actions, output.fileHandleForWriting.fileDescriptor, 1)
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var identifier: pid_t = 0
        try #require(posix_spawn(&identifier, program, &actions, nil, &words, environ) == 0)
        self.identifier = identifier
        try input.fileHandleForReading.close()
        try output.fileHandleForWriting.close()
    }

    deinit { kill() }

    /// The next line it says; nil when it says no more.
    func line() -> String? {
        while true {
            if let end = rest.firstIndex(of: 0x0a) {
                defer { rest.removeFirst(end + 1) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            let more = output.availableData
            if more.isEmpty { return nil }
            rest += more
        }
    }

    /// All lines it still says, until it ends.
    func lines() -> [String] {
        let all = rest + output.readDataToEndOfFile()
        rest = []
        return all.split(separator: 0x0a).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Kills it with the signal that nothing can catch, and returns when it is gone.
    func kill() {
        guard status == nil else { return }
        Foundation.kill(identifier, SIGKILL)
        _ = wait()
    }

    /// Lets it end, and returns what it ends with: 0 where all went well.
    func wait() -> Int32 {
        if let status { return status }
        try? input.close()
        var status: Int32 = 0
        waitpid(identifier, &status, 0)
        self.status = status
        return status
    }
}
