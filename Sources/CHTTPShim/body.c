/* Gathers a request's body. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/* A Content-Length is a claim: memory grows with what came, not with what was promised. */
bool body_append (struct http_exchange *exchange, const char *bytes, size_t length)
{
    const size_t needed = exchange->body_length + length;
    if (needed > exchange->body_capacity) {
        size_t capacity = exchange->body_capacity < 512 ? 512 : exchange->body_capacity;
        while (capacity < needed)
            capacity *= 2;
        char *const grown = realloc (exchange->body, capacity);
        if (NULL == grown)
            return false;
        exchange->body = grown;
        exchange->body_capacity = capacity;
    }
    memcpy (exchange->body + exchange->body_length, bytes, length);
    exchange->body_length = needed;
    return true;
}
