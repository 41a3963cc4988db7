/* Parking: an exchange whose answer is not there yet, and the ways out of it. */
#include "internal.h"

#include <sched.h>

/* From here on the client's hang-up is ours to notice: libmicrohttpd takes a suspended connection out of its epoll set
 * (microhttpd.h, MHD_suspend_connection). False, and nothing suspended, once the server stops: counted first and looked
 * then, as http_server_stop() sets first and counts then, so that it never stops the daemon over a suspended one. */
bool exchange_suspend (struct http_exchange *exchange)
{
    struct http_server *const server = exchange->server;
    atomic_fetch_add (&server->suspended, 1);
    if (atomic_load (&server->stopping)) {
        atomic_fetch_sub (&server->suspended, 1);
        return false;
    }
    MHD_suspend_connection (exchange->connection);
    return true;
}

/* Only for who moved the exchange on from STATE_PARKED: resuming what is not suspended is undefined. The caller has a
 * reference of its own: the event loop may drop its at once. */
void exchange_resume (struct http_exchange *exchange)
{
    struct http_server *const server = exchange->server;
    MHD_resume_connection (exchange->connection);
    atomic_fetch_sub (&server->suspended, 1);
}

/* Only for who owns the exchange's state: the waiter lives until completed(), which cannot come before that. */
void exchange_tell_gone (struct http_exchange *exchange)
{
    if (NULL == exchange->waiter || exchange->told_gone)
        return;
    exchange->told_gone = true;
    exchange->server->callbacks.gone (exchange->waiter);
}

/* The server stopped between the request and its parking. */
static enum MHD_Result refuse_parking (struct http_exchange *exchange)
{
    unsigned char claim = CLAIM_FREE;
    if (atomic_compare_exchange_strong (&exchange->claim, &claim, CLAIM_SHIM)) {
        exchange_tell_gone (exchange);
        return refusal_queue (exchange, HTTP_REFUSAL_STOPPING, NULL);
    }
    /* Another thread is answering this moment; there are a few instructions between its claim and its answer. */
    while (STATE_ANSWERED != atomic_load (&exchange->state))
        (void) sched_yield ();
    return exchange_queue (exchange);
}

/* On the event loop, after dispatch() returned without an answer. */
enum MHD_Result exchange_park (struct http_exchange *exchange)
{
    struct http_server *const server = exchange->server;
    if (!exchange_suspend (exchange))
        return refuse_parking (exchange);
    const bool watched = watch_add (server->watch, exchange->descriptor, exchange);
    unsigned char expected = STATE_DISPATCHED;
    if (!atomic_compare_exchange_strong (&exchange->state, &expected, STATE_PARKED)) {
        /* The answer came from another thread in the meantime, and left the resuming to us. */
        watch_remove (server->watch, exchange->descriptor, exchange);
        exchange_resume (exchange);
        return MHD_YES;
    }
    /* A hang-up or a stop that looked before it was parked left it to us, too. Both store first and look then, as we do:
     * one of the two sees the other. */
    if (!watched || atomic_load (&exchange->hung_up))
        exchange_hang_up (exchange);
    else if (atomic_load (&server->stopping))
        exchange_abandon (exchange);
    return MHD_YES;
}

/* For the owner of the claim, on any thread: the response is there. */
void exchange_answered (struct http_exchange *exchange)
{
    unsigned char expected = STATE_DISPATCHED;
    if (atomic_compare_exchange_strong (&exchange->state, &expected, STATE_ANSWERED))
        return; /* dispatch() is still running, or exchange_park() is: they will see it */
    watch_remove (exchange->server->watch, exchange->descriptor, exchange);
    atomic_store (&exchange->state, STATE_ANSWERED);
    exchange_resume (exchange);
}

/* The client of a watched exchange has left. The caller has a reference. */
void exchange_hang_up (struct http_exchange *exchange)
{
    atomic_store (&exchange->hung_up, true);
    if (atomic_load (&exchange->streaming)) {
        stream_hang_up (exchange);
        return;
    }
    unsigned char claim = CLAIM_FREE;
    if (STATE_PARKED != atomic_load (&exchange->state))
        return; /* exchange_park() will look */
    if (!atomic_compare_exchange_strong (&exchange->claim, &claim, CLAIM_SHIM))
        return; /* an answer is on its way, and will resume */
    watch_remove (exchange->server->watch, exchange->descriptor, exchange);
    exchange_tell_gone (exchange);
    atomic_store (&exchange->state, STATE_GONE);
    exchange_resume (exchange);
}

/* The server stops: what still waits is refused, what streams is ended. The caller has a reference. */
void exchange_abandon (struct http_exchange *exchange)
{
    if (atomic_load (&exchange->streaming)) {
        stream_abandon (exchange);
        return;
    }
    unsigned char claim = CLAIM_FREE;
    if (STATE_PARKED != atomic_load (&exchange->state))
        return;
    if (!atomic_compare_exchange_strong (&exchange->claim, &claim, CLAIM_SHIM))
        return;
    watch_remove (exchange->server->watch, exchange->descriptor, exchange);
    exchange->response = refusal_response (exchange, HTTP_REFUSAL_STOPPING, NULL);
    exchange_tell_gone (exchange);
    atomic_store (&exchange->state, NULL == exchange->response ? STATE_GONE : STATE_ANSWERED);
    exchange_resume (exchange);
}
