/* Reads a request's body (RFC 9112, sections 6.2 and 7.1), byte for byte as strictly as the head: chunk lines without bad
 * white space, line ends that are CRLF, trailers by the rules of fields. Pure: bytes in, a body out. */
#include "readers.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A chunk's line: its size and extensions. */
#define LONGEST_LINE 256
#define MOST_DIGITS 16
/* Bytes around the data: enough for chunks of one byte each, too few for long extensions. */
#define FREE_AROUND (16u * 1024u)
#define AROUND_EACH_BYTE 8u

enum {
    AT_DATA = 0, /* of a body with a length */
    AT_SIZE,
    AT_EXTENSION_NAME, /* at least one byte is missing */
    IN_EXTENSION_NAME,
    AT_EXTENSION_VALUE,
    IN_EXTENSION_VALUE,
    IN_QUOTED,
    IN_QUOTED_PAIR,
    AFTER_QUOTED,
    AT_LINE_FEED,
    AT_CHUNK_DATA,
    AT_CHUNK_RETURN,
    AT_CHUNK_FEED,
    AT_TRAILER,
    IN_TRAILER_NAME,
    IN_TRAILER_VALUE,
    AT_TRAILER_FEED,
    AT_LAST_FEED,
    AT_END,
};

void body_expect_length (struct body *body, uint64_t length)
{
    body->state = 0 == length ? AT_END : AT_DATA;
    body->left = length;
}

void body_expect_chunks (struct body *body)
{
    body->state = AT_SIZE;
}

void body_free (struct body *body)
{
    free (body->bytes);
    body->bytes = NULL;
    body->length = 0;
    body->capacity = 0;
}

/* Memory grows with what has arrived: a Content-Length may promise more than ever comes. */
static bool append (struct body *body, const char *bytes, size_t length)
{
    const size_t needed = body->length + length;
    if (needed > body->capacity) {
        size_t capacity = body->capacity < 64 ? 64 : body->capacity;
        while (capacity < needed)
            capacity *= 2;
        if (needed == body->left + body->length)
            capacity = needed; /* the last piece */
        char *const grown = realloc (body->bytes, capacity);
        if (NULL == grown)
            return false;
        body->bytes = grown;
        body->capacity = capacity;
    }
    memcpy (body->bytes + body->length, bytes, length);
    body->length = needed;
    return true;
}

/* Takes what there is of the data; `next` is the state after its last byte. */
static enum body_progress take_data (struct body *body, const char *bytes, size_t available, size_t *used, uint8_t next)
{
    const size_t taken = body->left < available ? (size_t) body->left : available;
    if (!append (body, bytes, taken))
        return BODY_NO_MEMORY;
    body->left -= taken;
    *used += taken;
    if (0 == body->left)
        body->state = next;
    return BODY_MORE;
}

static bool is_token_byte (char c)
{
    return syntax_is_token (&c, 1);
}

/* What may follow a chunk's size, an extension's name, or its value. */
static bool end_of_item (struct body *body, char c)
{
    body->state = ';' == c ? AT_EXTENSION_NAME : AT_LINE_FEED;
    return ';' == c || '\r' == c;
}

static bool take_size (struct body *body, char c)
{
    const int value = syntax_hex_value (c);
    if (value < 0)
        return body->digits > 0 && end_of_item (body, c);
    if (MOST_DIGITS == body->digits)
        return false;
    body->digits += 1;
    body->left = body->left << 4 | (uint64_t) value;
    return true;
}

/* RFC 9110, section 5.6.4. */
static bool take_quoted (struct body *body, char c)
{
    if (IN_QUOTED_PAIR == body->state) {
        body->state = IN_QUOTED;
        return syntax_is_value (&c, 1);
    }
    if ('"' == c)
        body->state = AFTER_QUOTED;
    else if ('\\' == c)
        body->state = IN_QUOTED_PAIR;
    return syntax_is_value (&c, 1);
}

/* RFC 9112, section 7.1.1, without the white space that it calls bad. */
static bool take_extension (struct body *body, char c)
{
    switch (body->state) {
    case AT_EXTENSION_NAME:
        body->state = IN_EXTENSION_NAME;
        return is_token_byte (c);
    case IN_EXTENSION_NAME:
        if ('=' != c)
            return is_token_byte (c) || end_of_item (body, c);
        body->state = AT_EXTENSION_VALUE;
        return true;
    case AT_EXTENSION_VALUE:
        body->state = '"' == c ? IN_QUOTED : IN_EXTENSION_VALUE;
        return '"' == c || is_token_byte (c);
    case IN_EXTENSION_VALUE: return is_token_byte (c) || end_of_item (body, c);
    case IN_QUOTED:
    case IN_QUOTED_PAIR: return take_quoted (body, c);
    default: return end_of_item (body, c);
    }
}

