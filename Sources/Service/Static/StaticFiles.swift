import Glibc
import HTTP

/// A directory whose files are served as they are: nothing outside of it, and nothing whose name begins with a dot.
///
/// Safe from any thread.
struct StaticFiles: Sendable {
    /// The directory as the kernel names it, without links.
    let directory: String

    /// What a path leads to.
    enum Found {
        case file(descriptor: Int32, status: stat, name: String)
        case directory
    }

    /// The files in a directory, or why there are none; neither where no directory is named.
    static func found(in directory: String?) -> (StaticFiles?, StaticFilesError?) {
        guard let directory else { return (nil, nil) }
        do { return (try StaticFiles(directory), nil) } catch { return (nil, error) }
    }

    /// Serves a directory.
    init(_ path: String) throws(StaticFilesError) {
        guard let real = realpath(path, nil) else { throw StaticFilesError(path, errno) }
        defer { free(real) }
        directory = String(cString: real)
        let descriptor = Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StaticFilesError(path, errno) }
        close(descriptor)
    }

    /// Opens what there is at a path of names; nil where there is nothing that may be served.
    ///
    /// - Throws: ``Problem``, 503, where this process has no descriptor left.
    func open(_ names: [String]) throws -> Found? {
        guard
            names.allSatisfy({
                !$0.isEmpty && !$0.hasPrefix(".") && !$0.utf8.contains { [0, UInt8(ascii: "/")].contains($0) }
            })
        else {
            return nil
        }
        let path = ([directory] + names).joined(separator: "/")
        // A pipe without a writer would block.
        let descriptor = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else {
            guard errno == EMFILE || errno == ENFILE else { return nil }
            throw ProblemType.serverFull.passing(after: 1)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, isInside(descriptor) else {
            close(descriptor)
            return nil
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file(descriptor: descriptor, status: status, name: names.last ?? "")
        case S_IFDIR:
            close(descriptor)
            return .directory
        default:
            close(descriptor)
            return nil
        }
    }

    /// Whether a file lies in the directory, whatever links led to it.
    private func isInside(_ descriptor: Int32) -> Bool {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let start = buffer.baseAddress else { return false }
            let length = readlink("/proc/self/fd/\(descriptor)", start, buffer.count)
            guard length > 0, length < buffer.count else { return false }
            let path = String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            return path == directory || path.hasPrefix(directory == "/" ? "/" : directory + "/")
        }
    }
}

/// Why a directory of static files cannot be served.
public struct StaticFilesError: Error, CustomStringConvertible {
    /// In a sentence.
    public let description: String

    init(_ path: String, _ code: Int32) {
        description = "the static files in \(path) cannot be read: \(String(cString: strerror(code)))"
    }
}
