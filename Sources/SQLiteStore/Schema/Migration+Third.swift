extension Migration {
    /// Outcomes by their keys, until their ends.
    ///
    /// `digest` names the key (`KeyDigest`), so that the row is its own index: keys are random, but those of one session lie
    /// together, and sessions in use together share pages. What is in `outcomes` of an earlier version is taken over by
    /// `EarlierOutcomes` whenever the file is opened: the table stays, empty, for the Bindery of that version, which can go
    /// on with the file and leaves this table alone.
    static let third = Migration(
        version: 3,
        statements: """
            CREATE TABLE keys (
                session INTEGER NOT NULL,
                digest BLOB NOT NULL,
                ends INTEGER NOT NULL,
                fingerprint BLOB NOT NULL,
                status INTEGER NOT NULL,
                entity_tag TEXT NOT NULL,
                content_type TEXT NOT NULL,
                body BLOB NOT NULL,
                PRIMARY KEY (session, digest)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX keys_by_end ON keys (ends);
            """,
        readableFrom: 2)
}
