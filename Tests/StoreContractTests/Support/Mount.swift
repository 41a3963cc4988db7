import Foundation
import TestSupport
import Testing

/// A small file system in memory, which a test can fill or make read-only.
///
/// Root ignores permissions, so only a mount shows root a directory that it cannot write.
struct Mount {
    let directory: String

    /// Whether this process may mount.
    static let isPossible: Bool = {
        guard geteuid() == 0 else { return false }
        let directory = NSTemporaryDirectory() + "mount-\(UUID())"
        guard mkdir(directory, 0o700) == 0 else { return false }
        defer { rmdir(directory) }
        guard mount("tmpfs", directory, "tmpfs", 0, "size=64k") == 0 else { return false }
        return umount(directory) == 0
    }()

    /// Runs a test in a file system of this many bytes.
    static func with(bytes: Int, _ body: (Mount) async throws -> Void) async throws {
        let mounted = Mount(directory: NSTemporaryDirectory() + "mount-\(UUID())")
        try #require(mkdir(mounted.directory, 0o700) == 0)
        defer { rmdir(mounted.directory) }
        try #require(mount("tmpfs", mounted.directory, "tmpfs", 0, "size=\(bytes)") == 0)
        defer { umount2(mounted.directory, Int32(MNT_DETACH)) }
        try await body(mounted)
    }

    /// A child of another test has the store's closed file until it runs its own program.
    func makeReadOnly() async throws {
        let isReadOnly = await eventually {
            mount("tmpfs", directory, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0
        }
        try #require(isReadOnly)
    }

    /// Fills it to the last byte; a removal of the returned file makes room again.
    func fill() throws -> String {
        let path = directory + "/ballast"
        // A child of another test must not keep the deleted file.
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        try #require(file >= 0)
        defer { close(file) }
        let page = [UInt8](repeating: 0, count: 4_096)
        while write(file, page, page.count) > 0 {}
        try #require(errno == ENOSPC)
        return path
    }
}
