public import Events
import Glibc

extension SQLiteStore: Measured {
    /// How the writer and the files stand.
    public var measures: [Measure] {
        writer.state.measures + [
            Measure(.gauge, "bindery_store_file_bytes", "Bytes of the file.", Self.size(of: path)),
            Measure(
                .gauge, "bindery_store_wal_bytes", "Bytes of the write-ahead log beside it.",
                Self.size(of: path + "-wal")),
        ]
    }

    private static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
