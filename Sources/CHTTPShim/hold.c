/* Held loops: a call into Swift that does not return blocks all connections of its loop. The listener, which no call can
 * block, reports it and its end, once each, and hands such a loop no connection as long as another is free (listen.c).
 * It looks a few times a second while there are calls, and sleeps while there are none: the first call after that wakes
 * it. */
#include "internal.h"

/* Around each call, on the loop's thread: two stores and a load. The time is that of the turn, which was read already. */
void hold_begin (struct loop *loop, int32_t route)
{
    struct http_server *const server = loop->server;
    atomic_store_explicit (&loop->called_route, route, memory_order_relaxed);
    /* Before the look at `watched`, as the listener clears that before it looks here: one of both sees the other. */
    atomic_store (&loop->called_since, loop->now);
    if (!atomic_load (&server->watched) && !atomic_exchange (&server->watched, true))
        listener_wake (server->listener);
}

void hold_end (struct loop *loop)
{
    atomic_store_explicit (&loop->called_since, 0, memory_order_release);
}

static bool is_held (const struct loop *loop, uint64_t since, uint64_t now)
{
    return 0 != since && now > since && now - since >= loop->server->limits.held_milliseconds * 1000u;
}

/* Any thread. */
bool hold_is_on (const struct loop *loop, uint64_t now)
{
    return is_held (loop, atomic_load (&loop->called_since), now);
}

static void tell (struct loop *loop, enum http_notice_kind kind, uint64_t since, uint64_t now)
{
    const struct http_server *const server = loop->server;
    const struct http_notice notice = {
        .kind = kind,
        .limit = server->loop_count,
        .count = (uint64_t) (loop - server->loops) + 1,
        .route = loop->told_route,
        .microseconds = now - since,
    };
    server_notify (server, &notice);
}

static void tell_held (struct loop *loop, uint64_t since, uint64_t now)
{
    loop->told_route = atomic_load_explicit (&loop->called_route, memory_order_relaxed);
    /* The call ended; the route may belong to the next one. */
    if (since != atomic_load (&loop->called_since))
        return;
    loop->told_since = since;
    tell (loop, HTTP_NOTICE_HELD, since, now);
}

static void tell_free (struct loop *loop, uint64_t now)
{
    tell (loop, HTTP_NOTICE_FREE, loop->told_since, now);
    loop->told_since = 0;
}

/* Whether any loop is in a call; those that are held are told of. */
static bool look_at_loops (struct http_server *server, uint64_t now)
{
    bool any = false;
    for (unsigned i = 0; i < server->loop_count; i++) {
        struct loop *const loop = &server->loops[i];
        const uint64_t since = atomic_load (&loop->called_since);
        any = any || 0 != since;
        if (0 != loop->told_since && since != loop->told_since)
            tell_free (loop, now);
        if (is_held (loop, since, now) && since != loop->told_since)
            tell_held (loop, since, now);
    }
    return any;
}

/* On the listener's thread, after whatever woke it. Returns how many milliseconds it may sleep, or -1. */
int hold_look (struct hold_watch *watch, struct http_server *server)
{
    const int tick = server->limits.held_milliseconds < 4 ? 1 : (int) (server->limits.held_milliseconds / 4);
    if (!atomic_load (&server->watched))
        return -1;
    const uint64_t now = clock_microseconds ();
    const bool any = look_at_loops (server, now);
    if (any || now - watch->last < (uint64_t) tick * 1000u)
        return tick;
    const uint64_t begun = atomic_load (&server->begun);
    const bool is_quiet = begun == watch->begun;
    *watch = (struct hold_watch){ .begun = begun, .last = now };
    if (!is_quiet)
        return tick;
    atomic_store (&server->watched, false);
    if (!look_at_loops (server, now))
        return -1;
    atomic_store (&server->watched, true);
    return tick;
}
