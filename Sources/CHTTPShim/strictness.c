/* One pass over a request's fields: keeps the known ones and refuses what would let two readers of the same bytes see
 * two different requests (RFC 9112, section 11.2). libmicrohttpd accepts most of it, even when told to be strict. */
#include "internal.h"

#include <string.h>
#include <strings.h>

struct collected {
    struct http_text fields[HTTP_FIELD_COUNT];
    uint32_t repeated;
    size_t bytes;
    unsigned hosts;
    unsigned content_lengths;
    unsigned transfer_encodings;
    bool chunked;
    bool malformed;
    uint64_t content_length;
};

/* RFC 9110, section 5.6.2. */
static bool is_token (const char *bytes, size_t length)
{
    static const bool token[256] = {
        ['0' ... '9'] = true, ['A' ... 'Z'] = true, ['a' ... 'z'] = true, ['!'] = true, ['#'] = true, ['$'] = true,
        ['%'] = true, ['&'] = true, ['\''] = true, ['*'] = true, ['+'] = true, ['-'] = true, ['.'] = true, ['^'] = true,
        ['_'] = true, ['`'] = true, ['|'] = true, ['~'] = true,
    };
    for (size_t i = 0; i < length; i++)
        if (!token[(unsigned char) bytes[i]])
            return false;
    return length > 0;
}

/* RFC 9110, section 5.5: no control characters but the tab. Branch-free, so that it is done in whole vectors. */
static bool is_field_value (const char *bytes, size_t length)
{
    unsigned char bad = 0;
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char) bytes[i];
        bad |= (unsigned char) (((c < 0x20) & (c != '\t')) | (c == 0x7f));
    }
    return 0 == bad;
}

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
    case 16: return is_name (key, "x-forwarded-host", 16) ? HTTP_FIELD_X_FORWARDED_HOST : HTTP_FIELD_COUNT;
    case 17: return is_name (key, "x-forwarded-proto", 17) ? HTTP_FIELD_X_FORWARDED_PROTO : HTTP_FIELD_COUNT;
    case 29:
        return is_name (key, "access-control-request-method", 29) ? HTTP_FIELD_ACCESS_CONTROL_REQUEST_METHOD
                                                                  : HTTP_FIELD_COUNT;
    case 30:
        return is_name (key, "access-control-request-headers", 30) ? HTTP_FIELD_ACCESS_CONTROL_REQUEST_HEADERS
                                                                   : HTTP_FIELD_COUNT;
    default: return HTTP_FIELD_COUNT;
    }
}

/* libmicrohttpd has refused what is not a number by now; what it read, it does not tell. */
static void take_content_length (struct collected *collected, const char *value, size_t length)
{
    uint64_t number = 0;
    collected->content_lengths += 1;
    for (size_t i = 0; i < length; i++) {
        if (value[i] < '0' || value[i] > '9' || number > UINT64_MAX / 10 - 1) {
            collected->malformed = true;
            return;
        }
        number = number * 10 + (uint64_t) (value[i] - '0');
    }
    collected->content_length = number;
}

static void keep (struct collected *collected, enum http_field field, const char *value, size_t length)
{
    if (NULL != collected->fields[field].bytes) {
        collected->repeated |= 1u << field;
        return;
    }
    while (length > 0 && (' ' == value[length - 1] || '\t' == value[length - 1]))
        length -= 1;
    collected->fields[field].bytes = value;
    collected->fields[field].length = length;
    collected->bytes += length;
}

static enum MHD_Result collect (void *context, enum MHD_ValueKind kind, const char *key, size_t key_length,
                                const char *value, size_t value_length)
{
    struct collected *const collected = context;
    (void) kind;
    if (NULL == value) {
        value = "";
        value_length = 0;
    }
    if (!is_field_value (value, value_length))
        collected->malformed = true;
    const enum http_field field = known_field (key, key_length);
    if (HTTP_FIELD_COUNT != field) {
        collected->hosts += HTTP_FIELD_HOST == field;
        keep (collected, field, value, value_length);
    } else if (14 == key_length && is_name (key, "content-length", 14)) {
        take_content_length (collected, value, value_length);
    } else if (17 == key_length && is_name (key, "transfer-encoding", 17)) {
        collected->transfer_encodings += 1;
        /* Exactly as libmicrohttpd compares it: what it would not read as chunked must not pass for chunked here. */
        collected->chunked = 7 == value_length && is_name (value, "chunked", 7);
    } else if (!is_token (key, key_length)) {
        /* "Content-Length : 5" is a field of another name to libmicrohttpd, and a Content-Length to others. */
        collected->malformed = true;
    }
    return MHD_YES;
}

static enum http_refusal judge (const struct collected *collected, const char *version)
{
    if (collected->malformed)
        return HTTP_REFUSAL_FIELD;
    if (collected->content_lengths + collected->transfer_encodings > 1
        || (1 == collected->transfer_encodings && !collected->chunked))
        return HTTP_REFUSAL_FRAMING;
    /* HTTP/1.0 knows no chunks: what came before us may have read the body otherwise. */
    if (1 == collected->transfer_encodings && 0 == strcmp (version, MHD_HTTP_VERSION_1_0))
        return HTTP_REFUSAL_FRAMING;
    if (collected->hosts > 1 || (0 == collected->hosts && 0 != strcmp (version, MHD_HTTP_VERSION_1_0)))
        return HTTP_REFUSAL_HOST;
    return HTTP_REFUSAL_NONE;
}

/* Returns the exchange, which may have moved to make room for the fields; NULL without memory. */
struct http_exchange *head_collect (struct http_exchange *exchange, const char *version, struct head *head)
{
    struct collected collected;
    memset (&collected, 0, sizeof collected);
    (void) MHD_get_connection_values_n (exchange->connection, MHD_HEADER_KIND, &collect, &collected);
    struct http_exchange *const moved = exchange_reserve (exchange, collected.bytes);
    if (NULL == moved)
        return NULL;
    for (size_t i = 0; i < HTTP_FIELD_COUNT; i++)
        if (NULL != collected.fields[i].bytes)
            moved->fields[i] = exchange_append (moved, collected.fields[i].bytes, collected.fields[i].length);
    moved->repeated = collected.repeated;
    head->chunked = collected.chunked;
    head->content_length = collected.content_length;
    head->has_body = collected.transfer_encodings > 0 || collected.content_length > 0;
    head->refusal = judge (&collected, version);
    return moved;
}
