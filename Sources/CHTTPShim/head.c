/* Reads a request's head strictly (RFC 9112, sections 2 to 7; RFC 9110, section 5): what two readers could read in two
 * ways is refused. Pure: bytes in, places out. */
#include "readers.h"

#include <string.h>
#include <strings.h>

#define LONGEST_METHOD 32

/* Every line has to end in CRLF; the head, in an empty one. */
enum head_end head_find_end (const char *bytes, size_t available, size_t seen, size_t *length)
{
    size_t from = seen;
    for (;;) {
        const char *const feed = memchr (bytes + from, '\n', available - from);
        if (NULL == feed)
            break;
        const size_t at = (size_t) (feed - bytes);
        if (0 == at || '\r' != bytes[at - 1])
            return HEAD_MALFORMED;
        if (1 == at || (at >= 3 && '\n' == bytes[at - 2])) {
            *length = at + 1;
            return HEAD_WHOLE;
        }
        from = at + 1;
    }
    *length = available;
    return HEAD_PARTIAL;
}

/* ------------------------------------------------------------------------------------ request line */

static struct span span_of (const char *bytes, const char *from, size_t length)
{
    return (struct span){ (uint16_t) (from - bytes), (uint16_t) length };
}

/* A path and a query from `at` to `end`. An empty path (absolute form) is the slash of `scheme://`, before it. */
static bool read_path (const char *bytes, const char *at, const char *end, const char *slash, struct head *head)
{
    const char *const question = memchr (at, '?', (size_t) (end - at));
    const char *const path_end = NULL == question ? end : question;
    const size_t length = (size_t) (path_end - at);
    if (!syntax_is_path (at, length))
        return false;
    head->path = 0 == length ? span_of (bytes, slash, 1) : span_of (bytes, at, length);
    if (NULL == question)
        return true;
    const size_t query = (size_t) (end - question) - 1;
    head->query = span_of (bytes, question + 1, query);
    return syntax_is_query (question + 1, query);
}

/* RFC 9112, section 3.2. `authority` becomes that of an absolute-form target, which has to be the Host. */
static bool read_target (const char *bytes, const char *at, size_t length, struct head *head, struct span *authority)
{
    const char *const end = at + length;
    /* CONNECT has a form of target of its own, and nothing here to be connected to. */
    if (0 == length || (7 == head->method.length && 0 == memcmp (bytes + head->method.offset, "CONNECT", 7)))
        return false;
    if ('/' == at[0])
        return read_path (bytes, at, end, at, head);
    if (1 == length && '*' == at[0] && 7 == head->method.length
        && 0 == memcmp (bytes + head->method.offset, "OPTIONS", 7)) {
        head->path = span_of (bytes, at, 1);
        return true;
    }
    const size_t scheme = length >= 7 && 0 == strncasecmp (at, "http://", 7)     ? 7
                          : length >= 8 && 0 == strncasecmp (at, "https://", 8) ? 8
                                                                                 : 0;
    if (0 == scheme)
        return false;
    const char *host_end = at + scheme;
    while (host_end < end && '/' != *host_end && '?' != *host_end)
        host_end += 1;
    *authority = span_of (bytes, at + scheme, (size_t) (host_end - at) - scheme);
    return syntax_is_host (at + scheme, authority->length) && read_path (bytes, host_end, end, at + scheme - 1, head);
}

/* "HTTP/1.0" or "HTTP/1.1"; of other versions it is said that they are not spoken. */
static enum http_refusal read_version (const char *at, size_t length, struct head *head)
{
    if (8 != length || 0 != memcmp (at, "HTTP/", 5) || at[5] < '0' || at[5] > '9' || '.' != at[6] || at[7] < '0'
        || at[7] > '9')
        return HTTP_REFUSAL_REQUEST_LINE;
    if ('1' != at[5] || at[7] > '1')
        return HTTP_REFUSAL_VERSION;
    head->minor = (uint8_t) (at[7] - '0');
    return HTTP_REFUSAL_NONE;
}

size_t head_method_length (const char *bytes, size_t available)
{
    const size_t length = syntax_token_length (bytes, available);
    return length > LONGEST_METHOD || length == available || ' ' != bytes[length] ? 0 : length;
}

