/* Refuses each head that could be read in two ways.
 *
 * libmicrohttpd 0.9.75 reads heads kindly: it joins folded lines, ends a head at an empty name, and cuts values at a NUL.
 * Its parsed fields do not show that. But it leaves each part of a head where it arrived. So this file accounts for every
 * byte: each part must follow the one before exactly, and the sum must be the size of the head. strict_holds() tests at
 * start that the library still works so. What remains: NUL LF passes for CRLF, and the library skips a line that begins
 * with NUL before the request line. 1.0 and later is strict by MHD_OPTION_CLIENT_DISCIPLINE_LVL 1. */
#include "internal.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

/* libmicrohttpd keeps a record of each field, argument and cookie in the pool, where the answer's head goes, too. */
#define RECORD_BYTES 64

/* ------------------------------------------------------------------ syntax */

enum {
    TOKEN = 1,  /* RFC 9110, section 5.6.2 */
    TARGET = 2, /* RFC 3986, sections 3.3 and 3.4: path and query */
    NAME = 4,   /* RFC 3986, section 3.2.2: reg-name */
};

static const unsigned char classes[256] = {
    ['0' ... '9'] = TOKEN | TARGET | NAME, ['A' ... 'Z'] = TOKEN | TARGET | NAME, ['a' ... 'z'] = TOKEN | TARGET | NAME,
    ['!'] = TOKEN | TARGET | NAME, ['#'] = TOKEN, ['$'] = TOKEN | TARGET | NAME, ['%'] = TOKEN | TARGET | NAME,
    ['&'] = TOKEN | TARGET | NAME, ['\''] = TOKEN | TARGET | NAME, ['('] = TARGET | NAME, [')'] = TARGET | NAME,
    ['*'] = TOKEN | TARGET | NAME, ['+'] = TOKEN | TARGET | NAME, [','] = TARGET | NAME, ['-'] = TOKEN | TARGET | NAME,
    ['.'] = TOKEN | TARGET | NAME, ['/'] = TARGET, [':'] = TARGET, [';'] = TARGET | NAME, ['='] = TARGET | NAME,
    ['?'] = TARGET, ['@'] = TARGET, ['^'] = TOKEN, ['_'] = TOKEN | TARGET | NAME, ['`'] = TOKEN, ['|'] = TOKEN,
    ['~'] = TOKEN | TARGET | NAME,
};

/* How many of the first bytes are of the class. */
static size_t run_of (const char *bytes, size_t length, unsigned char class) {
    size_t count = 0;
    while (count < length && 0 != (classes[(unsigned char) bytes[count]] & class))
        count += 1;
    return count;
}

static bool is_hex (char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Whether each '%' begins two hexadecimal digits that are not 00: no name contains a NUL. */
static bool is_encoded (const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++)
        if ('%' == bytes[i]
            && (length - i < 3 || !is_hex (bytes[i + 1]) || !is_hex (bytes[i + 2])
                || ('0' == bytes[i + 1] && '0' == bytes[i + 2])))
            return false;
    return true;
}

/* uri-host [":" port] (RFC 9110, section 7.2); not empty. */
static bool is_host (const char *bytes, size_t length) {
    size_t host = 0;
    if (length > 0 && '[' == bytes[0]) {
        char literal[INET6_ADDRSTRLEN];
        struct in6_addr address;
        const char *const end = memchr (bytes, ']', length);
        if (NULL == end || (size_t) (end - bytes - 1) >= sizeof literal)
            return false;
        host = (size_t) (end - bytes) + 1;
        memcpy (literal, bytes + 1, host - 2);
        literal[host - 2] = '\0';
        if (1 != inet_pton (AF_INET6, literal, &address))
            return false;
    } else {
        host = run_of (bytes, length, NAME);
        if (!is_encoded (bytes, host))
            return false;
    }
    if (0 == host || host == length)
        return 0 != host;
    uint32_t port = 0;
    for (size_t i = host + 1; i < length && port <= UINT16_MAX; i++) {
        if (bytes[i] < '0' || bytes[i] > '9')
            return false;
        port = port * 10 + (uint32_t) (bytes[i] - '0');
    }
    return ':' == bytes[host] && port <= UINT16_MAX;
}

/* Also used for the fields of answers. */
bool strict_is_token (const char *bytes, size_t length) {
    return length > 0 && length == run_of (bytes, length, TOKEN);
}

/* RFC 9110, section 5.5: no control character but the tab. */
bool strict_is_value (const char *bytes, size_t length) {
    unsigned char bad = 0;
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char) bytes[i];
        bad |= (unsigned char) (((c < 0x20) & (c != '\t')) | (c == 0x7f));
    }
    return 0 == bad;
}

