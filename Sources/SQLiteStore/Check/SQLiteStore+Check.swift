import Foundation
import Sessions
import ViewModels

extension SQLiteStore {
    /// Reads every model that is stored in a file, as a server of these view models would, and tells which it could not.
    ///
    /// Reads only, also a file that a server has open, a few hundred models at a time, so that it holds up nobody; also one
    /// of an earlier schema, which is not migrated. Outputs are not derived.
    ///
    /// ```swift
    /// let check = try await SQLiteStore.check("tickets.db", for: [.hosting(TicketMachine.init(model:))])
    /// for finding in check.findings { print(finding) }
    /// ```
    ///
    /// - Parameters:
    ///   - path: the store's file.
    ///   - viewModels: those of the build that is to serve it.
    /// - Throws: ``SQLiteStoreError``.
    public static func check(
        _ path: String, for viewModels: [Declaration]
    ) async throws(SQLiteStoreError) -> ModelCheck {
        let path = RealPath.resolve(path)
        return try await onThread(named: "sqlite-check") { () throws(SQLiteStoreError) in
            try DatabaseFile.checkNames(of: path)
            let connection = try Backup.openStore(path, to: "be checked")
            let version: FileVersion
            do throws(SQLiteFailure) {
                let number = try connection.integer("PRAGMA user_version") ?? 0
                version = FileVersion(number: Int32(truncatingIfNeeded: number))
                if version.isReadable(by: Schema.current.version) {
                    return try ModelReader(connection).check(viewModels)
                }
            } catch {
                throw SQLiteStoreError(path, error)
            }
            throw .newer(path, version.schema, than: Schema.current.version)
        }
    }

    /// Runs what blocks on a thread of its own: for so long it would hold up whatever shared one with it.
    static func onThread<Result: Sendable>(
        named name: String, _ body: @escaping @Sendable () throws(SQLiteStoreError) -> Result
    ) async throws(SQLiteStoreError) -> Result {
        let result: Swift.Result<Result, SQLiteStoreError> = await withCheckedContinuation { continuation in
            let thread = Thread {
                do throws(SQLiteStoreError) {
                    continuation.resume(returning: .success(try body()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
            thread.name = name
            thread.start()
        }
        return try result.get()
    }
}
