/* What an operator should hear of, for Swift to put in words. */
#include "internal.h"

void notice_tell (const struct http_server *server, enum http_notice_kind kind, const unsigned char *peer, uint64_t limit,
                  int error)
{
    const struct http_notice notice = { .kind = kind, .peer = peer, .limit = limit, .count = 1, .error = error };
    if (NULL != server->callbacks.notice)
        server->callbacks.notice (server->owner, &notice);
}

/* A connection was closed, or a request on it left without an answer, for want of memory or descriptors. */
void notice_loss (const struct http_server *server, const unsigned char *peer)
{
    notice_tell (server, HTTP_NOTICE_LOSS, peer, 0, 0);
}
