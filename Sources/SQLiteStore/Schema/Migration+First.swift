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
