/* What the load generator's files share.
 *
 * One thread and one epoll, because it has to be cheap: the server may have no more than the other core. It ends, with
 * a line that says why, at the first thing that goes wrong. What it allocates it keeps until then.
 */
#ifndef WAITERS_H
#define WAITERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct options {
    uint16_t port;
    pid_t server;
    unsigned streams;
    unsigned polls;
    unsigned changes;
    double rate;        /* changes a second, where streams wait */
    const char *path;   /* what waits; {cursor} stands for the cursor of the last change */
    const char *change; /* what is posted */
    const char *data;   /* the body of the POSTs; NULL for none */
    const char *header; /* of every request; NULL for none */
    const char *probe;  /* asked for every few milliseconds; NULL for nothing */
};

/* main.c: says it on standard error, and ends the program. */
_Noreturn void die (const char *format, ...) __attribute__ ((format (printf, 1, 2)));

/* ------------------------------------------------------------------------------ response.c: HTTP in pieces */

/* Text that comes in pieces, line by line. What is longer than the room is counted and dropped. */
#define LINE_ROOM 1000
struct line {
    char text[LINE_ROOM + 1];
    size_t length;
    bool is_whole;
};

/* Takes up to a line's end. True when the line is whole: its text without the end, and terminated by a zero. */
bool line_take (struct line *line, const char **bytes, size_t *length);
/* Ends a line that has no end of its own, as a body of JSON. Returns its text. */
const char *line_end (struct line *line);

struct connection;
struct response {
    enum { HEAD, BODY, CHUNK_SIZE, CHUNK, CHUNK_END, TRAILER } phase;
    bool has_status;
    bool is_chunked;
    uint64_t left; /* of the body, or of its chunk */
    char etag[64];
    struct line line;
};

/* Calls connection->body for each piece of the body and connection->done at its end. */
void response_take (struct connection *connection, const char *bytes, size_t length);

/* ------------------------------------------------------------------------- connection.c: sockets and epoll */

struct connection {
    int descriptor;
    struct response response;
    void *owner;
    void (*body) (struct connection *connection, const char *bytes, size_t length);
    void (*done) (struct connection *connection);
};

/* So many that the server, which works off what has come in turns, is not the slower for the rush. libmicrohttpd's own
 * epoll threads stand still after a turn that brought exactly 128. */
#define RUSH 64

void connections_begin (const struct options *options);
/* The owner, body and done are the caller's to set. */
void connection_open (struct connection *connection);
/* Sends a request at once and whole. */
void connection_ask (struct connection *connection, const char *request);
/* Handles what comes; returns after one wait, of `patience` microseconds at most. */
void connections_turn (int64_t patience);
/* When the bytes that are being handled were received. */
int64_t arrival (void);
/* Microseconds of a clock that only goes forwards. */
int64_t now (void);
/* The caller frees it. `cursor` replaces {cursor} in the path; `accept` and `data` may be NULL. */
char *request_text (const struct options *options, const char *method, const char *path, const char *cursor,
                    const char *accept, const char *data);

/* --------------------------------------------------------------------- changes.c: POSTs and what they made */

/* The beginning of the text that a change made, by which two are compared. */
#define VALUE_ROOM 64
struct value {
    char text[VALUE_ROOM];
};
/* What follows `mark` up to a quotation mark; empty where `mark` is not there. */
struct value value_after (const char *text, const char *mark);
/* The number in a cursor EPOCH.SEQ. */
uint64_t cursor_number (const char *cursor);

struct change {
    int64_t sent;
    uint64_t number; /* from the ETag of its answer */
};
struct changes {
    char *request;
    struct change *of;
    size_t made;
    size_t answered;
    char newest[64];    /* the cursor of the change with the largest number */
    struct value value; /* and the output `text` it was answered with */
    struct poster *idle;
};
/* Makes one change, so that there is a cursor to begin with; it is not among `of`. */
void changes_begin (struct changes *changes, const struct options *options);
void changes_make (struct changes *changes);
void changes_await (struct changes *changes);

/* -------------------------------------------------- measures.c: times, and what the server's process uses */

struct times {
    uint32_t *of;
    size_t count;
    size_t capacity;
};
void times_add (struct times *times, int64_t microseconds);
/* Sorts them. Of `share` 0.5 it is the median, of 1 the longest; 0 where there are none. */
uint32_t times_at (struct times *times, double share);

struct memory {
    long resident; /* KiB */
    long highest;  /* KiB, ever */
};
struct memory memory_of (pid_t process);
/* Who used the processor, and for how long. */
struct usage {
    int64_t at;
    int64_t server;
    int64_t client;  /* this process */
    int64_t machine; /* all of them */
};
struct usage usage_of (pid_t server);
/* Cores used since `before`: by the server, this process, and all others. */
struct cores {
    double server;
    double client;
    double others;
};
struct cores cores_since (const struct usage *before, pid_t server);
/* Turns until the process has done nothing for a fifth of a second: it has taken in what was sent. */
void settle (pid_t process);

/* ------------------------------------------------------------------------------------- the measurements */

void measure_streams (const struct options *options);
void measure_polls (const struct options *options);

#endif
