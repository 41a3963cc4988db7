import Foundation
import TestSupport
import Testing

/// A small file system in memory, which can be filled and made read-only for real.
struct Mount {
    let directory: String

    /// Whether this user may mount one: root may, and in some containers not even root.
    static let isPossible: Bool = {
        #if os(Linux)
            guard geteuid() == 0 else { return false }
            let directory = NSTemporaryDirectory() + "bindery-mount-\(UUID().uuidString)"
            guard mkdir(directory, 0o700) == 0 else { return false }
            defer { rmdir(directory) }
            guard mount("tmpfs", directory, "tmpfs", 0, "size=64k") == 0 else { return false }
            return umount(directory) == 0
        #else
            return false
        #endif
    }()

    static let reason: Comment = "needs the right to mount a file system"

    /// Runs a test in a file system of a size, such as `1m`.
    static func withFileSystem(of size: String, _ body: (Mount) async throws -> Void) async throws {
        #if os(Linux)
            try await withTemporaryDirectory { directory in
                try #require(mount("tmpfs", directory, "tmpfs", 0, "size=\(size)") == 0)
                defer { umount2(directory, Int32(MNT_DETACH)) }
                try await body(Mount(directory: directory))
            }
        #endif
    }

    func makeReadOnly() throws {
        #if os(Linux)
            try #require(mount("tmpfs", directory, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0)
        #endif
    }

    /// Fills it up to the last byte; the file's removal makes room again.
    func fill() throws -> String {
        let path = directory + "/ballast"
        let file = open(path, O_WRONLY | O_CREAT, 0o600)
        try #require(file >= 0)
        defer { close(file) }
        let page = [UInt8](repeating: 0, count: 4096)
        while write(file, page, page.count) > 0 {}
        try #require(errno == ENOSPC)
        return path
    }
}
