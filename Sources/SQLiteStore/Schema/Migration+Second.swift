extension Migration {
    /// Says of each stored model by which version of its view model it was stored.
    ///
    /// What was stored before is of the first version.
    static let second = Migration(
        version: 2,
        statements: """
            ALTER TABLE view_models ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
            """)
}
