/* Where other threads leave exchanges for an event loop: answered ones to be resumed, streams with something to send. A
 * stack that anybody pushes onto and the loop takes as a whole; who pushes onto an empty one wakes the loop, if it sleeps. */
#include "internal.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* A descriptor that is readable from wake_signal() to wake_clear(); -1 where there is none. */
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

bool inbox_init (struct inbox *inbox)
{
    atomic_init (&inbox->newest, NULL);
    atomic_init (&inbox->sleeping, false);
    inbox->wake = wake_create ();
    return inbox->wake >= 0;
}

void inbox_destroy (struct inbox *inbox)
{
    if (inbox->wake >= 0)
        (void) close (inbox->wake);
}

/* Any thread. The inbox keeps a reference; an exchange that is there already is not put in twice. */
void inbox_put (struct inbox *inbox, struct http_exchange *exchange)
{
    if (atomic_exchange (&exchange->in_inbox, true))
        return;
    exchange_retain (exchange);
    struct http_exchange *last = atomic_load (&inbox->newest);
    do
        exchange->next_in_inbox = last;
    while (!atomic_compare_exchange_weak (&inbox->newest, &last, exchange));
    /* The loop says that it will sleep and looks then, we put something in and look then: one of the two sees the other. */
    if (NULL == last && atomic_load (&inbox->sleeping))
        wake_signal (inbox->wake);
}

/* The loop's thread. The oldest first, each linked to the next by next_in_inbox. From when in_inbox is cleared, by the
 * loop, an exchange may be put in again. */
struct http_exchange *inbox_take_all (struct inbox *inbox)
{
    if (NULL == atomic_load_explicit (&inbox->newest, memory_order_relaxed))
        return NULL;
    struct http_exchange *newest = atomic_exchange (&inbox->newest, NULL);
    struct http_exchange *oldest = NULL;
    while (NULL != newest) {
        struct http_exchange *const next = newest->next_in_inbox;
        newest->next_in_inbox = oldest;
        oldest = newest;
        newest = next;
    }
    return oldest;
}

/* The loop's thread, before it waits: false where there is something in it. */
bool inbox_will_sleep (struct inbox *inbox)
{
    atomic_store (&inbox->sleeping, true);
    if (NULL == atomic_load (&inbox->newest))
        return true;
    atomic_store (&inbox->sleeping, false);
    return false;
}

void inbox_woke (struct inbox *inbox)
{
    atomic_store (&inbox->sleeping, false);
}
