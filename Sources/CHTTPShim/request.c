/* What was asked: the parts of a head that are kept, copied into one text, and the body. The loop's thread fills it; from
 * dispatch() on nothing of it changes, and any thread may read it. */
#include "internal.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------- keeping */

/* How much room the text of a request with this head takes. */
size_t request_text_size (const char *bytes, const struct head *head)
{
    size_t size = (size_t) head->path.length + head->query.length;
    /* A second copy of what may have to be decoded. */
    if (NULL != memchr (bytes + head->path.offset, '%', head->path.length))
        size += head->path.length;
    for (size_t i = 0; i < HTTP_FIELD_COUNT; i++) {
        struct span value = head->fields[i];
        if (NO_SPAN == value.offset)
            continue;
        size += value.length;
        while (head_next_value (bytes, head, (enum http_field) i, &value))
            size += sizeof ", " - 1 + value.length;
    }
    return size;
}

/* Of zeroed memory, with that much room behind it: nothing is there yet. What is refused as it is speaks HTTP/1.1. */
void request_init (struct request *request, size_t capacity)
{
    memset (request->fields, 0xff, sizeof request->fields);
    memset (request->parameters, 0xff, sizeof request->parameters);
    request->path.offset = NO_SPAN;
    request->query.offset = NO_SPAN;
    request->minor = 1;
    request->text_capacity = (uint32_t) capacity;
}

/* Absent only where the text has no room left. */
struct span request_append (struct request *request, const char *bytes, size_t length)
{
    struct span span = { NO_SPAN, 0 };
    if (length > request->text_capacity - request->text_length)
        return span;
    span.offset = (uint16_t) request->text_length;
    span.length = (uint16_t) length;
    memcpy (request->text + request->text_length, bytes, length);
    request->text_length += (uint32_t) length;
    return span;
}

void request_keep_method (struct request *request, const char *method, size_t length)
{
    /* A longer one is none that we know, and must not be taken for one that it begins like. */
    if (length < sizeof request->method)
        memcpy (request->method, method, length);
    request->is_head = 4 == length && 0 == memcmp (request->method, "HEAD", 4);
}

/* GET or HEAD. */
bool request_is_read_only (const struct request *request)
{
    return request->is_head || 0 == strcmp (request->method, "GET");
}

/* The values of a list's lines as one (RFC 9110, section 5.3). */
static struct span keep_field (struct request *request, const char *bytes, const struct head *head,
                               enum http_field field)
{
    struct span value = head->fields[field];
    struct span kept = request_append (request, bytes + value.offset, value.length);
    while (head_next_value (bytes, head, field, &value)) {
        kept.length += request_append (request, ", ", sizeof ", " - 1).length;
        kept.length += request_append (request, bytes + value.offset, value.length).length;
    }
    return kept;
}

/* The head's bytes are not used any more after this. */
void request_keep (struct request *request, const char *bytes, const struct head *head)
{
    request->path = request_append (request, bytes + head->path.offset, head->path.length);
    if (NO_SPAN != head->query.offset)
        request->query = request_append (request, bytes + head->query.offset, head->query.length);
    for (size_t i = 0; i < HTTP_FIELD_COUNT; i++)
        if (NO_SPAN != head->fields[i].offset)
            request->fields[i] = keep_field (request, bytes, head, (enum http_field) i);
    request->repeated = head->repeated;
    request->minor = head->minor;
    request_keep_method (request, bytes + head->method.offset, head->method.length);
}

/* --------------------------------------------------------------------------------- what Swift reads of it */

bool http_exchange_is_head (const struct http_exchange *exchange)
{
    return exchange->request.is_head;
}

struct http_text http_exchange_path (const struct http_exchange *exchange)
{
    return request_text (&exchange->request, exchange->request.path);
}

struct http_text http_exchange_query (const struct http_exchange *exchange)
{
    return request_text (&exchange->request, exchange->request.query);
}

struct http_text http_exchange_parameter (const struct http_exchange *exchange, size_t index)
{
    if (index >= HTTP_MAX_PARAMETERS)
        return (struct http_text){ NULL, 0 };
    return request_text (&exchange->request, exchange->request.parameters[index]);
}

struct http_text http_exchange_field (const struct http_exchange *exchange, enum http_field field)
{
    if ((unsigned) field >= HTTP_FIELD_COUNT)
        return (struct http_text){ NULL, 0 };
    return request_text (&exchange->request, exchange->request.fields[field]);
}

bool http_exchange_field_is_repeated (const struct http_exchange *exchange, enum http_field field)
{
    return (unsigned) field < HTTP_FIELD_COUNT && 0 != (exchange->request.repeated & (1u << field));
}

struct http_text http_exchange_body (const struct http_exchange *exchange)
{
    return (struct http_text){ exchange->request.body.bytes, exchange->request.body.length };
}

void http_exchange_set_session (struct http_exchange *exchange, uint64_t session)
{
    atomic_store_explicit (&exchange->session, session, memory_order_relaxed);
}

uint64_t http_exchange_number (const struct http_exchange *exchange)
{
    return exchange->number;
}

void http_exchange_id (const struct http_exchange *exchange, char id[HTTP_REQUEST_ID_SIZE])
{
    identity_format (exchange->server, exchange->number, id);
}

const unsigned char *http_exchange_peer (const struct http_exchange *exchange)
{
    return exchange->peer;
}
