/* What reads other people's bytes. Pure: no socket, no thread, nothing of libmicrohttpd, so that fuzzers call it directly
 * (Tests/Fuzz/Readers). */
#ifndef CHTTPSHIM_READERS_H
#define CHTTPSHIM_READERS_H

#include "CHTTPShim.h"

/* ---------------------------------------------------------------- syntax.c */

size_t syntax_token_length (const char *bytes, size_t length);
bool syntax_is_token (const char *bytes, size_t length);
bool syntax_is_value (const char *bytes, size_t length);
bool syntax_is_path (const char *bytes, size_t length);
bool syntax_is_query (const char *bytes, size_t length);
bool syntax_is_host (const char *bytes, size_t length);
int syntax_hex_value (char c);

/* ------------------------------------------------------------------ head.c */

/* A piece of a text; offset NO_SPAN: absent. 16 bits do: no head is longer than LARGEST_HEAD. */
struct span {
    uint16_t offset;
    uint16_t length;
};
#define NO_SPAN UINT16_MAX
#define LARGEST_HEAD (32u * 1024u)

/* What a head says, as places in its bytes. */
struct head {
    struct span method;
    struct span path;
    struct span query;
    struct span fields[HTTP_FIELD_COUNT]; /* the first of each name; head_next_value() finds the others of a list */
    uint32_t repeated;                    /* a bit for each field that came more than once */
    uint16_t length;                      /* of the whole head */
    uint8_t minor;                        /* of HTTP/1 */
    bool has_length;
    bool chunked;
    bool expects_continue;
    bool closes; /* Connection: close, or HTTP/1.0 without keep-alive */
    uint64_t content_length;
};

enum head_end {
    HEAD_WHOLE = 0, /* `length` says how long it is */
    HEAD_PARTIAL,   /* `length` says how far it was looked through: pass it as `seen` with more */
    HEAD_MALFORMED, /* a line that does not end in CRLF */
};
enum head_end head_find_end (const char *bytes, size_t available, size_t seen, size_t *length);
/* The length of the method that a request line begins with, 0 where it begins with none or not all of it is there. */
size_t head_method_length (const char *bytes, size_t available);
enum http_refusal head_read (const char *bytes, size_t length, size_t target_limit, struct head *head);
/* Moves from a value of the field to its next; false where there is none, or its values are no list. */
bool head_next_value (const char *bytes, const struct head *head, enum http_field field, struct span *value);

/* ------------------------------------------------------------------ body.c */

/* A body and how far it was read. */
struct body {
    char *bytes;
    size_t length;
    size_t capacity;
    uint64_t left;         /* of the body, or of the chunk */
    size_t around;         /* bytes around the data so far */
    uint32_t trailers;     /* bytes of the trailers so far */
    uint16_t line;         /* bytes of the chunk line, or of the trailer's name, so far */
    uint8_t state;
    uint8_t digits;        /* of the chunk size */
    char name[20];         /* the trailer's name, as far as it matters */
};
void body_expect_length (struct body *body, uint64_t length);
void body_expect_chunks (struct body *body);
struct body_limits {
    size_t bytes;
    size_t trailers;
};
enum body_progress {
    BODY_MORE = 0,
    BODY_WHOLE,
    BODY_TOO_LARGE,
    BODY_TRAILERS_TOO_LARGE,
    BODY_MALFORMED,
    BODY_NO_MEMORY,
};
enum body_progress body_read (struct body *body, const struct body_limits *limits, const char *bytes, size_t available,
                              size_t *used);
void body_free (struct body *body);

#endif
