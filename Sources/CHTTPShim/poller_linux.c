/* Everything only Linux has: epoll, EPOLLRDHUP, eventfd. A port brings another file with these functions (kqueue's EV_EOF
 * says what EPOLLRDHUP does). */
#include "internal.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define BATCH 64
#define WAKE_TAG UINT64_MAX

struct poller {
    int epoll;
    int wake;
};

/* For debuggers and top; at most 15 letters. */
void name_thread (const char *name)
{
    (void) pthread_setname_np (pthread_self (), name);
}

/* A descriptor that is readable from wake_signal() to wake_clear(); negative where there is none. */
int wake_create (void)
{
    return eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
}

void wake_signal (int descriptor)
{
    const uint64_t one = 1;
    while (write (descriptor, &one, sizeof one) < 0 && EINTR == errno)
        continue;
}

void wake_clear (int descriptor)
{
    uint64_t count;
    while (read (descriptor, &count, sizeof count) < 0 && EINTR == errno)
        continue;
}

static bool control (const struct poller *poller, int operation, int descriptor, uint32_t events, uint64_t tag)
{
    struct epoll_event event = { .events = events, .data.u64 = tag };
    return 0 == epoll_ctl (poller->epoll, operation, descriptor, &event);
}

struct poller *poller_create (void)
{
    struct poller *const poller = calloc (1, sizeof *poller);
    if (NULL == poller)
        return NULL;
    poller->epoll = epoll_create1 (EPOLL_CLOEXEC);
    poller->wake = wake_create ();
    if (poller->epoll < 0 || poller->wake < 0 || !control (poller, EPOLL_CTL_ADD, poller->wake, EPOLLIN, WAKE_TAG)) {
        poller_free (poller);
        return NULL;
    }
    return poller;
}

void poller_free (struct poller *poller)
{
    if (NULL == poller)
        return;
    if (poller->epoll >= 0)
        (void) close (poller->epoll);
    if (poller->wake >= 0)
        (void) close (poller->wake);
    free (poller);
}

/* Hang-ups are told once. EPOLLIN is not asked for, so bytes of a next request do not matter, and what hung up before it
 * was added is told at once. */
bool poller_add_hang_up (struct poller *poller, int descriptor, uint64_t tag)
{
    return control (poller, EPOLL_CTL_ADD, descriptor, EPOLLRDHUP | EPOLLONESHOT, tag);
}

/* Told as long as it is readable. */
bool poller_add_readable (struct poller *poller, int descriptor, uint64_t tag)
{
    return control (poller, EPOLL_CTL_ADD, descriptor, EPOLLIN, tag);
}

void poller_remove (struct poller *poller, int descriptor)
{
    (void) control (poller, EPOLL_CTL_DEL, descriptor, 0, 0);
}

size_t poller_wait (struct poller *poller, uint64_t *tags, size_t capacity, int milliseconds)
{
    struct epoll_event events[BATCH];
    const int most = capacity < BATCH ? (int) capacity : BATCH;
    const int count = epoll_wait (poller->epoll, events, most, milliseconds);
    size_t told = 0;
    for (int i = 0; i < count; i++) {
        if (WAKE_TAG == events[i].data.u64)
            wake_clear (poller->wake);
        else
            tags[told++] = events[i].data.u64;
    }
    return told;
}

void poller_wake (struct poller *poller)
{
    wake_signal (poller->wake);
}
