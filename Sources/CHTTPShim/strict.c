/* Refuses each head that two readers could read differently.
 *
 * libmicrohttpd 0.9.75 is lenient: it joins folded lines, ends a head at an empty name, and cuts values at a NUL. Its parsed
 * fields do not show that. But it leaves each part of a head where it arrived. So this file accounts for every byte: each part
 * must directly follow the previous one, and the sum must be the size of the head. If a library had another layout, the shim
 * would refuse every request. Two gaps remain: NUL LF passes for CRLF, and the library skips a line that begins with NUL before
 * the request line. 1.0 and later are strict with MHD_OPTION_CLIENT_DISCIPLINE_LVL 1. */
#include "internal.h"

#include <ctype.h>
#include <strings.h>

/* libmicrohttpd keeps a record of each field, argument and cookie in the pool. The answer's head uses the same pool. */
#define RECORD_BYTES 64

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

/* How many of the first bytes are in the class. */
static size_t run_of (const char *bytes, size_t length, unsigned char class) {
    size_t count = 0;
    while (count < length && 0 != (classes[(unsigned char) bytes[count]] & class))
        count += 1;
    return count;
}

/* Whether two hexadecimal digits follow each '%', but not 00, because no name contains a NUL. */
static bool is_encoded (const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++)
        if ('%' == bytes[i]
            && (length - i < 3 || !isxdigit (bytes[i + 1] & 0xff) || !isxdigit (bytes[i + 2] & 0xff)
                || 0 == memcmp (&bytes[i + 1], "00", 2)))
            return false;
    return true;
}

