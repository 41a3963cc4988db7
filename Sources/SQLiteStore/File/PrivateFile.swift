import Foundation

/// A file that nobody but its owner may read: what users typed may be in it.
enum PrivateFile {
    /// Makes an empty file.
    ///
    /// - Returns: 0, or the reason as in `errno`; `EEXIST` where there is one.
    static func create(_ path: String) -> Int32 {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return errno }
        close(descriptor)
        return 0
    }
}
