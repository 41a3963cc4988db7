import Glibc
import HTTP

/// A directory whose files are served as they are: none outside of it, and none whose name begins with a dot.
struct StaticFiles: Sendable {
    /// The directory as the kernel names it, without links.
    private let directory: String

    /// Serves a directory.
    init(_ path: String) throws(StaticFilesError) {
        let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0, let directory = Self.path(of: descriptor) else {
            let reason = String(cString: strerror(errno))
            throw StaticFilesError(description: "the static files in \(path) cannot be read: \(reason)")
        }
        close(descriptor)
        self.directory = directory
    }

    /// Opens the file at a path of names; nil where there is none that may be served.
    ///
    /// - Throws: ``Problem``, 503, where the process has no descriptor left.
    func open(_ names: [String]) throws(Problem) -> (body: FileBody, tag: String)? {
        let areNames = names.allSatisfy { name in
            !name.isEmpty && !name.hasPrefix(".") && !name.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
        }
        guard areNames else { return nil }
        // A pipe without a writer would block.
        let path = ([directory] + names).joined(separator: "/")
        let descriptor = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else {
            guard errno == EMFILE || errno == ENFILE else { return nil }
            throw ProblemType.serverFull.problem(retryAfter: 1)
        }
        var status = stat()
        // A link may lead out of the directory.
        let isInside = Self.path(of: descriptor)?.hasPrefix(directory == "/" ? "/" : directory + "/") == true
        guard fstat(descriptor, &status) == 0, isInside, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return nil
        }
        let numbers = [Int(status.st_ino), status.st_mtim.tv_sec, status.st_mtim.tv_nsec, Int(status.st_size)]
        let body = FileBody(descriptor: descriptor, length: Int(status.st_size))
        let tag = numbers.map { String($0, radix: 36) }.joined(separator: "-")
        return (body, tag)
    }

    private static func path(of descriptor: Int32) -> String? {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(PATH_MAX)) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let length = start.withMemoryRebound(to: CChar.self, capacity: buffer.count) {
                readlink("/proc/self/fd/\(descriptor)", $0, buffer.count)
            }
            return (1..<buffer.count).contains(length) ? String(decoding: buffer[..<length], as: UTF8.self) : nil
        }
    }
}

/// Why a directory of static files cannot be served.
public struct StaticFilesError: Error, CustomStringConvertible {
    /// One line for a terminal.
    public let description: String
}

extension Service {
    /// The route of the host's own files; none where it has none.
    var staticRoutes: [Route] {
        guard staticFiles != nil else { return [] }
        return [
            route(.get, "/*") { [self] request, responder in
                var names = request.path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
                    .map { String($0).removingPercentEncoding ?? "" }
                if names.last == "" { names[names.count - 1] = "index.html" }
                guard try sendFile(names, to: request, responder) else { throw ProblemType.notFound.problem() }
            }
        ]
    }

    /// Sends a file of the host's own; false where there is none.
    func sendFile(_ names: [String], to request: Request, _ responder: Responder) throws(Problem) -> Bool {
        guard let (file, tag) = try staticFiles?.open(names) else { return false }
        let headers = [
            Header(.cacheControl, "no-cache"), Header(.eTag, "\"\(tag)\""), Header("X-Content-Type-Options", "nosniff"),
            Header(.contentType, WebMediaType.of(names.last ?? "")),
        ]
        let isKnown = try EntityTags(.ifNoneMatch, of: request)?.matchWeakly(tag) ?? false
        responder.send(Response(status: isKnown ? 304 : 200, headers: headers, body: isKnown ? .empty : .file(file)))
        return true
    }
}
