package import Events
import Glibc

extension SQLiteStore: Measured {
    /// How the writer and the files stand.
    package var measures: [Measure] {
        writer.state.measures() + events.measures + [
            Measure(.gauge, "bindery_store_file_bytes", "Bytes of the file.", Self.size(of: path)),
            Measure(
                .gauge, "bindery_store_wal_bytes", "Bytes of the write-ahead log beside it.",
                Self.size(of: path + "-wal")),
        ] + lastBackup
    }

    private var lastBackup: [Measure] {
        guard let time = BackupMark.time(of: path) else { return [] }
        return [
            Measure(
                .gauge, "bindery_last_backup_timestamp_seconds",
                "When the store was copied last, in seconds since 1970.", time)
        ]
    }

    private static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
