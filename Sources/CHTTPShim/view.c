/* What Swift reads of a request. */
#include "internal.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

static struct http_text text_of (const struct http_exchange *exchange, struct span span)
{
    if (NO_SPAN == span.offset)
        return (struct http_text){ NULL, 0 };
    return (struct http_text){ exchange->text + span.offset, span.length };
}

bool http_exchange_is_head (const struct http_exchange *exchange)
{
    return exchange->is_head;
}

struct http_text http_exchange_path (const struct http_exchange *exchange)
{
    return text_of (exchange, exchange->path);
}

struct http_text http_exchange_query (const struct http_exchange *exchange)
{
    return text_of (exchange, exchange->query);
}

struct http_text http_exchange_parameter (const struct http_exchange *exchange, size_t index)
{
    if (index >= HTTP_MAX_PARAMETERS)
        return (struct http_text){ NULL, 0 };
    return text_of (exchange, exchange->parameters[index]);
}

struct http_text http_exchange_field (const struct http_exchange *exchange, enum http_field field)
{
    if ((unsigned) field >= HTTP_FIELD_COUNT)
        return (struct http_text){ NULL, 0 };
    return text_of (exchange, exchange->fields[field]);
}

bool http_exchange_field_is_repeated (const struct http_exchange *exchange, enum http_field field)
{
    return 0 != (exchange->repeated & (1u << field));
}

struct http_text http_exchange_body (const struct http_exchange *exchange)
{
    return (struct http_text){ exchange->body, exchange->body_length };
}

void http_exchange_id (const struct http_exchange *exchange, char id[HTTP_REQUEST_ID_SIZE])
{
    identity_format (exchange->server, exchange->number, id);
}

void http_exchange_peer (const struct http_exchange *exchange, char address[HTTP_ADDRESS_SIZE])
{
    struct sockaddr_storage peer;
    socklen_t length = sizeof peer;
    const void *bytes = NULL;
    int family = AF_INET;
    address[0] = '\0';
    if (0 != getpeername (exchange->descriptor, (struct sockaddr *) &peer, &length))
        return;
    if (AF_INET == peer.ss_family) {
        bytes = &((const struct sockaddr_in *) &peer)->sin_addr;
    } else if (AF_INET6 == peer.ss_family) {
        const struct in6_addr *const v6 = &((const struct sockaddr_in6 *) &peer)->sin6_addr;
        family = IN6_IS_ADDR_V4MAPPED (v6) ? AF_INET : AF_INET6;
        bytes = AF_INET == family ? &v6->s6_addr[12] : (const void *) v6;
    }
    if (NULL == bytes || NULL == inet_ntop (family, bytes, address, HTTP_ADDRESS_SIZE))
        address[0] = '\0';
}

void http_exchange_set_waiter (struct http_exchange *exchange, void *waiter)
{
    exchange->waiter = waiter;
}
