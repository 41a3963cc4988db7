import Foundation

/// The one name of a file, whatever links lead to it.
///
/// The log, the lock and what a restore moves lie beside the file. SQLite follows links before it names the log
/// (https://sqlite.org/howtocorrupt.html, "Multiple links to the same file"); the others have to lie there too, so that two
/// processes that come by two links meet at one lock.
enum RealPath {
    /// As many links in a row as Linux follows (path_resolution(7)).
    private static let links = 40

    /// The absolute path without links.
    ///
    /// Of a file that is not there yet, where it will be made: a link that leads to none gives what it names. Where a directory
    /// is missing or may not be looked into, as much of it as can be told: whoever then opens it is told why he cannot.
    static func resolve(_ path: String) -> String {
        var path = absolute(path)
        if let real = real(path) { return real }
        for _ in 0..<links {
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { break }
            path = absolute(target, in: directory(of: path))
        }
        return directory(of: path) + "/" + (path as NSString).lastPathComponent
    }

    /// The absolute path of a name that is to be used itself, also where it is a link.
    static func absolute(_ path: String) -> String {
        absolute(path, in: FileManager.default.currentDirectoryPath)
    }

    private static func absolute(_ path: String, in directory: String) -> String {
        var path = path.hasPrefix("/") ? path : directory + "/" + path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }

    /// The directory of a file, without links where it is there.
    private static func directory(of path: String) -> String {
        let directory = (path as NSString).deletingLastPathComponent
        return real(directory) ?? directory
    }

    private static func real(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