static enum http_refusal read_request_line (const char *bytes, size_t length, size_t target_limit, struct head *head,
                                            struct span *authority)
{
    const size_t method = head_method_length (bytes, length);
    if (0 == method)
        return HTTP_REFUSAL_REQUEST_LINE;
    head->method = (struct span){ 0, (uint16_t) method };
    const char *const target = bytes + method + 1;
    const char *const space = memchr (target, ' ', length - method - 1);
    if (NULL == space)
        return HTTP_REFUSAL_REQUEST_LINE;
    const enum http_refusal version = read_version (space + 1, length - (size_t) (space + 1 - bytes), head);
    if (HTTP_REFUSAL_NONE != version)
        return version;
    if ((size_t) (space - target) > target_limit)
        return HTTP_REFUSAL_TARGET_TOO_LONG;
    return read_target (bytes, target, (size_t) (space - target), head, authority) ? HTTP_REFUSAL_NONE
                                                                                   : HTTP_REFUSAL_TARGET;
}

/* ------------------------------------------------------------------------------------------ fields */

/* What is counted of the fields while they are read. */
struct counts {
    unsigned lengths;
    unsigned codings;
    bool closes;
    bool keeps;
    bool chunked;
    bool other_coding;
    bool bad_length;
    bool bad_expectation;
    bool bad_connection;
};

static bool is_name (const char *key, const char *name, size_t length)
{
    return 0 == strncasecmp (key, name, length);
}

/* The field of that name, or HTTP_FIELD_COUNT. */
static enum http_field known_field (const char *key, size_t length)
{
    switch (length) {
    case 4: return is_name (key, "host", 4) ? HTTP_FIELD_HOST : HTTP_FIELD_COUNT;
    case 6:
        if (is_name (key, "accept", 6))
            return HTTP_FIELD_ACCEPT;
        if (is_name (key, "cookie", 6))
            return HTTP_FIELD_COOKIE;
        return is_name (key, "origin", 6) ? HTTP_FIELD_ORIGIN : HTTP_FIELD_COUNT;
    case 8: return is_name (key, "if-match", 8) ? HTTP_FIELD_IF_MATCH : HTTP_FIELD_COUNT;
    case 11: return is_name (key, "traceparent", 11) ? HTTP_FIELD_TRACEPARENT : HTTP_FIELD_COUNT;
    case 12: return is_name (key, "content-type", 12) ? HTTP_FIELD_CONTENT_TYPE : HTTP_FIELD_COUNT;
    case 13:
        if (is_name (key, "authorization", 13))
            return HTTP_FIELD_AUTHORIZATION;
        if (is_name (key, "if-none-match", 13))
            return HTTP_FIELD_IF_NONE_MATCH;
        return is_name (key, "last-event-id", 13) ? HTTP_FIELD_LAST_EVENT_ID : HTTP_FIELD_COUNT;
    case 14: return is_name (key, "sec-fetch-site", 14) ? HTTP_FIELD_SEC_FETCH_SITE : HTTP_FIELD_COUNT;
    case 15:
        if (is_name (key, "accept-language", 15))
            return HTTP_FIELD_ACCEPT_LANGUAGE;
        if (is_name (key, "bindery-session", 15))
            return HTTP_FIELD_BINDERY_SESSION;
        if (is_name (key, "x-forwarded-for", 15))
            return HTTP_FIELD_X_FORWARDED_FOR;
        return is_name (key, "idempotency-key", 15) ? HTTP_FIELD_IDEMPOTENCY_KEY : HTTP_FIELD_COUNT;
    case 16:
        if (is_name (key, "content-encoding", 16))
            return HTTP_FIELD_CONTENT_ENCODING;
        return is_name (key, "x-forwarded-host", 16) ? HTTP_FIELD_X_FORWARDED_HOST : HTTP_FIELD_COUNT;
    case 17: return is_name (key, "x-forwarded-proto", 17) ? HTTP_FIELD_X_FORWARDED_PROTO : HTTP_FIELD_COUNT;
    case 29:
        return is_name (key, "access-control-request-method", 29) ? HTTP_FIELD_ACCESS_CONTROL_REQUEST_METHOD
                                                                  : HTTP_FIELD_COUNT;
    default: return HTTP_FIELD_COUNT;
    }
}

