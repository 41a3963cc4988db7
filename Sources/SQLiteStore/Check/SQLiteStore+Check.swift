import Foundation
public import Sessions
import StoreParts
public import ViewModels

extension SQLiteStore {
    /// Reads a file from end to end, and tells whether it is sound, of which schema, how old what it holds is, and which of its
    /// models a server of these view models could not read.
    ///
    /// Reads only, also a file that a server has open, models a few hundred at a time; the look for damage is one read, beside
    /// which commits go on and the log grows. Also a file of an earlier schema, which is not migrated. Outputs are not derived.
    ///
    /// ```swift
    /// let check = try await SQLiteStore.check("tickets.db", for: [.hosting(TicketMachine.init(model:))])
    /// for finding in check.models.findings { print(finding) }
    /// ```
    ///
    /// - Parameters:
    ///   - path: the store's file.
    ///   - viewModels: those of the build that is to serve it.
    /// - Throws: ``SQLiteStoreError``, not for damage that leaves something to be read.
    public static func check(
        _ path: String, for viewModels: [Declaration]
    ) async throws(SQLiteStoreError) -> StoreCheck {
        let path = RealPath.resolve(path)
        return try await Worker<SQLiteStoreError>.run(named: "sqlite-check") { () throws(SQLiteStoreError) in
            try DatabaseFile.checkNames(of: path)
            let connection = try Backup.openStore(path, to: "be checked")
            let version: FileVersion
            let source: String?
            do throws(SQLiteFailure) {
                let number = try connection.integer("PRAGMA user_version") ?? 0
                version = FileVersion(number: Int32(truncatingIfNeeded: number))
                source = try Filling.source(of: connection)
                if source == nil, version.isReadable(by: Schema.current.version) {
                    return try connection.check(of: version.schema, for: viewModels)
                }
            } catch {
                throw SQLiteStoreError(path, error)
            }
            if let source { throw .unfinished(path, of: source) }
            throw .newer(path, version.schema, than: Schema.current.version)
        }
    }

    /// Whether there is nothing of a store at a path yet, in a folder where a server would make one.
    package static func isNotMadeYet(_ path: String) -> Bool {
        let path = RealPath.resolve(path)
        var isFolder: ObjCBool = false
        let folder = URL(filePath: path).deletingLastPathComponent().path
        return FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) && isFolder.boolValue
            && ["", "-wal", "-journal", ".restored"].allSatisfy { access(path + $0, F_OK) != 0 && errno == ENOENT }
    }
}
