/* Limits: what zero stands for, and what the system allows. */
#include "internal.h"

#include <sys/resource.h>
#include <unistd.h>

/* Descriptors that are not connections: the event loops' epoll sets and eventfds, the log, a store's files. */
#define RESERVED_DESCRIPTORS 128
/* The watch's table has an entry for each descriptor there may be. */
#define MOST_DESCRIPTORS (1u << 20)
#define LARGEST_POOL (32u * 1024u)

/* A connection's pool holds a request's head, its index, a second copy of its cookies and the answer's head. Measured, on
 * 0.9.75 and 1.0.1: what a browser sends together with what a proxy adds, 22 fields of 922 bytes, leaves room for 100
 * bytes of cookies in 3 KiB, 400 in 4 KiB, 650 in 5 KiB and 1,450 in 8 KiB; ours has 50. Every answer touches the whole
 * pool, so each KiB here is one KiB of a parked poll, of which there shall be 8 at most: 7.0 with these 4. */
#define DEFAULT_POOL 4096u

size_t http_raise_descriptor_limit (void)
{
    struct rlimit limit;
    if (0 != getrlimit (RLIMIT_NOFILE, &limit))
        return 1024;
    if (limit.rlim_cur < limit.rlim_max) {
        const struct rlimit raised = { limit.rlim_max, limit.rlim_max };
        if (0 == setrlimit (RLIMIT_NOFILE, &raised))
            limit.rlim_cur = limit.rlim_max;
    }
    return limit.rlim_cur < MOST_DESCRIPTORS ? (size_t) limit.rlim_cur : MOST_DESCRIPTORS;
}

/* Connections beyond the limit that are accepted all the same, to be told that the server is full. */
static unsigned overflow_for (unsigned connections)
{
    const unsigned share = connections / 64;
    return share < 16 ? 16 : share;
}

static unsigned default_threads (void)
{
    const long cores = sysconf (_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : (unsigned) cores;
}

struct http_limits limits_resolve (const struct http_limits *limits, unsigned *hard_connections)
{
    struct http_limits resolved = *limits;
    if (0 == resolved.threads)
        resolved.threads = default_threads ();
    if (0 == resolved.pool_bytes)
        resolved.pool_bytes = DEFAULT_POOL;
    if (resolved.pool_bytes < 1024)
        resolved.pool_bytes = 1024;
    if (resolved.pool_bytes > LARGEST_POOL)
        resolved.pool_bytes = LARGEST_POOL;
    if (0 == resolved.header_bytes || resolved.header_bytes > resolved.pool_bytes)
        resolved.header_bytes = resolved.pool_bytes;
    if (0 == resolved.body_bytes)
        resolved.body_bytes = 64u * 1024u;
    if (0 == resolved.stream_bytes)
        resolved.stream_bytes = 16u * 1024u;
    if (0 == resolved.idle_seconds)
        resolved.idle_seconds = 30;

    const unsigned descriptors = (unsigned) http_raise_descriptor_limit ();
    const unsigned usable = descriptors > 2 * RESERVED_DESCRIPTORS ? descriptors - RESERVED_DESCRIPTORS : descriptors / 2;
    const unsigned most = usable - overflow_for (usable);
    if (0 == resolved.connections || resolved.connections > most)
        resolved.connections = most;
    *hard_connections = resolved.connections + overflow_for (resolved.connections);
    return resolved;
}