/* uri-host [":" port] (RFC 9110, section 7.2); not empty. The port may be (RFC 3986, section 3.2.3). */
static bool is_host (struct http_text text) {
    static const char hexadecimal[] = "0123456789abcdefABCDEF:.";
    const char *const bytes = text.bytes;
    size_t host = run_of (bytes, text.length, NAME);
    if ('[' == bytes[0]) {
        const size_t end = 1 + strspn (bytes + 1, hexadecimal);
        host = end > 1 && ']' == bytes[end] ? end + 1 : 0;
    }
    if (0 == host || !is_encoded (bytes, host))
        return false;
    const char *const port = bytes + host + 1;
    return host == text.length
           || (':' == bytes[host] && port + strspn (port, "0123456789") == bytes + text.length
               && strtoul (port, NULL, 10) <= UINT16_MAX);
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

static bool is_word (struct http_text text, const char *word) {
    return text.length == strlen (word) && 0 == strncasecmp (text.bytes, word, text.length);
}

/* The last digits of a number in base 36, without a terminating zero. */
void strict_write_number (uint64_t number, int digits, char *text) {
    while (digits-- > 0) {
        text[digits] = "0123456789abcdefghijklmnopqrstuvwxyz"[number % 36];
        number /= 36;
    }
}

/* Makes the exchange of one request. It copies the texts of the head, because libmicrohttpd reuses that memory, and Swift may
 * keep a request for longer. */
static struct http_exchange *create (struct connection *connection, size_t fields, size_t text_capacity) {
    struct http_server *const server = connection->loop->server;
    struct http_exchange *const exchange
        = allocate (NULL, sizeof *exchange + fields * sizeof exchange->fields[0] + text_capacity);
    char *const text = (char *) &exchange->fields[fields];
    *exchange = (struct http_exchange){
        .references = 1, .loop = connection->loop, .connection = connection, .text = text, .text_end = text + text_capacity
    };
    exchange->request.fields = exchange->fields;
    exchange->request.route = -1;
    exchange->request.number = atomic_fetch_add_explicit (&server->begun, 1, memory_order_relaxed);
    /* 15 characters, which Swift keeps without an allocation. The rest is zero. */
    strict_write_number (exchange->request.number, 8, stpcpy (exchange->request.id, server->id_prefix));
    memcpy (exchange->request.peer, connection->peer, HTTP_ADDRESS_SIZE);
    return exchange;
}

/* Copies a text. It is a part of the head, so there is room for it. */
static struct http_text keep (struct http_exchange *exchange, struct http_text text) {
    if (NULL == text.bytes || text.length > (size_t) (exchange->text_end - exchange->text))
        return (struct http_text){ NULL, 0 };
    const struct http_text kept = { exchange->text, text.length };
    exchange->text = mempcpy (exchange->text, text.bytes, text.length);
    return kept;
}

/* The state while a head is read. */
struct reading {
    const struct connection *connection;
    struct http_exchange *exchange;
    const char *next; /* where the next field line must begin; NULL: not checked */
    unsigned hosts, lengths, codings;
    struct http_text host, authority; /* from the field; from the target */
    size_t cookie_bytes;
};

/* RFC 9110, section 8.6: digits alone, once. */
static unsigned take_length (struct reading *reading, struct http_text value) {
    uint64_t *const length = &reading->exchange->content_length;
    if (0 == value.length || 1 != ++reading->lengths)
        return MHD_HTTP_BAD_REQUEST;
    for (size_t i = 0; i < value.length; i++) {
        if (value.bytes[i] < '0' || value.bytes[i] > '9')
            return MHD_HTTP_BAD_REQUEST;
        *length = *length < UINT64_MAX / 10 ? *length * 10 + (uint64_t) (value.bytes[i] - '0') : UINT64_MAX;
    }
    return 0;
}

/* Accepts only "chunked", once. Other codings are not implemented. They are ambiguous if "chunked" is not the last. */
static unsigned take_coding (struct reading *reading, struct http_text value) {
    const char *const chunked = strcasestr (value.bytes, "chunked");
    if (0 == value.length || 1 != ++reading->codings || (NULL != chunked && chunked + 7 != value.bytes + value.length))
        return MHD_HTTP_BAD_REQUEST;
    if (7 != value.length || NULL == chunked)
        return MHD_HTTP_NOT_IMPLEMENTED;
    /* 0.9.75 counts white space after the value as a part of it, and would read the body up to the end of the connection. */
    return '\0' == value.bytes[7] ? 0 : MHD_HTTP_BAD_REQUEST;
}

static unsigned judge_field (struct reading *reading, struct http_text name, struct http_text value) {
    if (is_word (name, "content-length"))
        return take_length (reading, value);
    if (is_word (name, "transfer-encoding"))
        return take_coding (reading, value);
    if (is_word (name, "host")) {
        reading->host = value;
        return 1 == ++reading->hosts && is_host (value) ? 0 : MHD_HTTP_BAD_REQUEST;
    }
    if (is_word (name, "expect"))
        reading->exchange->waits_for_continue |= is_word (value, "100-continue");
    if (is_word (name, "cookie"))
        reading->cookie_bytes += value.length;
    return 0;
}

/* Whether a field is "name ':' white space value CR LF", right behind the line before. */
static bool is_accounted (struct reading *reading, const char *name, size_t name_length, const char *value,
                          size_t value_length) {
    const char *at = name + name_length + 1;
    while (at < value && (' ' == *at || '\t' == *at))
        at += 1;
    const bool is_next = NULL == reading->next || (name == reading->next && at == value);
    reading->next = NULL == reading->next ? NULL : value + value_length + 2;
    return is_next;
}

static enum MHD_Result take_field (void *context, enum MHD_ValueKind kind, const char *name, size_t name_length,
                                   const char *value, size_t value_length) {
    struct reading *const reading = context;
    struct http_request *const request = &reading->exchange->request;
    (void) kind;
    if (NULL == value) {
        value = "";
        value_length = 0;
    }
    const struct http_field field = { { name, name_length }, trimmed (value, value + value_length) };
    request->refusal = strict_is_token (name, name_length) && strict_is_value (value, value_length)
                               && is_accounted (reading, name, name_length, value, value_length)
                           ? judge_field (reading, field.name, field.value)
                           : MHD_HTTP_BAD_REQUEST;
    reading->exchange->fields[request->field_count++] = (struct http_field){
        keep (reading->exchange, field.name), keep (reading->exchange, field.value)
    };
    return 0 == request->refusal ? MHD_YES : MHD_NO;
}

/* Splits a target into path and query (RFC 9112, section 3.2): origin-form or absolute-form. */
static bool split_target (struct reading *reading, struct http_request *request) {
    const char *const target = reading->connection->target, *at = target;
    const size_t length = reading->connection->target_length;
    const size_t scheme = strcspn (at, ":/?");
    const bool is_absolute = (4 == scheme || 5 == scheme) && 0 == strncasecmp (at, "https", scheme)
                             && 0 == strncmp (at + scheme, "://", 3);
    if (is_absolute) {
        const char *const authority = at + scheme + 3;
        at = authority + strcspn (authority, "/?");
        reading->authority = (struct http_text){ authority, (size_t) (at - authority) };
    }
    const struct http_text path = { at, strcspn (at, "?") };
    const struct http_text query = { at + path.length + 1, length - (size_t) (at - target) - path.length - 1 };
    const bool is_root = 0 == path.length && is_absolute;
    request->path = keep (reading->exchange, is_root ? (struct http_text){ "/", 1 } : path);
    if ('?' == at[path.length])
        request->query = keep (reading->exchange, query);
    return length == run_of (target, length, TARGET)
           && (is_root || ('/' == *at && is_encoded (path.bytes, path.length)));
}

static unsigned judge_line (struct reading *reading, const char *url, const char *method, const char *version) {
    const struct connection *const connection = reading->connection;
    const struct http_server *const server = connection->loop->server;
    if (0 != connection->refusal)
        return connection->refusal;
    if (0 != strcmp (version, "HTTP/1.1") && 0 != strcmp (version, "HTTP/1.0"))
        return MHD_HTTP_HTTP_VERSION_NOT_SUPPORTED;
    if (reading->exchange->head_bytes > server->limits.header_bytes)
        return MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE;
    /* Method, target and version must lie as they arrived: "METHOD target version CR LF". */
    const bool is_in_place = server->is_modern
                             || (url == method + strlen (method) + 1 && url == connection->uri
                                 && version == url + connection->target_length + 1);
    if (!is_in_place || !strict_is_token (method, strlen (method)))
        return MHD_HTTP_BAD_REQUEST;
    if (connection->target_length > HTTP_TARGET_BYTES)
        return MHD_HTTP_URI_TOO_LONG;
    return split_target (reading, &reading->exchange->request) ? 0 : MHD_HTTP_BAD_REQUEST;
}

/* Checks that need the whole head. */
static unsigned judge_head (const struct reading *reading, const char *method, const char *version) {
    const struct http_exchange *const exchange = reading->exchange;
    const struct http_text host = reading->host, authority = reading->authority;
    if (0 != exchange->request.refusal)
        return exchange->request.refusal;
    const bool has_rest = NULL != reading->next && reading->next + 2 != method + exchange->head_bytes;
    const bool lacks_host = 0 == reading->hosts && '1' == version[7];
    /* RFC 9112, section 3.2.2: the Host of an absolute-form target is its authority. */
    const bool is_other_host
        = NULL != authority.bytes
          && (0 == reading->hosts || host.length != authority.length
              || 0 != strncasecmp (host.bytes, authority.bytes, host.length));
    const bool has_two_lengths = 0 != reading->codings && (0 != reading->lengths || '0' == version[7]);
    /* RFC 9110, section 10.1.1. 0.9.75 would read the next request in its buffer as the body, and lose the answer. */
    const bool waits_for_nothing
        = exchange->waits_for_continue && 0 == reading->codings && 0 == exchange->content_length;
    if (has_rest || lacks_host || is_other_host || has_two_lengths || waits_for_nothing)
        return MHD_HTTP_BAD_REQUEST;
    return exchange->content_length > exchange->loop->server->limits.body_bytes ? MHD_HTTP_CONTENT_TOO_LARGE
                                                                                : 0;
}

/* The head, a copy of the cookies and libmicrohttpd's records share the pool. */
static size_t room_of (const struct reading *reading) {
    const int records = MHD_get_connection_values (
        reading->connection->handle, MHD_HEADER_KIND | MHD_COOKIE_KIND | MHD_GET_ARGUMENT_KIND, NULL, NULL);
    const size_t pool = reading->connection->loop->server->pool;
    const size_t taken = reading->exchange->head_bytes + reading->cookie_bytes + (size_t) records * RECORD_BYTES;
    return taken < pool ? pool - taken : 0;
}

/* Makes the exchange of a complete head: a request with its route, or a refusal. */
struct http_exchange *strict_read (struct connection *connection, const char *url, const char *method,
                                   const char *version) {
    struct MHD_Connection *const handle = connection->handle;
    const size_t head_bytes = MHD_get_connection_info (handle, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE)->header_size;
    const int fields = MHD_get_connection_values (handle, MHD_HEADER_KIND, NULL, NULL);
    struct http_exchange *const exchange = create (connection, (size_t) fields, head_bytes);
    struct http_request *const request = &exchange->request;
    struct reading reading = {
        .connection = connection,
        .exchange = exchange,
        .next = connection->loop->server->is_modern ? NULL : version + strlen (version) + 2,
    };
    exchange->head_bytes = head_bytes;
    request->is_head = 0 == strcmp (method, "HEAD");
    (void) strncpy (request->method, method, sizeof request->method - 1);
    request->refusal = judge_line (&reading, url, method, version);
    if (0 == request->refusal)
        (void) MHD_get_connection_values_n (handle, MHD_HEADER_KIND, &take_field, &reading);
    exchange->room = room_of (&reading);
    /* The library is lenient with chunk extensions and trailers, so nothing after such a body is read as a request. */
    exchange->closes = 0 != reading.codings;
    request->refusal = judge_head (&reading, method, version);
    if (0 == request->refusal)
        server_find_route (connection->loop->server, request);
    return exchange;
}
