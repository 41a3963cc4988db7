extension Migration {
    /// Versions and histories.
    ///
    /// `version` is unique to each commit, `history` says which epochs a session's commits were made in; both are written
    /// by `SessionHead+Columns`, and NULL until a session is first written. `epoch` stays the latest of them.
    static let second = Migration(
        version: 2,
        statements: """
            ALTER TABLE sessions ADD COLUMN version BLOB;
            ALTER TABLE sessions ADD COLUMN history BLOB;
            """)
}