static struct http_text trimmed (const char *first, const char *last) {
    while (first < last && (' ' == *first || '\t' == *first))
        first += 1;
    while (last > first && (' ' == last[-1] || '\t' == last[-1]))
        last -= 1;
    return (struct http_text){ first, (size_t) (last - first) };
}

/* ------------------------------------------------------------------ fields */

static bool is_word (struct http_text text, const char *word) {
    return text.length == strlen (word) && 0 == strncasecmp (text.bytes, word, text.length);
}

/* A walk over the fields of one head. */
struct walk {
    struct http_exchange *exchange;
    const char *next; /* where the next field line must begin; NULL: not checked */
    unsigned hosts, lengths, codings;
    struct http_text host;
    size_t cookie_bytes;
};

/* RFC 9110, section 8.6: digits alone, once. */
static enum http_refusal take_length (struct walk *walk, struct http_text value) {
    uint64_t *const length = &walk->exchange->content_length;
    if (0 == value.length || 1 != ++walk->lengths)
        return HTTP_REFUSAL_FRAMING;
    for (size_t i = 0; i < value.length; i++) {
        if (value.bytes[i] < '0' || value.bytes[i] > '9')
            return HTTP_REFUSAL_FRAMING;
        *length = *length > UINT64_MAX / 10 - 1 ? UINT64_MAX : *length * 10 + (uint64_t) (value.bytes[i] - '0');
    }
    return HTTP_REFUSAL_NONE;
}

/* "chunked", once, is the only coding. Another one is not implemented, and ambiguous if "chunked" is not the last. */
static enum http_refusal take_coding (struct walk *walk, struct http_text value) {
    const char *const chunked = strcasestr (value.bytes, "chunked");
    if (0 == value.length || 1 != ++walk->codings || (NULL != chunked && chunked + 7 != value.bytes + value.length))
        return HTTP_REFUSAL_FRAMING;
    if (7 != value.length || NULL == chunked)
        return HTTP_REFUSAL_CODING;
    /* 0.9.75 takes white space behind a value for a part of it, and would read the body up to the end of the connection. */
    return '\0' == value.bytes[7] ? HTTP_REFUSAL_NONE : HTTP_REFUSAL_FRAMING;
}

static enum http_refusal judge_field (struct walk *walk, struct http_text name, struct http_text value) {
    if (is_word (name, "content-length"))
        return take_length (walk, value);
    if (is_word (name, "transfer-encoding"))
        return take_coding (walk, value);
    if (is_word (name, "expect")) {
        walk->exchange->waits_for_continue = is_word (value, "100-continue");
        return walk->exchange->waits_for_continue ? HTTP_REFUSAL_NONE : HTTP_REFUSAL_EXPECTATION;
    }
    if (is_word (name, "host")) {
        walk->host = value;
        return 1 == ++walk->hosts && is_host (value.bytes, value.length) ? HTTP_REFUSAL_NONE : HTTP_REFUSAL_HOST;
    }
    if (is_word (name, "cookie"))
        walk->cookie_bytes += value.length;
    return HTTP_REFUSAL_NONE;
}

static enum MHD_Result take_field (void *context, enum MHD_ValueKind kind, const char *name, size_t name_length,
                                   const char *value, size_t value_length) {
    struct walk *const walk = context;
    enum http_refusal *const refusal = &walk->exchange->request.refusal;
    (void) kind;
    if (NULL == value) {
        value = "";
        value_length = 0;
    }
    if (!strict_is_token (name, name_length) || !strict_is_value (value, value_length))
        *refusal = HTTP_REFUSAL_HEAD;
    if (NULL != walk->next && HTTP_REFUSAL_NONE == *refusal) {
        /* name ':' white space value CR LF, right behind the line before. */
        const char *at = name + name_length + 1;
        while (at < value && (' ' == *at || '\t' == *at))
            at += 1;
        if (name != walk->next || at != value)
            *refusal = HTTP_REFUSAL_HEAD;
        walk->next = value + value_length + 2;
    }
    const struct http_field field = { { name, name_length }, trimmed (value, value + value_length) };
    if (HTTP_REFUSAL_NONE == *refusal)
        *refusal = judge_field (walk, field.name, field.value);
    walk->exchange->fields[walk->exchange->request.field_count++] = (struct http_field){
        exchange_keep (walk->exchange, field.name), exchange_keep (walk->exchange, field.value)
    };
    return HTTP_REFUSAL_NONE == *refusal ? MHD_YES : MHD_NO;
}

/* ------------------------------------------------------------------- heads */

