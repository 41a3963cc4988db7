/// One step from a version of the schema to the next.
struct Migration {
    /// The version it leads to; the first is 1.
    let version: Int32
    /// The statements that lead there.
    let statements: String
    /// The earliest version whose Bindery can go on with the file after this step; nil where there is none but this one.
    ///
    /// A step is additive where all that it adds is left alone by that version: tables, and columns with defaults.
    var readableFrom: Int32?
}

extension Migration {
    /// The first shape.
    ///
    /// Sessions go by a small number of their own, counted up: their ids are random, and rows in that order would have
    /// every commit of a group write a page of its own, while sessions of about the same age, which are those that are in
    /// use together, share pages when they lie in the order in which they came. The number is also a shorter key for
    /// what belongs to a session. Only the creation of a session touches a random page, that of the index of ids.
    ///
    /// `seq` is unsigned, stored as the signed number of the same bits. `ends` is in seconds since 1970, or NULL for
    /// never. `outputs` is written by `OutputRecord.encode`.
    static let first = Migration(
        version: 1,
        statements: """
            CREATE TABLE sessions (
                number INTEGER PRIMARY KEY,
                id ANY NOT NULL UNIQUE,
                epoch TEXT NOT NULL,
                seq INTEGER NOT NULL,
                language TEXT NOT NULL,
                ends INTEGER
            ) STRICT;
            CREATE INDEX sessions_by_end ON sessions (ends) WHERE ends IS NOT NULL;
            CREATE TABLE view_models (
                session INTEGER NOT NULL,
                name TEXT NOT NULL,
                model BLOB NOT NULL,
                outputs BLOB NOT NULL,
                PRIMARY KEY (session, name)
            ) STRICT, WITHOUT ROWID;
            CREATE TABLE outcomes (
                session INTEGER NOT NULL,
                number INTEGER NOT NULL,
                key TEXT NOT NULL,
                fingerprint TEXT NOT NULL,
                status INTEGER NOT NULL,
                entity_tag TEXT NOT NULL,
                content_type TEXT NOT NULL,
                body BLOB NOT NULL,
                PRIMARY KEY (session, number)
            ) STRICT, WITHOUT ROWID;
            """)
}

extension Migration {
    /// Versions and histories, models' versions and beginnings.
    ///
    /// A session's `version` is unique to each commit, `history` says which epochs its commits were made in; both are
    /// written by `Columns.swift` in StoreParts, and NULL until the session is first written. `epoch` stays the latest of them. A
    /// stored model's `version` is that of the view model by which it was stored; what was stored before is of the first.
    /// `beginnings` says what the session's untouched view models show: four bytes for each digest, the highest first, or
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

extension Migration {
    /// When sessions were created, in seconds since 1970.
    ///
    /// NULL for those from before, and for those that are created by a Bindery of an earlier version, which can go on with the
    /// file.
    static let fourth = Migration(
        version: 4, statements: "ALTER TABLE sessions ADD COLUMN begun INTEGER;", readableFrom: 2)
}
