import CSQLite
import Entities
import Foundation

extension SQLiteStore {
    /// Writes the present state of a store into a new file, and checks that file.
    ///
    /// The store may be open in any process, and continues meanwhile. The copy is one file without a log. It gets its name
    /// after it is complete and flushed to the disk. Blocks; a second for some hundred megabytes.
    ///
    /// - Throws: ``SQLiteStoreError``, also if the target exists.
    package static func backup(_ path: String, to target: String) throws(SQLiteStoreError) {
        let (source, target) = (DatabaseFile(path), DatabaseFile(target))
        guard !target.exists else {
            throw SQLiteStoreError(
                .exists, "\(target.path) exists, and a backup overwrites nothing. Choose another name.")
        }
        let connection = try source.reader()
        let draft = DatabaseFile(target.path + ".part")
        // An interrupted backup may have left it.
        unlink(draft.path)
        // VACUUM INTO accepts an empty file and keeps its permissions.
        try DatabaseFile.create(draft.path)
        do throws(SQLiteStoreError) {
            do throws(SQLiteFailure) {
                try connection.prepare("VACUUM INTO ?1").run(draft.path)
            } catch {
                throw SQLiteStoreError(error.isDamage ? source.path : target.path, error)
            }
            try draft.verify()
            try DatabaseFile.flush(draft.path)
            guard rename(draft.path, target.path) == 0 else { throw .inaccessible(target.path, errno) }
            try DatabaseFile.flush(target.directory)
        } catch {
            unlink(draft.path)
            throw error
        }
    }

    /// Reads a store: checks the file for damage, and passes each entity with its keys to `each`.
    ///
    /// Another process may have the store open.
    ///
    /// - Returns: the entities whose row this build cannot read.
    /// - Throws: ``SQLiteStoreError``, and the errors of `each`.
    package static func check(
        _ path: String, each: (StoredEntity, [StoredKey]) throws -> Void
    ) throws -> [EntityID] {
        let file = DatabaseFile(path)
        let connection = try file.reader()
        var unreadable: [EntityID] = []
        do {
            try connection.check()
            let rows = try connection.prepare(
                "SELECT kind, seq, nonce, ring, language, parts, id, number FROM entities ORDER BY number")
            let keys = try connection.prepare(
                "SELECT digest, request_hmac, status, body, etag, ends FROM keys WHERE entity = ?1 AND ends > ?2")
            let now = Int64(Date().timeIntervalSince1970 * 1_000)
            while try rows.step() {
                let id = EntityID(kind: rows.text(0), text: rows.text(6))
                guard let entity = EntityReader.row(rows, id) else {
                    unreadable.append(id)
                    continue
                }
                try keys.bind(rows.integer(7), now)
                var found: [StoredKey] = []
                while try keys.step() { found.append(EntityReader.key(keys, now: now)) }
                keys.reset()
                try each(entity, found)
            }
        } catch let failure as SQLiteFailure {
            throw SQLiteStoreError(file.path, failure)
        }
        return unreadable
    }
}

extension DatabaseFile {
    /// Checks that the file is a store without damage.
    func verify() throws(SQLiteStoreError) {
        let connection = try reader()
        do throws(SQLiteFailure) { try connection.check() } catch { throw SQLiteStoreError(path, error) }
    }

    /// The directory of the file.
    var directory: String { (path as NSString).deletingLastPathComponent }
}
