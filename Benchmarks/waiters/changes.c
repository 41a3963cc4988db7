/* The POSTs that make changes. Each has a connection to itself until it is answered: where the server is slow, the next
 * change is made in its time all the same, and what it costs those who wait is measured and not hidden. */
#include "waiters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct poster {
    struct connection connection;
    struct poster *next; /* of those without a request */
    size_t change;
    struct line body;
};

struct value value_after (const char *text, const char *mark)
{
    struct value value = { "" };
    const char *const found = strstr (text, mark);
    if (NULL == found)
        return value;
    const char *const begin = found + strlen (mark);
    const size_t length = strcspn (begin, "\"");
    memcpy (value.text, begin, length < VALUE_ROOM ? length : VALUE_ROOM - 1);
    return value;
}

uint64_t cursor_number (const char *cursor)
{
    const char *const dot = strchr (cursor, '.');
    return NULL == dot ? 0 : strtoull (dot + 1, NULL, 10);
}

static void keep (struct connection *connection, const char *bytes, size_t length)
{
    struct poster *const poster = (struct poster *) connection;
    while (length > 0)
        (void) line_take (&poster->body, &bytes, &length);
}

static void answered (struct connection *connection)
{
    struct poster *const poster = (struct poster *) connection;
    struct changes *const changes = connection->owner;
    const char *const text = line_end (&poster->body);
    char cursor[sizeof changes->newest];
    (void) snprintf (cursor, sizeof cursor, "%.*s", (int) strcspn (connection->response.etag + 1, "\""),
                     connection->response.etag + 1);
    const uint64_t number = cursor_number (cursor);
    if (0 == number)
        die ("a change was answered without an ETag \"EPOCH.SEQ\"");
    changes->of[poster->change].number = number;
    if ('\0' == changes->newest[0] || number > cursor_number (changes->newest)) {
        memcpy (changes->newest, cursor, sizeof cursor);
        changes->value = value_after (text, "\"text\":\"");
    }
    changes->answered++;
    poster->next = changes->idle;
    changes->idle = poster;
}

void changes_make (struct changes *changes)
{
    struct poster *poster = changes->idle;
    if (NULL == poster) {
        poster = calloc (1, sizeof *poster);
        if (NULL == poster)
            die ("out of memory");
        connection_open (&poster->connection);
        poster->connection.owner = changes;
        poster->connection.body = &keep;
        poster->connection.done = &answered;
    } else {
        changes->idle = poster->next;
    }
    poster->change = changes->made++;
    changes->of[poster->change].sent = now ();
    connection_ask (&poster->connection, changes->request);
}

void changes_await (struct changes *changes)
{
    const int64_t end = now () + 30000000;
    while (changes->answered < changes->made) {
        if (now () > end)
            die ("%zu of %zu changes were not answered within 30 s", changes->made - changes->answered, changes->made);
        connections_turn (10000);
    }
}

void changes_begin (struct changes *changes, const struct options *options)
{
    memset (changes, 0, sizeof *changes);
    changes->request = request_text (options, "POST", options->change, NULL, NULL, options->data);
    changes->of = calloc (options->changes + 1u, sizeof *changes->of);
    if (NULL == changes->of)
        die ("out of memory");
    changes_make (changes);
    changes_await (changes);
    changes->made = 0;
    changes->answered = 0;
}
