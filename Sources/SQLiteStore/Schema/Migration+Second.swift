extension Migration {
    /// Says of each stored model by which version of its view model it was stored, and of each session what its untouched
    /// view models show.
    ///
    /// What was stored before is of the first version. `beginnings` has four bytes for each mark, the highest first, or
    /// NULL where it is not known.
    static let second = Migration(
        version: 2,
        statements: """
            ALTER TABLE view_models ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
            ALTER TABLE sessions ADD COLUMN beginnings BLOB;
            """)
}
