/* What a client has taken of its answers: what its kernel has acknowledged. */
#include "internal.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>

/* How many bytes were sent that its client has not acknowledged (SIOCOUTQ of tcp(7)), FIN as one: a reset may drop them. */
static int unacknowledged (int descriptor)
{
    int bytes = 0;
    return 0 == ioctl (descriptor, SIOCOUTQ, &bytes) ? bytes : 0;
}

bool receipt_is_complete (int descriptor)
{
    return 0 == unacknowledged (descriptor);
}

/* Whether there is more that its client has not taken than a FIN. */
bool receipt_is_pending (int descriptor)
{
    return unacknowledged (descriptor) > 1;
}

/* Notes what its client has taken of what was handed. From the first time that a client was seen to take some of it, the
 * kernel's timeout (TCP_USER_TIMEOUT) is off: it counts as one failure the whole time in which the kernel probes a
 * window that opens, but not for all that waits (Linux 6.18). */
void receipt_look (struct receipt *receipt, int descriptor, uint64_t handed, uint64_t now)
{
    const int for_ever = 0;
    const uint64_t acknowledged = handed - (uint64_t) unacknowledged (descriptor);
    if (acknowledged == handed) {
        receipt->stalled_since = 0;
    } else if (0 == receipt->stalled_since) {
        receipt->stalled_since = now;
    } else if (acknowledged > receipt->acknowledged) {
        receipt->stalled_since = now;
        receipt->is_ours = receipt->is_ours
                           || 0 == setsockopt (descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &for_ever, sizeof for_ever);
    }
    receipt->acknowledged = acknowledged;
}

/* Does not count time in which the loop was blocked. */
void receipt_pardon (struct receipt *receipt, uint64_t missed, uint64_t now)
{
    if (0 != receipt->stalled_since)
        receipt->stalled_since = clock_later (receipt->stalled_since, missed, now);
}

bool receipt_is_stalled (const struct receipt *receipt, uint64_t now, uint64_t microseconds)
{
    return 0 != receipt->stalled_since && now - receipt->stalled_since > microseconds;
}