/* The line is over: the chunk's data follow, or after the last chunk the trailers. */
static bool take_line_feed (struct body *body, char c)
{
    body->line = 0;
    body->digits = 0;
    body->state = 0 == body->left ? AT_TRAILER : AT_CHUNK_DATA;
    return '\n' == c;
}

/* A trailer that says how the message is framed or routed may be read as a field by somebody (RFC 9110, section 6.5.1). */
static bool is_forbidden_trailer (const struct body *body)
{
    static const char *const forbidden[] = { "content-length", "transfer-encoding", "host" };
    for (size_t i = 0; i < sizeof forbidden / sizeof forbidden[0]; i++)
        if (body->line == strlen (forbidden[i]) && 0 == strncasecmp (body->name, forbidden[i], body->line))
            return true;
    return false;
}

static bool take_trailer_name (struct body *body, char c)
{
    if (AT_TRAILER == body->state) {
        body->line = 0;
        body->state = IN_TRAILER_NAME;
        if ('\r' == c) {
            body->state = AT_LAST_FEED;
            return true;
        }
    } else if (':' == c) {
        body->state = IN_TRAILER_VALUE;
        return !is_forbidden_trailer (body);
    }
    if (body->line < sizeof body->name)
        body->name[body->line] = c;
    if (body->line < UINT16_MAX)
        body->line += 1;
    return is_token_byte (c);
}

static bool take_trailer_value (struct body *body, char c)
{
    if ('\r' == c)
        body->state = AT_TRAILER_FEED;
    return '\r' == c || syntax_is_value (&c, 1);
}

/* Moves to the next state where the byte is the one that has to come. */
static bool take_exactly (struct body *body, char c, char expected, uint8_t next)
{
    body->state = next;
    return c == expected;
}

/* One byte of what is around the data. */
static bool take_byte (struct body *body, char c)
{
    switch (body->state) {
    case AT_SIZE: return take_size (body, c);
    case AT_LINE_FEED: return take_line_feed (body, c);
    case AT_CHUNK_RETURN: return take_exactly (body, c, '\r', AT_CHUNK_FEED);
    case AT_CHUNK_FEED: return take_exactly (body, c, '\n', AT_SIZE);
    case AT_TRAILER:
    case IN_TRAILER_NAME: return take_trailer_name (body, c);
    case IN_TRAILER_VALUE: return take_trailer_value (body, c);
    case AT_TRAILER_FEED: return take_exactly (body, c, '\n', AT_TRAILER);
    case AT_LAST_FEED: return take_exactly (body, c, '\n', AT_END);
    default: return take_extension (body, c);
    }
}

/* Limits the length of a line and of the trailers, and the bytes around the data in proportion to the data. */
static enum body_progress count_byte (struct body *body, const struct body_limits *limits, char c)
{
    if (++body->around > FREE_AROUND + AROUND_EACH_BYTE * body->length)
        return BODY_TOO_LARGE;
    if (body->state >= AT_TRAILER)
        return ++body->trailers > limits->trailers ? BODY_TRAILERS_TOO_LARGE : BODY_MORE;
    if (body->state < AT_CHUNK_DATA && '\r' != c && '\n' != c)
        return ++body->line > LONGEST_LINE ? BODY_MALFORMED : BODY_MORE;
    return BODY_MORE;
}

/* Whether data are announced that are more than may come. */
static bool is_too_large (const struct body *body, const struct body_limits *limits)
{
    return (AT_DATA == body->state || AT_CHUNK_DATA == body->state) && body->left > limits->bytes - body->length;
}

/* Reads as much as belongs to the body; `used` says how much that was. */
enum body_progress body_read (struct body *body, const struct body_limits *limits, const char *bytes, size_t available,
                              size_t *used)
{
    *used = 0;
    while (AT_END != body->state && *used < available) {
        const char *const at = bytes + *used;
        enum body_progress progress = BODY_MORE;
        if (is_too_large (body, limits))
            return BODY_TOO_LARGE;
        if (AT_DATA == body->state || AT_CHUNK_DATA == body->state) {
            progress = take_data (body, at, available - *used, used,
                                  AT_DATA == body->state ? AT_END : AT_CHUNK_RETURN);
        } else {
            progress = count_byte (body, limits, *at);
            if (!take_byte (body, *at))
                return BODY_MALFORMED;
            *used += 1;
        }
        if (BODY_MORE != progress)
            return progress;
    }
    /* Refused as soon as it is announced: its sender may wait for the answer before it sends any of it. */
    if (is_too_large (body, limits))
        return BODY_TOO_LARGE;
    return AT_END == body->state ? BODY_WHOLE : BODY_MORE;
}