/* Splits a target into path and query (RFC 9112, section 3.2): origin-form, absolute-form, or "*". */
static bool split_target (const char *bytes, size_t length, struct http_request *request, struct http_text *authority) {
    const char *const end = bytes + length;
    const char *at = bytes;
    const size_t scheme = length >= 7 && 0 == strncasecmp (bytes, "http://", 7)    ? 7
                          : length >= 8 && 0 == strncasecmp (bytes, "https://", 8) ? 8
                                                                                    : 0;
    if (0 != scheme) {
        for (at += scheme; at < end && '/' != *at && '?' != *at;)
            at += 1;
        *authority = (struct http_text){ bytes + scheme, (size_t) (at - bytes) - scheme };
        if (!is_host (authority->bytes, authority->length))
            return false;
    }
    const char *const question = memchr (at, '?', (size_t) (end - at));
    const struct http_text path = { at, (size_t) ((NULL == question ? end : question) - at) };
    request->path = 0 == path.length && 0 != scheme ? (struct http_text){ "/", 1 } : path;
    if (NULL != question)
        request->query = (struct http_text){ question + 1, (size_t) (end - question) - 1 };
    if (1 == length && '*' == *bytes)
        return true;
    return length == run_of (bytes, length, TARGET) && request->path.length > 0 && '/' == request->path.bytes[0]
           && is_encoded (request->path.bytes, request->path.length);
}

/* Whether method, target and version lie as they arrived: "METHOD target version CR LF". */
static bool line_is_accounted (const struct connection *connection, const char *url, const char *method,
                               const char *version) {
    return url == method + strlen (method) + 1 && connection->uri == url
           && version == url + connection->target_length + 1;
}

static enum http_refusal judge_line (const struct connection *connection, const char *url, const char *method,
                                     const char *version, struct http_exchange *exchange, struct http_text *authority) {
    const struct http_limits *const limits = &connection->loop->server->limits;
    struct http_request *const request = &exchange->request;
    if (HTTP_REFUSAL_NONE != connection->surplus)
        return connection->surplus;
    if (0 != strcmp (version, "HTTP/1.1") && 0 != strcmp (version, "HTTP/1.0"))
        return HTTP_REFUSAL_VERSION;
    if (exchange->head_bytes > limits->header_bytes)
        return HTTP_REFUSAL_HEADER_TOO_LARGE;
    if (!strict_is_token (method, strlen (method))
        || (!is_modern () && !line_is_accounted (connection, url, method, version)))
        return HTTP_REFUSAL_HEAD;
    if (connection->target_length > limits->target_bytes)
        return HTTP_REFUSAL_TARGET_TOO_LONG;
    if (NULL == connection->target)
        return HTTP_REFUSAL_MEMORY;
    const bool is_sound = split_target (connection->target, connection->target_length, request, authority);
    request->path = exchange_keep (exchange, request->path);
    request->query = exchange_keep (exchange, request->query);
    return is_sound ? HTTP_REFUSAL_NONE : HTTP_REFUSAL_TARGET;
}

/* What only the whole head shows. */
static enum http_refusal judge_head (const struct walk *walk, const char *method, const char *version,
                                     struct http_text authority) {
    const struct http_exchange *const exchange = walk->exchange;
    const struct http_text host = walk->host;
    if (HTTP_REFUSAL_NONE != exchange->request.refusal)
        return exchange->request.refusal;
    if (NULL != walk->next && walk->next + 2 != method + exchange->head_bytes)
        return HTTP_REFUSAL_HEAD;
    /* RFC 9112, section 3.2.2: the Host of an absolute-form target is its authority. */
    if ((0 == walk->hosts && '1' == version[7])
        || (NULL != authority.bytes && NULL != host.bytes
            && (host.length != authority.length || 0 != strncasecmp (host.bytes, authority.bytes, host.length))))
        return HTTP_REFUSAL_HOST;
    if (0 != walk->codings && (0 != walk->lengths || '0' == version[7]))
        return HTTP_REFUSAL_FRAMING;
    /* RFC 9110, section 10.1.1. 0.9.75 takes the next request in its buffer for the body, and loses the answer. */
    if (exchange->waits_for_continue && 0 == walk->codings && 0 == exchange->content_length)
        return HTTP_REFUSAL_EXPECTATION;
    if (exchange->room < HTTP_ANSWER_HEAD_BYTES)
        return HTTP_REFUSAL_HEADER_TOO_LARGE;
    return exchange->content_length > exchange->loop->server->limits.body_bytes ? HTTP_REFUSAL_BODY_TOO_LARGE : HTTP_REFUSAL_NONE;
}

/* The head, a copy of the cookies and libmicrohttpd's records share the pool. What is left must take the head of the
 * answer, or libmicrohttpd closes the connection without a byte. */
static size_t room_of (const struct walk *walk) {
    const struct http_exchange *const exchange = walk->exchange;
    const int records = MHD_get_connection_values (
        exchange->connection->handle, MHD_HEADER_KIND | MHD_COOKIE_KIND | MHD_GET_ARGUMENT_KIND, NULL, NULL);
    const size_t taken = exchange->head_bytes + walk->cookie_bytes + (size_t) records * RECORD_BYTES;
    return taken < exchange->loop->server->pool ? exchange->loop->server->pool - taken : 0;
}

