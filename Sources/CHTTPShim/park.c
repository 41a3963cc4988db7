/* Parking: an exchange whose answer is not there yet, and the ways out of it. */
#include "internal.h"

#include <sched.h>

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
    if (!loop_suspend (exchange))
        return refuse_parking (exchange);
    unsigned char expected = STATE_DISPATCHED;
    if (atomic_compare_exchange_strong (&exchange->state, &expected, STATE_PARKED))
        loop_watch_later (exchange);
    else
        loop_resume (exchange); /* the answer came from another thread in the meantime, and left the resuming to us */
    return MHD_YES;
}

/* On the event loop, at the end of the turn that parked it: many an answer has come by then, and saved the watching. */
void exchange_watch (struct http_exchange *exchange)
{
    struct http_server *const server = exchange->server;
    if (STATE_PARKED != atomic_load (&exchange->state))
        return;
    /* A stop that went through the watched before this one was among them leaves it to us: it stores first and looks
     * then, as we do, so that one of the two sees the other. */
    if (!watch_add (server->watch, exchange->descriptor, exchange))
        exchange_hang_up (exchange);
    else if (atomic_load (&server->stopping))
        exchange_abandon (exchange);
}

/* For the owner of the claim, on any thread: the response is there. */
void exchange_answered (struct http_exchange *exchange)
{
    unsigned char expected = STATE_DISPATCHED;
    if (atomic_compare_exchange_strong (&exchange->state, &expected, STATE_ANSWERED))
        return; /* dispatch() is still running, or exchange_park() is: they will see it */
    atomic_store (&exchange->state, STATE_ANSWERED);
    loop_resume (exchange);
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
        return; /* answered: it will be resumed */
    if (!atomic_compare_exchange_strong (&exchange->claim, &claim, CLAIM_SHIM))
        return; /* an answer is on its way, and will resume */
    exchange_tell_gone (exchange);
    atomic_store (&exchange->state, STATE_GONE);
    loop_resume (exchange);
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
    exchange->response = refusal_response (exchange, HTTP_REFUSAL_STOPPING, NULL);
    exchange_tell_gone (exchange);
    atomic_store (&exchange->state, NULL == exchange->response ? STATE_GONE : STATE_ANSWERED);
    loop_resume (exchange);
}