/* RFC 9110, section 8.6: digits alone, and of any number of them; beyond 64 bits it is as large as a number can be. */
static void take_length (const char *value, size_t length, struct head *head, struct counts *counts)
{
    uint64_t number = 0;
    counts->lengths += 1;
    counts->bad_length = counts->bad_length || 0 == length;
    for (size_t i = 0; i < length; i++) {
        if (value[i] < '0' || value[i] > '9') {
            counts->bad_length = true;
            return;
        }
        number = number > UINT64_MAX / 10 - 1 ? UINT64_MAX : number * 10 + (uint64_t) (value[i] - '0');
    }
    head->has_length = true;
    head->content_length = number;
}

/* Without the white space around it. */
static struct http_text trimmed (const char *first, const char *last)
{
    while (first < last && (' ' == *first || '\t' == *first))
        first += 1;
    while (last > first && (' ' == last[-1] || '\t' == last[-1]))
        last -= 1;
    return (struct http_text){ first, (size_t) (last - first) };
}

/* The next element of a comma-separated list (RFC 9110, section 5.6.1), without the white space around it. */
static struct http_text next_item (const char **at, const char *end)
{
    const char *const comma = memchr (*at, ',', (size_t) (end - *at));
    const char *const first = *at;
    *at = NULL == comma ? end : comma + 1;
    return trimmed (first, NULL == comma ? end : comma);
}

/* "chunked", once, is the only coding spoken. Of another it is said so (501), where the list is sound. */
static void take_coding (const char *value, size_t length, struct counts *counts)
{
    const char *const end = value + length;
    counts->codings += 1;
    counts->chunked = 7 == length && is_name (value, "chunked", 7);
    while (value < end) {
        const struct http_text item = next_item (&value, end);
        if (syntax_is_token (item.bytes, item.length) && !(7 == item.length && is_name (item.bytes, "chunked", 7)))
            counts->other_coding = true;
    }
}

/* RFC 9110, section 7.6.1: a list, of which two words matter. */
static void take_connection (const char *value, size_t length, struct counts *counts)
{
    const char *const end = value + length;
    while (value < end) {
        const struct http_text item = next_item (&value, end);
        counts->bad_connection
            = counts->bad_connection || (item.length > 0 && !syntax_is_token (item.bytes, item.length));
        counts->closes = counts->closes || (5 == item.length && is_name (item.bytes, "close", 5));
        counts->keeps = counts->keeps || (10 == item.length && is_name (item.bytes, "keep-alive", 10));
    }
}

static void take_expectation (const char *value, size_t length, struct head *head, struct counts *counts)
{
    if (12 == length && is_name (value, "100-continue", 12))
        head->expects_continue = true;
    else
        counts->bad_expectation = true;
}

static void take_field (const char *bytes, const char *key, size_t key_length, const char *value, size_t length,
                        struct head *head, struct counts *counts)
{
    const enum http_field field = known_field (key, key_length);
    if (HTTP_FIELD_COUNT != field) {
        if (NO_SPAN == head->fields[field].offset)
            head->fields[field] = span_of (bytes, value, length);
        else
            head->repeated |= 1u << field;
    } else if (14 == key_length && is_name (key, "content-length", 14)) {
        take_length (value, length, head, counts);
    } else if (17 == key_length && is_name (key, "transfer-encoding", 17)) {
        take_coding (value, length, counts);
    } else if (10 == key_length && is_name (key, "connection", 10)) {
        take_connection (value, length, counts);
    } else if (6 == key_length && is_name (key, "expect", 6)) {
        take_expectation (value, length, head, counts);
    }
}

/* From `at` to the empty line at `end`: name ":" OWS value OWS CRLF. A line that begins with white space would be one
 * field with the line before to some readers, and another to others (RFC 9112, section 5.2). */
static bool read_fields (const char *bytes, const char *at, const char *end, struct head *head, struct counts *counts)
{
    while (at < end) {
        const size_t key = syntax_token_length (at, (size_t) (end - at));
        if (0 == key || at + key == end || ':' != at[key])
            return false;
        const char *const feed = memchr (at + key, '\n', (size_t) (end - at) - key);
        if (NULL == feed)
            return false;
        const struct http_text value = trimmed (at + key + 1, feed - 1); /* the CR: head_find_end() saw to it */
        if (!syntax_is_value (value.bytes, value.length))
            return false;
        take_field (bytes, at, key, value.bytes, value.length, head, counts);
        at = feed + 1;
    }
    return true;
}

