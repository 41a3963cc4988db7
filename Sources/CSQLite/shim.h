/* SQLite, and the few of its calls that Swift cannot make itself. */
#include <sqlite3.h>

/* Binds a copy of bytes. Swift does not import SQLITE_TRANSIENT, a number cast to a function; and the bytes of an empty
 * Swift array may be at NULL, which sqlite3_bind_blob() would take for the value NULL. */
static inline int csqlite_bind_bytes (sqlite3_stmt *statement, int index, const void *bytes, int count)
{
    return count == 0 ? sqlite3_bind_zeroblob (statement, index, 0)
                      : sqlite3_bind_blob (statement, index, bytes, count, SQLITE_TRANSIENT);
}

/* Binds a copy of a text in UTF-8; SQLITE_TRANSIENT again. */
static inline int csqlite_bind_text (sqlite3_stmt *statement, int index, const char *text, int count)
{
    return sqlite3_bind_text (statement, index, text, count, SQLITE_TRANSIENT);
}