/* Makes the exchange of a complete head: a request with its route, or a refusal. NULL without memory. */
struct http_exchange *strict_read (struct connection *connection, const char *url, const char *method,
                                   const char *version) {
    const union MHD_ConnectionInfo *const size
        = MHD_get_connection_info (connection->handle, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    const size_t head_bytes = size->header_size;
    struct http_text authority = { NULL, 0 };
    const int fields = MHD_get_connection_values (connection->handle, MHD_HEADER_KIND, NULL, NULL);
    struct http_exchange *const exchange = exchange_create (connection, (size_t) fields, head_bytes);
    if (NULL == exchange)
        return NULL;
    struct http_request *const request = &exchange->request;
    struct walk walk = { .exchange = exchange, .next = is_modern () ? NULL : version + strlen (version) + 2 };
    exchange->head_bytes = head_bytes;
    request->is_head = 0 == strcmp (method, "HEAD");
    (void) strncpy (request->method, method, sizeof request->method - 1);
    request->refusal = judge_line (connection, url, method, version, exchange, &authority);
    if (HTTP_REFUSAL_NONE == request->refusal)
        (void) MHD_get_connection_values_n (connection->handle, MHD_HEADER_KIND, &take_field, &walk);
    exchange->room = room_of (&walk);
    request->refusal = judge_head (&walk, method, version, authority);
    exchange->has_length = 0 != walk.lengths;
    if (0 != walk.codings) {
        /* The library reads chunk extensions and trailers kindly: nothing after such a body is read as a request. */
        exchange->closes = true;
        exchange->read_at_head = deadlines_bytes_read (connection);
    }
    if (HTTP_REFUSAL_NONE == request->refusal)
        routes_find (connection->loop->server->routes, request);
    return exchange;
}

/* ---------------------------------------------------------------- self-test */

/* What the reading of a head comes to: NONE if it is served. */
static enum http_refusal trial (struct http_server *server, const char *head, size_t length) {
    enum http_refusal verdict = HTTP_REFUSAL_HEAD; /* also if libmicrohttpd refuses it by itself */
    struct loop loop;
    int pair[2];
    if (0 != socketpair (AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair))
        return HTTP_REFUSAL_MEMORY;
    if (loop_init (&loop, server)) {
        loop.trial = &verdict;
        struct connection *const connection = calloc (1, sizeof *connection);
        if (NULL != connection) {
            connection->descriptor = pair[1];
            atomic_fetch_add (&server->connections, 1);
            connection_add (&loop, connection);
        }
        if (NULL == connection || length != (size_t) write (pair[0], head, length))
            verdict = HTTP_REFUSAL_MEMORY;
        for (int i = 0; i < 8; i++) {
            for (size_t j = 0; j < loop.shard_count; j++)
                loop_mark (&loop, loop.shards[j]);
            loop_turn (&loop);
        }
        loop_destroy (&loop);
    }
    (void) close (pair[0]);
    return verdict;
}

/* Whether the accounting holds with the library that was loaded: a sound head passes, and kindly read ones do not. */
bool strict_holds (struct http_server *server) {
    static const char sound[] = "GET /a?b=c HTTP/1.1\r\nHost: a\r\nX: \t y \r\nEmpty:\r\n\r\n";
    static const char *const unsound[] = {
        "GET /a HTTP/1.1\r\nHost: a\r\nX: y\r\n z\r\n\r\n", /* a folded line */
        "GET /a HTTP/1.1\r\nHost: a\r\n: y\r\nX: z\r\n\r\n", /* an empty name */
        "GET /a HTTP/1.1\r\nHost: a\r\nX : y\r\n\r\n",       /* a space before the colon */
        "GET  /a HTTP/1.1\r\nHost: a\r\n\r\n",               /* two spaces */
        "GET /a HTTP/1.1\r\nHost: a\nX: y\r\n\r\n",          /* a bare line feed */
    };
    static const char nul[] = "GET /a HTTP/1.1\r\nHost: a\r\nX: y\0z\r\n\r\n";
    if (is_modern ())
        return true;
    const enum http_refusal verdict = trial (server, sound, sizeof sound - 1);
    if (verdict > HTTP_REFUSAL_METHOD_NOT_ALLOWED || HTTP_REFUSAL_HEAD != trial (server, nul, sizeof nul - 1))
        return false;
    for (size_t i = 0; i < sizeof unsound / sizeof *unsound; i++)
        if (HTTP_REFUSAL_HEAD != trial (server, unsound[i], strlen (unsound[i])))
            return false;
    return true;
}
