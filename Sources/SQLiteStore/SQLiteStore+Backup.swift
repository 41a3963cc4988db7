import Foundation

extension SQLiteStore {
    /// Copies the store, as it is at one moment, into a new file, while commits go on.
    ///
    /// The copy is a store of its own, in one file: to restore it, put it where the store was, or serve it where it is.
    ///
    /// - Parameter target: the new file; its directory has to be there.
    /// - Throws: ``SQLiteStoreError``, with ``SQLiteStoreError/Code/exists`` where there is such a file; it is left alone.
    public func backup(to target: String) async throws(SQLiteStoreError) {
        try await Self.backup(from: path, to: target)
    }

    /// Copies the store in a file, also one that another process has open, into a new file.
    ///
    /// Reads only, and takes no part in who may open the store. While it copies, commits go on and the log grows by them.
    ///
    /// - Parameters:
    ///   - source: the store's file.
    ///   - target: the new file; its directory has to be there.
    /// - Throws: ``SQLiteStoreError``; there is then no new file.
    public static func backup(from source: String, to target: String) async throws(SQLiteStoreError) {
        let backup = Backup(source: URL(fileURLWithPath: source).path, target: URL(fileURLWithPath: target).path)
        try await onThread(named: "sqlite-backup") { () throws(SQLiteStoreError) in try backup.run() }
    }
}