bool head_next_value (const char *bytes, const struct head *head, enum http_field field, struct span *value)
{
    /* Elsewhere a second line is somebody's mistake. */
    static const uint32_t lists = 1u << HTTP_FIELD_ACCEPT | 1u << HTTP_FIELD_ACCEPT_LANGUAGE | 1u << HTTP_FIELD_IF_MATCH
                                  | 1u << HTTP_FIELD_IF_NONE_MATCH | 1u << HTTP_FIELD_X_FORWARDED_FOR;
    if (0 == (lists & head->repeated & (1u << field)))
        return false;
    const char *const end = bytes + head->length - 2;
    const char *at = bytes + value->offset + value->length;
    for (;;) {
        at = (const char *) memchr (at, '\n', (size_t) (bytes + head->length - at)) + 1;
        if (at >= end)
            return false;
        const size_t key = syntax_token_length (at, (size_t) (end - at));
        if (field != known_field (at, key))
            continue;
        const char *const feed = memchr (at, '\n', (size_t) (end - at));
        const struct http_text text = trimmed (at + key + 1, feed - 1);
        *value = span_of (bytes, text.bytes, text.length);
        return true;
    }
}

/* RFC 9112, section 6: one length, told once, or none. */
static enum http_refusal judge_framing (struct head *head, const struct counts *counts)
{
    if (counts->bad_length || counts->lengths + counts->codings > 1)
        return HTTP_REFUSAL_FRAMING;
    if (0 == counts->codings)
        return HTTP_REFUSAL_NONE;
    /* HTTP/1.0 knows no chunks: what came before us may have read the body otherwise. */
    if (0 == head->minor)
        return HTTP_REFUSAL_FRAMING;
    if (!counts->chunked)
        return counts->other_coding ? HTTP_REFUSAL_CODING : HTTP_REFUSAL_FRAMING;
    head->chunked = true;
    return HTTP_REFUSAL_NONE;
}

static bool is_same_host (const char *bytes, struct span one, struct span other)
{
    return one.length == other.length && 0 == strncasecmp (bytes + one.offset, bytes + other.offset, one.length);
}

static bool judge_host (const char *bytes, const struct head *head, struct span authority)
{
    const struct span host = head->fields[HTTP_FIELD_HOST];
    if (0 != (head->repeated & (1u << HTTP_FIELD_HOST)))
        return false;
    if (NO_SPAN == host.offset)
        return 0 == head->minor && NO_SPAN == authority.offset;
    return syntax_is_host (bytes + host.offset, host.length)
           && (NO_SPAN == authority.offset || is_same_host (bytes, host, authority));
}

/* Reads a head that head_find_end() found whole. */
enum http_refusal head_read (const char *bytes, size_t length, size_t target_limit, struct head *head)
{
    struct counts counts;
    struct span authority = { NO_SPAN, 0 };
    memset (head, 0, sizeof *head);
    memset (&counts, 0, sizeof counts);
    memset (head->fields, 0xff, sizeof head->fields);
    head->path.offset = NO_SPAN;
    head->query.offset = NO_SPAN;
    head->length = (uint16_t) length;
    const char *const feed = memchr (bytes, '\n', length);
    if (NULL == feed)
        return HTTP_REFUSAL_REQUEST_LINE;
    const enum http_refusal line
        = read_request_line (bytes, (size_t) (feed - bytes) - 1, target_limit, head, &authority);
    if (HTTP_REFUSAL_NONE != line)
        return line;
    if (!read_fields (bytes, feed + 1, bytes + length - 2, head, &counts) || counts.bad_connection)
        return HTTP_REFUSAL_FIELD;
    const enum http_refusal framing = judge_framing (head, &counts);
    if (HTTP_REFUSAL_NONE != framing)
        return framing;
    if (!judge_host (bytes, head, authority))
        return HTTP_REFUSAL_HOST;
    if (counts.bad_expectation)
        return HTTP_REFUSAL_EXPECTATION;
    head->closes = counts.closes || (0 == head->minor && !counts.keeps);
    head->expects_continue = head->expects_continue && 1 == head->minor;
    return HTTP_REFUSAL_NONE;
}
