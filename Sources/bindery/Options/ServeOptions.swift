import Events
import SQLiteStore
import Service

/// What `bindery serve` was told.
struct ServeOptions {
    var server = BinderyServer.Options()
    /// Text where standard error is a terminal, JSON otherwise, if nothing was said.
    var log: LogFormat?
    /// The least that is logged.
    var logLevel = Event.Level.info
    var store = StoreChoice.standard
    var durability = SQLiteStore.Durability.power
    /// Environment variables that look like options, and are none.
    var ignored: [IgnoredVariable] = []
}
