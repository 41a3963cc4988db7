/* Closing a socket with unread bytes resets the connection, and the reset may overtake the answer (RFC 9112, section
 * 9.6). A copy of the descriptor outlives libmicrohttpd's: its bytes are read and dropped, for a while. */
#include "internal.h"

#include <errno.h>
#include <unistd.h>

#define LINGER_MICROSECONDS (1000u * 1000u)
/* As much as a client may still send before it is cut off. */
#define LINGER_BYTES (1024u * 1024u)

bool linger_init (struct lingerers *lingerers)
{
    return 0 == pthread_mutex_init (&lingerers->lock, NULL);
}

void linger_destroy (struct lingerers *lingerers)
{
    for (size_t i = 0; i < lingerers->count; i++)
        (void) close (lingerers->of[i].descriptor);
    (void) pthread_mutex_destroy (&lingerers->lock);
}

/* Any thread. Where there are too many, the connection is simply closed. */
void linger_add (struct lingerers *lingerers, struct poller *poller, int descriptor, uint64_t tag)
{
    (void) pthread_mutex_lock (&lingerers->lock);
    const int copy = lingerers->count < MOST_LINGERERS ? dup (descriptor) : -1;
    if (copy >= 0 && poller_add_readable (poller, copy, tag))
        lingerers->of[lingerers->count++] = (struct lingerer){
            .descriptor = copy,
            .deadline = clock_microseconds () + LINGER_MICROSECONDS,
            .budget = LINGER_BYTES,
        };
    else if (copy >= 0)
        (void) close (copy);
    (void) pthread_mutex_unlock (&lingerers->lock);
    poller_wake (poller);
}

/* False when the client is done, or has sent too much. */
static bool read_off (struct lingerer *lingerer)
{
    char dropped[4096];
    for (;;) {
        const ssize_t count = recv (lingerer->descriptor, dropped, sizeof dropped, MSG_DONTWAIT);
        if (count < 0)
            return EAGAIN == errno || EINTR == errno;
        if (0 == count || (size_t) count > lingerer->budget)
            return false;
        lingerer->budget -= (size_t) count;
    }
}

/* They are few, and there only after refusals: all are looked at on each turn. Returns whether there are any left. */
bool linger_tend (struct lingerers *lingerers)
{
    const uint64_t now = clock_microseconds ();
    (void) pthread_mutex_lock (&lingerers->lock);
    for (size_t i = lingerers->count; i-- > 0;) {
        struct lingerer *const lingerer = &lingerers->of[i];
        if (lingerer->deadline > now && read_off (lingerer))
            continue;
        (void) close (lingerer->descriptor); /* the last one: this takes it out of the poller, too */
        *lingerer = lingerers->of[--lingerers->count];
    }
    const bool any = lingerers->count > 0;
    (void) pthread_mutex_unlock (&lingerers->lock);
    return any;
}
