/* What a client has taken of its answers, by what its kernel acknowledges. */
#include "internal.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>

/* How many bytes were sent that its client has not acknowledged (SIOCOUTQ of tcp(7)), FIN as one: a reset may drop them. */
static int unheard (int descriptor)
{
    int bytes = 0;
    return 0 == ioctl (descriptor, SIOCOUTQ, &bytes) ? bytes : 0;
}

bool hearing_is_complete (int descriptor)
{
    return 0 == unheard (descriptor);
}

/* Whether there is more that its client has not taken than a FIN. */
bool hearing_is_owed (int descriptor)
{
    return unheard (descriptor) > 1;
}

/* Sees what its client has taken of what was handed. A client that was seen to take some of it is ours alone to judge: the
 * kernel's patience (TCP_USER_TIMEOUT) counts as one failure the whole time in which it probes a window that opens, but not
 * for all that waits (Linux 6.18). */
void hearing_look (struct hearing *hearing, int descriptor, uint64_t handed, uint64_t now)
{
    const int for_ever = 0;
    const uint64_t heard = handed - (uint64_t) unheard (descriptor);
    if (heard == handed) {
        hearing->deaf_since = 0;
    } else if (0 == hearing->deaf_since) {
        hearing->deaf_since = now;
    } else if (heard > hearing->heard) {
        hearing->deaf_since = now;
        hearing->is_ours = hearing->is_ours
                           || 0 == setsockopt (descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &for_ever, sizeof for_ever);
    }
    hearing->heard = heard;
}

/* While nobody looked it was not deaf. */
void hearing_pardon (struct hearing *hearing, uint64_t missed, uint64_t now)
{
    if (0 != hearing->deaf_since)
        hearing->deaf_since = clock_later (hearing->deaf_since, missed, now);
}

bool hearing_is_deaf (const struct hearing *hearing, uint64_t now, uint64_t microseconds)
{
    return 0 != hearing->deaf_since && now - hearing->deaf_since > microseconds;
}
