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
