import Foundation
import Testing

/// A directory that is mounted over itself, read-only: root ignores permissions, and is stopped by a mount alone.
enum ReadOnlyMount {
    /// Whether this process may mount.
    static let isPossible: Bool = {
        let directory = NSTemporaryDirectory() + "mount-\(UUID())"
        guard mkdir(directory, 0o700) == 0 else { return false }
        defer { rmdir(directory) }
        guard mount(directory, directory, nil, UInt(MS_BIND), nil) == 0 else { return false }
        return umount(directory) == 0
    }()

    static func of(_ directory: String, _ body: () async throws -> Void) async throws {
        try #require(mount(directory, directory, nil, UInt(MS_BIND), nil) == 0)
        defer { umount2(directory, Int32(MNT_DETACH)) }
        try #require(mount(nil, directory, nil, UInt(MS_BIND | MS_REMOUNT | MS_RDONLY), nil) == 0)
        try await body()
    }
}
