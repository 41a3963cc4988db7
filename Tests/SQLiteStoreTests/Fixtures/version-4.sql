-- A store as version 4 of the schema wrote it. Never to be changed: MigrationTests leads it to the present version.
BEGIN;
CREATE TABLE sessions (
    number INTEGER PRIMARY KEY,
    id ANY NOT NULL UNIQUE,
    epoch TEXT NOT NULL,
    seq INTEGER NOT NULL,
    language TEXT NOT NULL,
    ends INTEGER,
    version BLOB,
    history BLOB,
    beginnings BLOB,
    begun INTEGER
) STRICT;
CREATE INDEX sessions_by_end ON sessions (ends) WHERE ends IS NOT NULL;
CREATE TABLE view_models (
    session INTEGER NOT NULL,
    name TEXT NOT NULL,
    model BLOB NOT NULL,
    outputs BLOB NOT NULL,
    version INTEGER NOT NULL DEFAULT 1,
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
INSERT INTO sessions VALUES
    (1, 'public', 'epoch0', 0, 'ja', NULL, NULL, NULL, NULL, NULL),
    (2, x'0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef', 'epoch1', 7, 'en', 5000000000,
        -- The ninth commit; 'epochA' from 0 on, 'epoch1' from 6 on.
        x'0000000000000009123456789abcdef0',
        x'000000000000000500000000000000000665706f63684100000000000000060665706f636831',
        NULL, 4900000000);
-- text "3" of commit 7, enabled true of commit 300.
INSERT INTO view_models VALUES
    (2, 'counter', CAST('{"count":3}' AS BLOB), x'0474657874032233220707656e61626c65640474727565ac02', 1);
-- The keys 'a' and 'b'.
INSERT INTO keys VALUES
    (2, x'8a0cc776597d9f73498541e5ec61f7ed573e7557714802b9cb30162b329b18d0', 5000000000, x'aa', 200, '"epoch1.6"', 'application/json', x''),
    (2, x'8ad0f5f08f496a6b7a5f53c0e51178dd264bf9719d919429586422ddf53d5747', 5000000000, x'bb', 409, '',
        'application/problem+json', CAST('{}' AS BLOB));
PRAGMA application_id = 1112100420;
-- Version 4, which a Bindery of version 2 can use.
PRAGMA user_version = 131076;
COMMIT;
