/* One clock for every duration, the date, and the ids of requests. */
#include "internal.h"

#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* Where there is no time, it stands still: a step back to 0 would be the end of every wait. */
uint64_t clock_microseconds (void)
{
    static _Thread_local uint64_t last;
    struct timespec now;
    if (0 == clock_gettime (CLOCK_MONOTONIC, &now))
        last = (uint64_t) now.tv_sec * 1000000u + (uint64_t) now.tv_nsec / 1000u;
    return last;
}

/* A time put off, but not past now. */
uint64_t clock_later (uint64_t time, uint64_t by, uint64_t now)
{
    return now - time < by ? now : time + by;
}

/* Of now (RFC 9110, section 5.6.7), made once a second. Lives until the thread's next call. */
const char *clock_date (void)
{
    static _Thread_local time_t second;
    static _Thread_local char date[DATE_LENGTH + 1] = "Thu, 01 Jan 1970 00:00:00 GMT";
    const time_t now = time (NULL);
    struct tm parts;
    if (now != second && NULL != gmtime_r (&now, &parts)) {
        (void) strftime (date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", &parts);
        second = now;
    }
    return date;
}

/* Crockford's base 32 in lower case: nothing in it is misread over the telephone. */
static const char digits[] = "0123456789abcdefghjkmnpqrstvwxyz";

/* A random prefix per server, so that two processes do not collide in a shared log. */
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

/* The prefix and the exchange's number. */
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
