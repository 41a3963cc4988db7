extension Migration {
    /// Versions and histories, models' versions and beginnings.
    ///
    /// A session's `version` is unique to each commit, `history` says which epochs its commits were made in; both are
    /// written by `SessionHead+Columns`, and NULL until the session is first written. `epoch` stays the latest of them. A
    /// stored model's `version` is that of the view model by which it was stored; what was stored before is of the first.
    /// `beginnings` says what the session's untouched view models show: four bytes for each mark, the highest first, or
    /// NULL where it is not known.
    static let second = Migration(
        version: 2,
        statements: """
            ALTER TABLE sessions ADD COLUMN version BLOB;
            ALTER TABLE sessions ADD COLUMN history BLOB;
            ALTER TABLE sessions ADD COLUMN beginnings BLOB;
            ALTER TABLE view_models ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
            """)
}
