import Dispatch
import Entities
import Locking
import SQLiteStore
import Service

extension Command {
    static let backup = Command(
        "backup", "copy the store to a new file, also while a server uses it", words: "PATH",
        options: [.store]
    ) { options in
        let (path, target) = (try options.file(orSay: "cannot be backed up by this command"), options.operands[0])
        try SQLiteStore.backup(path, to: target)
        try Console.print("\(path) copied to \(target)")
    }

    static let restore = Command(
        "restore", "replace the store by a backup, and keep the old store", words: "BACKUP",
        options: [.store]
    ) { options in
        let (path, source) = (try options.file(orSay: "cannot be restored by this command"), options.operands[0])
        let kept = try SQLiteStore.restore(from: source, to: path)
        let remark = kept.map { "the old store is kept as \($0)" } ?? "there was no store before"
        try Console.print("\(source) restored to \(path); \(remark)")
    }

    /// Copies all entities and their keys, for example from a file to a database.
    static let copy = Command(
        "copy", "copy all entities into another, empty store; stop both servers first",
        options: [
            ProgramOption("from", "STORE", "the store to copy"), ProgramOption("to", "STORE", "the store to copy to"),
            .schema,
        ]
    ) { options in
        guard let from = options["from"], let to = options["to"] else { throw UsageError("copy needs --from and --to") }
        var (source, target) = (options.store, options.store)
        (source.place, target.place) = (try Store.Place(from), try Store.Place(to))
        guard !source.isMissing else { throw CommandFailure("\(source.shown): there is no store") }
        guard source != target else { throw UsageError("--from and --to are the same store") }
        let kinds = try CatalogueHost.kinds(of: options.catalogue, languages: options.program.languages)
        // No server can use a file while it is open here.
        let (old, new) = (try source.open(nil), try target.open(nil))
        let result = Result { try copy(from: source, to: target, new, kinds) }
        for store in [old, new] { await withCheckedContinuation { done in store.close { done.resume() } } }
        try Console.print("\(source.shown) copied to \(target.shown): sessions \(try result.get())")
    }

    /// Writes 256 sessions at a time; returns their number.
    private static func copy(
        from source: Store, to target: Store, _ store: any EntityStore, _ kinds: EntityKinds
    ) throws -> Int {
        _ = try target.read { _, _ in
            throw CommandFailure("\(target.shown) has sessions: name an empty store, or another --store-schema")
        }
        var (count, batch): (Int, [Commit]) = (0, [])
        let unreadable = try source.read { entity, keys in
            let state = EntityState(entity, of: kinds[entity.id])
            batch.append(Commit(id: entity.id, base: nil, state: state, key: keys.first))
            // The store folds these into one row.
            for key in keys.dropFirst() {
                batch.append(Commit(id: entity.id, base: state.head, state: state, key: key))
            }
            count += 1
            if count % 256 == 0 { try write(&batch, to: store, target.shown) }
        }
        try write(&batch, to: store, target.shown)
        guard let unreadable, unreadable.isEmpty else {
            throw CommandFailure(
                "\(unreadable?.count ?? 0) sessions of \(source.shown) cannot be read, and were not copied")
        }
        return count
    }

    private static func write(_ batch: inout [Commit], to store: any EntityStore, _ name: String) throws {
        let group = DispatchGroup()
        let failures = Lock(0)
        for commit in batch {
            group.enter()
            store.submit(commit) { result in
                if case .stored = result {} else { failures.withLock { $0 += 1 } }
                group.leave()
            }
        }
        group.wait()
        batch = []
        guard failures.withLock({ $0 }) == 0 else {
            throw CommandFailure("\(name) did not store a session, so the copy is incomplete: empty it and copy again")
        }
    }
}
