import Entities
import Events
import Foundation
import HTTP
import PostgresStore
import SQLiteStore
import Service
import StoreParts
import ViewModels

/// The place of a server's entities.
public struct Store: Sendable, Equatable {
    enum Place: Sendable, Equatable {
        case memory
        case sqlite(path: String)
        case postgres(uri: String)

        /// Reads the text of an option.
        ///
        /// - Throws: ``UsageError``, which does not repeat a text that may have a password.
        init(_ text: String) throws {
            if text == "memory" {
                self = .memory
            } else if text.hasPrefix("sqlite:"), text.count > 7 {
                self = .sqlite(path: String(text.dropFirst(7)))
            } else if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") {
                self = .postgres(uri: text)
            } else {
                let shown = text.contains { "/@=".contains($0) } ? "this text" : text
                throw UsageError("takes memory, sqlite:PATH or postgres://HOST/DATABASE, not \(shown)")
            }
        }
    }

    var place: Place
    var durability = SQLiteStore.Durability.power
    var schema = "bindery"
    var hints = PostgresStore.HintMode.notify
    var hintsURI: String?

    /// The memory of the process; its end loses everything.
    public static let memory = Store(place: .memory)

    /// A file, for one process at a time.
    ///
    /// - Parameter path: relative to the working directory, or absolute; the file is made if it is missing.
    public static func sqlite(_ path: String) -> Store { Store(place: .sqlite(path: path)) }

    /// A database, for any number of replicas.
    ///
    /// - Parameters:
    ///   - uri: as libpq reads it, `postgres://USER@HOST:PORT,HOST:PORT/DATABASE`.
    ///   - schema: the schema of the tables: `a-z`, `0-9` and `_`.
    public static func postgres(_ uri: String, schema: String = "bindery") -> Store {
        Store(place: .postgres(uri: uri), schema: schema)
    }

    /// The name of the store for an operator, without a password.
    var shown: String {
        switch place {
        case .memory: "memory"
        case .sqlite(let path): "sqlite:\(path)"
        case .postgres(let uri): PostgresStore.description(of: uri)
        }
    }

    /// Opens the store; blocks meanwhile.
    ///
    /// - Parameter log: gets events when the store is lost or back, and for rows that it cannot read.
    /// - Throws: `SQLiteStoreError`, `PostgresStoreError`.
    func open(_ log: (any EventLog)?) throws -> any EntityStore {
        let tell: @Sendable (StoreEvent) -> Void = { [shown] in log?.record(Event($0, of: shown)) }
        switch place {
        case .memory:
            let start = ContinuousClock.now
            return MemoryStore(now: { ContinuousClock.now - start })
        case .sqlite(let path):
            var settings = SQLiteStore.Settings()
            (settings.durability, settings.tell) = (durability, tell)
            return try SQLiteStore(path, settings)
        case .postgres(let uri):
            var settings = PostgresStore.Settings()
            (settings.schema, settings.hints, settings.directURI) = (schema, hints, hintsURI)
            settings.tell = tell
            return try PostgresStore(uri: uri, settings: settings)
        }
    }

    /// Whether it is a missing file in an existing directory.
    var isMissing: Bool {
        guard case .sqlite(let path) = place else { return false }
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
        return !FileManager.default.fileExists(atPath: path) && FileManager.default.fileExists(atPath: directory)
    }

    /// Passes each stored entity with its keys to `each`; checks a file for damage first.
    ///
    /// Other processes may have the store open. Blocks.
    ///
    /// - Returns: the entities whose row this build cannot read; nil if there is no store yet.
    /// - Throws: ``UsageError`` for a store in memory; `SQLiteStoreError`, `PostgresStoreError`; the errors of `each`.
    func read(_ each: (StoredEntity, [StoredKey]) throws -> Void) throws -> [EntityID]? {
        switch place {
        case .memory: throw UsageError("a store in memory does not last; name another store")
        case .sqlite(let path): return isMissing ? nil : try SQLiteStore.check(path, each: each)
        case .postgres(let uri): return try PostgresStore.check(uri: uri, schema: schema, each: each)
        }
    }
}

extension Event {
    /// The events of a store, for the log.
    fileprivate init(_ event: StoreEvent, of store: String) {
        switch event {
        case .lost(let reason): self.init(.storeLost, ["store": .text(store), "reason": .text(reason)])
        case .back(let time):
            self.init(.storeBack, ["store": .text(store), "milliseconds": .number(Int(time / .milliseconds(1)))])
        case .unreadable(let id): self.init(.entityUnreadable, ["session": .text("\(SessionTag(of: id.text))")])
        }
    }
}

extension BinderyServer {
    /// Makes a server that hosts these view models on this store; `start()` makes it listen.
    ///
    /// It checks the declarations, and then opens the store, which blocks.
    ///
    /// - Parameters:
    ///   - viewModels: the view models, in the order of the list.
    ///   - languages: the languages of the view models, the default first.
    ///   - log: gets requests and events; nil for none.
    /// - Throws: `DeclarationFault`; `SQLiteStoreError`, `PostgresStoreError`.
    public convenience init(
        viewModels: [Declaration], languages: Languages = Languages(.english), store: Store = .memory,
        options: Options = Options(), log: (any ExchangeLog)? = nil
    ) throws {
        try self.init(
            viewModels: viewModels, languages: languages, options: options, log: log, timer: TimerThread(),
            open: store.open)
    }
}
