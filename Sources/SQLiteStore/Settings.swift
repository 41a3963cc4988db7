import Dispatch
internal import Events
import Sessions
import StoreParts

/// How a store works; what its user does not choose is chosen here, and in tests.
struct Settings: Sendable {
    var durability = SQLiteStore.Durability.power
    /// What the file is opened for.
    var purpose = StorePurpose.service
    /// How long a session lives that nobody uses, in whole seconds; nil where nobody says.
    var timeToLive: Duration?
    /// The time of day.
    var now: @Sendable () -> TimeOfDay
    /// Is told when the store begins to fail, and when it works again.
    var log: (any EventLog)?
    /// From when on a disk that hangs is told of, and how long it has to work before it counts as back.
    var bounds = StoreHealth.Bounds()
    /// How often that is looked at.
    var lookInterval = DispatchTimeInterval.milliseconds(500)
    /// How long a question whether commits are stored may take.
    var readinessTimeout = Duration.milliseconds(1500)
    var schema = Schema.current
    /// Threads that read, each with a connection.
    var readers = 2
    /// Milliseconds to wait while another connection holds a lock.
    var patience: Int32 = 1000
    /// Bytes in a page of a new file.
    var pageSize = 4096
    /// Pages in the log at which it is copied into the database: 16 MiB.
    var checkpointPages: Int32 = 4096
    /// Free pages from which on space is given back, where they are also a quarter of the file; fewer are kept for the
    /// sessions to come.
    var keptPages: Int64 = 256
    /// Pages that are given back in one transaction, for which commits wait: about 1 ms.
    var givenPages = 64
    /// Pieces of work in a group.
    var groupLimit = 4096
    /// Sessions whose end is put off in one transaction, for which commits wait.
    var touchBatch = 256
    /// Sessions whose standing is known without reading, at least; twice as many at most.
    var knownSessions = 8192
    /// Bytes up to which a file is checked at every start, because that takes a moment only.
    var checkedSize = 16 << 20
    /// Pages the file may have, nil for any number; stands for a full disk in tests.
    var maximumPages: Int?
}

extension SQLiteStore {
    /// What an acknowledged commit survives.
    public enum Durability: String, CaseIterable, Sendable {
        /// Loss of power: the write-ahead log is flushed to the disk before a commit is acknowledged
        /// (`synchronous=FULL`, https://sqlite.org/pragma.html#pragma_synchronous). One flush serves all that waits.
        case power
        /// The end of the process, by `kill -9` too: the log is written, and flushed at checkpoints (`synchronous=NORMAL`).
        /// After loss of power the latest commits may be missing; the file is whole.
        case process
    }
}
