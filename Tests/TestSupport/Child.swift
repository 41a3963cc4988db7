import Foundation

/// A process of its own, which hears what it is told and is heard a line at a time.
///
/// By posix_spawn(3): Foundation's Process leaks and races where many are begun at once (Swift 6.3).
package final class Child {
    /// The number of the process.
    package let identifier: pid_t
    private let input: FileHandle
    private let output: FileHandle
    private var rest: [UInt8] = []
    private var status: Int32?

    /// Starts the process; what it says to standard error goes where this process's does.
    ///
    /// - Parameters:
    ///   - program: its path.
    ///   - arguments: what comes behind its name.
    package init(_ program: String, _ arguments: [String]) throws {
        let (input, output) = (try Self.pipe(), try Self.pipe())
        (self.input, self.output) = (input.writing, output.reading)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input.reading.fileDescriptor, 0)
        posix_spawn_file_actions_adddup2(&actions, output.writing.fileDescriptor, 1)
        // Foundation's client opens sockets that a child inherits, and would keep open.
        _ = closeFrom(&actions, 3)
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var identifier: pid_t = 0
        let failure = posix_spawn(&identifier, program, &actions, nil, &words, environ)
        guard failure == 0 else { throw Failure(what: program, error: failure) }
        self.identifier = identifier
        try input.reading.close()
        try output.writing.close()
    }

    /// Starts a program of this package, which SwiftPM builds beside the tests themselves.
    package convenience init(ofPackage program: String, _ arguments: String...) throws {
        try self.init(Self.path(ofPackage: program), arguments)
    }

    deinit { kill() }

    /// Where SwiftPM has built a program of this package.
    package static func path(ofPackage program: String) throws -> String {
        guard let tests = Bundle.main.executableURL else { throw Failure(what: program, error: ENOENT) }
        return tests.deletingLastPathComponent().appendingPathComponent(program).path
    }

    /// Tells it a line.
    package func tell(_ line: String) throws { try input.write(contentsOf: Data("\(line)\n".utf8)) }

    /// The next line it says; nil when it says no more.
    package func line() -> String? {
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

    /// All lines it still says, until it ends, but for those that are empty.
    package func lines() -> [String] {
        let all = rest + output.readDataToEndOfFile()
        rest = []
        return all.split(separator: 0x0a).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Kills it with the signal that nothing can catch, and returns when it is gone.
    package func kill() {
        guard status == nil else { return }
        Foundation.kill(identifier, SIGKILL)
        _ = wait()
    }

    /// Lets it end, and returns what it ends with: 0 where all went well.
    package func wait() -> Int32 {
        if let status { return status }
        try? input.close()
        var status: Int32 = 0
        waitpid(identifier, &status, 0)
        self.status = status
        return status
    }

    /// Two ends that no other child has for a moment: it would keep them open.
    ///
    /// Sockets, since Swift knows no pipe2(2).
    private static func pipe() throws -> (reading: FileHandle, writing: FileHandle) {
        var ends: [Int32] = [0, 0]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw Failure(what: "a pipe", error: errno) }
        return (
            FileHandle(fileDescriptor: ends[0], closeOnDealloc: true),
            FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        )
    }

    private struct Failure: Error, CustomStringConvertible {
        let what: String
        let error: Int32
        var description: String { "\(what): \(String(cString: strerror(error)))" }
    }
}

/// Closes all descriptors from a number on in the child; glibc shows it to GNU sources alone.
@_silgen_name("posix_spawn_file_actions_addclosefrom_np")
private func closeFrom(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, _ first: Int32) -> Int32
