import Foundation
import PostgresStore
import SQLiteStore
import Sessions

/// `bindery copy --from STORE --to STORE`: takes all sessions into another, empty store, while neither is served.
enum Copy {
    /// - Throws: ``UsageError``; ``CommandFailure`` where there is nothing to copy, or something is in the way;
    ///   `SQLiteStoreError`, `PostgresStoreError`, as where a store is served.
    static func run(
        _ program: any BinderyProgram.Type, _ arguments: [String], _ environment: [String: String]
    ) async throws {
        var rest = arguments
        guard let from = rest.takeValue(of: "--from"), let to = rest.takeValue(of: "--to") else {
            throw UsageError(
                "copy needs two stores: \(program.name) copy --from sqlite:PATH|postgres:URI --to sqlite:PATH|postgres:URI "
                    + "[--store-schema NAME]")
        }
        let options = try ServeOptions(of: program, arguments: rest, environment: environment)
        let (source, target) = (try choice(from, "--from"), try choice(to, "--to"))
        guard source.shown != target.shown else { throw UsageError("--from and --to are the same store") }
        if case .sqlite(let path) = source, !FileManager.default.fileExists(atPath: path) {
            throw CommandFailure("there is no \(path) to copy")
        }
        let old = try open(source, options)
        do {
            let new = try open(target, options)
            do {
                let (sessions, outcomes) = try await old.copy(to: new)
                Output.print(
                    "\(source.shown) copied to \(target.shown): \(sessions) sessions, \(outcomes) remembered answers")
            } catch {
                await new.close()
                throw error
            }
            await new.close()
        } catch CopyFailure.notEmpty {
            await old.close()
            throw CommandFailure("\(target.shown) has sessions: name an empty store, or another --store-schema")
        } catch {
            await old.close()
            throw error
        }
        await old.close()
    }

    private static func choice(_ text: String, _ name: String) throws -> StoreChoice {
        do {
            let choice = try StoreChoice(text)
            guard choice != .memory else { throw UsageError("takes a store that lasts, not memory") }
            return choice
        } catch let error as UsageError {
            throw UsageError("\(name) \(error.message)")
        }
    }

    private static func open(_ choice: StoreChoice, _ options: ServeOptions) throws -> any CopiedStore {
        switch choice {
        case .memory: MemoryStore()
        case .sqlite(let path): try SQLiteStore(path: path)
        case .postgres(let uri): try PostgresStore(uri: uri, schema: options.schema, isAlone: true)
        }
    }
}
