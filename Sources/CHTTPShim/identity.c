/* Request ids: a random prefix per server, so that two processes do not collide in a shared log, and a counter. */
#include "internal.h"

#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* Crockford's base 32 in lower case: nothing in it is misread over the telephone. */
static const char digits[] = "0123456789abcdefghjkmnpqrstvwxyz";

void identity_seed (char prefix[9])
{
    unsigned char random[8];
    if (sizeof random != getrandom (random, sizeof random, 0)) {
        /* Not a secret: telling processes apart is enough. */
        uint64_t fallback = clock_microseconds () ^ ((uint64_t) getpid () << 40);
        memcpy (random, &fallback, sizeof random);
    }
    for (size_t i = 0; i < sizeof random; i++)
        prefix[i] = digits[random[i] & 31];
    prefix[8] = '\0';
}

void identity_format (const struct http_server *server, uint64_t number, char id[HTTP_REQUEST_ID_SIZE])
{
    char reversed[16];
    size_t count = 0;
    do {
        reversed[count++] = digits[number & 31];
        number >>= 5;
    } while (0 != number && count < sizeof reversed);
    memcpy (id, server->id_prefix, 8);
    id[8] = '-';
    size_t length = 9;
    while (count > 0)
        id[length++] = reversed[--count];
    id[length] = '\0';
}
