import Foundation

/// A child process; the test writes lines to its standard input and reads lines from its standard output.
///
/// It uses posix_spawn(3): Foundation's Process leaks and races if many start at once (Swift 6.3).
package final class Child {
    /// The process id.
    package let identifier: pid_t
    private let input: FileHandle
    private let output: FileHandle
    private var rest: [UInt8] = []
    private var status: Int32?

    /// Starts the process; it shares the standard error of this process.
    ///
    /// - Parameters:
    ///   - program: its path.
    ///   - arguments: its arguments, without its name.
    package init(_ program: String, _ arguments: [String]) throws {
        let (input, output) = (try Self.pipe(), try Self.pipe())
        (self.input, self.output) = (input.writing, output.reading)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input.reading.fileDescriptor, 0)
        posix_spawn_file_actions_adddup2(&actions, output.writing.fileDescriptor, 1)
        // A child inherits the sockets of Foundation's client, and would keep them open.
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

    /// Starts a program of this package; SwiftPM builds it in the directory of the tests.
    package convenience init(ofPackage program: String, _ arguments: String...) throws {
        try self.init(Self.path(ofPackage: program), arguments)
    }

    deinit { kill() }

    /// The path of a program of this package.
    package static func path(ofPackage program: String) throws -> String {
        guard let tests = Bundle.main.executableURL else { throw Failure(what: program, error: ENOENT) }
        return tests.deletingLastPathComponent().appendingPathComponent(program).path
    }

    /// Writes a line to its input.
    package func tell(_ line: String) throws { try input.write(contentsOf: Data("\(line)\n".utf8)) }

    /// Waits for the next line of its output; nil at the end.
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

    /// Waits for the end of its output and returns the remaining lines that are not empty.
    package func lines() -> [String] {
        let all = rest + output.readDataToEndOfFile()
        rest = []
        return all.split(separator: 0x0a).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Kills it with SIGKILL, and waits until it has ended.
    package func kill() {
        guard status == nil else { return }
        Foundation.kill(identifier, SIGKILL)
        _ = wait()
    }

    /// Closes its input, waits for its end, and returns its wait status: 0 for success.
    package func wait() -> Int32 {
        if let status { return status }
        try? input.close()
        var status: Int32 = 0
        waitpid(identifier, &status, 0)
        self.status = status
        return status
    }

    /// Two connected ends; they close on exec, because another child would keep them open.
    ///
    /// They are sockets, because Swift does not import pipe2(2).
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

/// Closes all descriptors from a number on in the child; glibc declares it only with `_GNU_SOURCE`.
@_silgen_name("posix_spawn_file_actions_addclosefrom_np")
private func closeFrom(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, _ first: Int32) -> Int32
