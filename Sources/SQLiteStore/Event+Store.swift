package import Events

extension Event.Kind {
    /// The file is open, and can be written.
    static let storeOpened = Event.Kind(
        "store-opened", .info, ["path", "bytes", "sessions", "schema", "durability", "milliseconds"])
    /// The file was led from an earlier schema to the present one.
    static let storeMigrated = Event.Kind("store-migrated", .warning, ["path", "from", "schema", "copy", "wayBack"])
    /// A restore that had been interrupted is finished.
    static let storeRestored = Event.Kind("store-restored", .warning, ["path", "kept"])
    /// Another program has written the file; told once.
    static let storeWrittenByAnother = Event.Kind("store-written-by-another", .warning, ["path"])

    /// The kinds of this module.
    package static let ofStore = [
        storeOpened, storeMigrated, storeRestored, storeWrittenByAnother,
    ]
}
