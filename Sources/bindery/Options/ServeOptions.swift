import SQLiteStore
import Service

/// What `bindery serve` was told.
struct ServeOptions {
    var server = BinderyServer.Options()
    /// Text where standard error is a terminal, JSON otherwise, if nothing was said.
    var log: LogFormat?
    var store = StoreChoice.standard
    var durability = SQLiteStore.Durability.power
}
