import Entities
import Foundation
import PostgresStore
import SQLiteStore

extension Store {
    /// Whether it is a file that does not exist, in a directory that does.
    var isMissing: Bool {
        guard case .sqlite(let path) = place else { return false }
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
        return !FileManager.default.fileExists(atPath: path) && FileManager.default.fileExists(atPath: directory)
    }

    /// Hands out each stored entity with its keys; a file is checked for damage before.
    ///
    /// Others may have the store open. Blocks.
    ///
    /// - Returns: the entities whose row this build cannot read; nil if there is no store yet.
    /// - Throws: ``UsageError`` for a store in memory; `SQLiteStoreError`, `PostgresStoreError`; what `each` throws.
    func read(_ each: (StoredEntity, [StoredKey]) throws -> Void) throws -> [EntityID]? {
        switch place {
        case .memory: throw UsageError("a store in memory does not last; name another store")
        case .sqlite(let path): return isMissing ? nil : try SQLiteStore.check(path, each: each)
        case .postgres(let uri): return try PostgresStore.check(uri: uri, schema: schema, each: each)
        }
    }
}
