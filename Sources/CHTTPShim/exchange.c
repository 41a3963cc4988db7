/* One request and its answer: its life, and the two decisions everything hangs on. Who may answer is decided by one
 * compare-and-swap of `claim`; who may have a suspended connection resumed by the move away from STATE_PARKED, which only
 * the claim's owner makes. Suspending and resuming themselves, and all that libmicrohttpd is called for, happen on the
 * loop's thread: other threads put the exchange into the loop's inbox. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------- memory */

void http_exchange_release (struct http_exchange *exchange)
{
    if (1 != atomic_fetch_sub_explicit (&exchange->references, 1, memory_order_acq_rel))
        return;
    atomic_fetch_add_explicit (&exchange->server->released, 1, memory_order_relaxed);
    stream_free (exchange->stream);
    body_free (&exchange->request.body);
    if (NULL != exchange->shared)
        http_body_release (exchange->shared);
    free (exchange);
}

/* A request with this head; without one, NULL, for a refusal. NULL without memory. The first reference is the shim's. */
struct http_exchange *exchange_create (struct connection *connection, const char *bytes, const struct head *head)
{
    struct http_server *const server = connection->loop->server;
    const size_t capacity = NULL == head ? 0 : request_text_size (bytes, head);
    struct http_exchange *const exchange = malloc (sizeof *exchange + capacity);
    if (NULL == exchange)
        return NULL;
    memset (exchange, 0, sizeof *exchange);
    request_init (&exchange->request, capacity);
    atomic_init (&exchange->references, 1);
    exchange->server = server;
    exchange->connection = connection;
    exchange->inbox = &connection->loop->inbox;
    exchange->route = -1;
    memcpy (exchange->peer, connection->peer, sizeof exchange->peer);
    if (NULL != head) {
        request_keep (&exchange->request, bytes, head);
        exchange->closes = head->closes;
    }
    if (NULL != server->callbacks.record)
        exchange->started = clock_microseconds ();
    exchange->number = atomic_fetch_add_explicit (&server->begun, 1, memory_order_relaxed);
    return exchange;
}

/* A message that is refused before its head was read: its method is told, where so much of its request line is there. */
struct http_exchange *exchange_create_headless (struct connection *connection, const char *bytes, size_t available)
{
    struct http_exchange *const exchange = exchange_create (connection, NULL, NULL);
    if (NULL != exchange && available > 0)
        request_keep_method (&exchange->request, bytes, head_method_length (bytes, available));
    return exchange;
}

/* What was found wrong while it was read. What follows on the connection is not read as a request. */
void exchange_refuse (struct http_exchange *exchange, enum http_refusal reason)
{
    exchange->refusal = (uint8_t) reason;
    exchange->complete = true;
    exchange->closes = true;
}

void http_exchange_set_waiter (struct http_exchange *exchange, void *waiter)
{
    exchange->waiter = waiter;
}

/* True for one caller alone: the one that may answer. */
static bool claim (struct http_exchange *exchange, enum exchange_claim by)
{
    unsigned char expected = CLAIM_FREE;
    return atomic_compare_exchange_strong (&exchange->claim, &expected, (unsigned char) by);
}

/* ------------------------------------------------------------------------ on the loop: in, and out again */

/* The waiter lives until completed(), which cannot come before this. */
static void tell_gone (struct http_exchange *exchange)
{
    if (NULL == exchange->waiter || exchange->told_gone)
        return;
    exchange->told_gone = true;
    exchange->server->callbacks.gone (exchange->waiter);
}

/* Adds to the answer what only the loop knows. */
static void finish (struct http_exchange *exchange)
{
    const bool closes = exchange->closes || exchange->closes_after
                        || atomic_load_explicit (&exchange->server->draining, memory_order_relaxed);
    char id[HTTP_REQUEST_ID_SIZE];
    identity_format (exchange->server, exchange->number, id);
    const struct reply_frame frame = {
        .status = exchange->status,
        .date = clock_date (),
        .id = id,
        .connection = closes ? "close" : 0 == exchange->request.minor ? "keep-alive" : NULL,
        .is_head = exchange->request.is_head,
    };
    exchange->closes = closes;
    reply_finish (exchange->reply, &frame);
}

/* Seen by nobody. */
#define CANONICAL_STATUS MHD_HTTP_INTERNAL_SERVER_ERROR

/* libmicrohttpd is given its canonical answer: what goes out for it is the reply (gate.c). */
static enum MHD_Result queue_canonical (struct http_exchange *exchange)
{
    const struct loop *const loop = exchange->connection->loop;
    struct MHD_Connection *const handle = exchange->connection->handle;
    if (!exchange->streams)
        return MHD_queue_response (handle, CANONICAL_STATUS, exchange->closes ? loop->last_answer : loop->answer);
    struct MHD_Response *const response = stream_response (exchange);
    if (NULL == response)
        return MHD_NO;
    const enum MHD_Result queued = MHD_queue_response (handle, CANONICAL_STATUS, response);
    MHD_destroy_response (response);
    return queued;
}

static enum MHD_Result queue (struct http_exchange *exchange)
{
    if (NULL != exchange->shared)
        exchange->reply = http_reply_create_shared (exchange->shared);
    enum MHD_Result queued = MHD_NO;
    if (NULL != exchange->reply) {
        finish (exchange);
        atomic_store_explicit (&exchange->state, STATE_SENDING, memory_order_relaxed);
        connection_enter (exchange->connection, PHASE_ANSWERING);
        queued = queue_canonical (exchange);
    }
    return queued;
}

static enum MHD_Result refuse (struct http_exchange *exchange, enum http_refusal reason, const char *allow)
{
    exchange->refused = true;
    exchange->reply = refusal_reply (exchange, reason, allow);
    return queue (exchange);
}

/* The refusal of a request that was dispatched and is not answered when the server stops. */
static enum http_refusal farewell (const struct http_exchange *exchange)
{
    return request_is_read_only (&exchange->request) ? HTTP_REFUSAL_STOPPING : HTTP_REFUSAL_CUT_OFF;
}

/* After dispatch() returned without an answer. */
static enum MHD_Result park (struct http_exchange *exchange)
{
    if (atomic_load (&exchange->server->stopping) && claim (exchange, CLAIM_SHIM)) {
        tell_gone (exchange); /* the server stopped between the request and its parking */
        return refuse (exchange, farewell (exchange), NULL);
    }
    /* From here on the client's hang-up is ours to notice: libmicrohttpd takes a suspended connection out of its epoll set
     * (microhttpd.h, MHD_suspend_connection). */
    connection_suspend (exchange->connection);
    unsigned char expected = STATE_DISPATCHED;
    if (!atomic_compare_exchange_strong (&exchange->state, &expected, STATE_PARKED))
        /* The answer came from another thread in the meantime, and left the resuming to us. */
        connection_resume (exchange->connection);
    else if (exchange->connection->ended)
        exchange_half_close (exchange); /* it had sent FIN before */
    return MHD_YES;
}

/* Hands the complete request to Swift and sees what became of it. */
static enum MHD_Result dispatch (struct http_exchange *exchange)
{
    struct http_server *const server = exchange->server;
    struct loop *const loop = exchange->connection->loop;
    loop->progress += 1;
    atomic_store_explicit (&exchange->state, STATE_DISPATCHED, memory_order_relaxed);
    /* The body of a GET means nothing (RFC 9110, section 9.3.1), and a poll or a stream would keep it for as long as it
     * lives. */
    if (request_is_read_only (&exchange->request))
        body_free (&exchange->request.body);
    exchange->dispatched = true;
    exchange_retain (exchange);
    exchange_conclude_all (loop); /* before what may hold the loop, or end the process */
    hold_begin (loop, exchange->route);
    server->callbacks.dispatch (server->owner, exchange, (uint32_t) exchange->route);
    hold_end (loop);
    if (STATE_ANSWERED == atomic_load_explicit (&exchange->state, memory_order_acquire))
        return queue (exchange);
    return park (exchange);
}

/* Finds the exchange's route, once; or says why there is none. */
static enum http_refusal find_route (struct http_exchange *exchange, struct route_match *match)
{
    const uint32_t length = exchange->request.text_length;
    if (exchange->route >= 0)
        return HTTP_REFUSAL_NONE;
    const bool decoded = routes_find (exchange->server->routes, &exchange->request, match);
    exchange->route = decoded ? match->route : -1;
    if (exchange->route >= 0)
        return HTTP_REFUSAL_NONE;
    exchange->request.text_length = length; /* what was decoded is of no use */
    if (!decoded)
        return HTTP_REFUSAL_TARGET;
    return match->path_exists ? HTTP_REFUSAL_METHOD_NOT_ALLOWED : HTTP_REFUSAL_NOT_FOUND;
}

/* Before its body is read. False where it has no route: the connection then ends with the refusal. */
bool exchange_has_route (struct http_exchange *exchange)
{
    struct route_match match;
    if (HTTP_REFUSAL_NONE == find_route (exchange, &match))
        return true;
    exchange->complete = true;
    exchange->closes = true;
    return false;
}

static enum MHD_Result route (struct http_exchange *exchange)
{
    struct route_match match;
    if (HTTP_REFUSAL_NONE != exchange->refusal)
        return refuse (exchange, (enum http_refusal) exchange->refusal, NULL);
    const enum http_refusal reason = find_route (exchange, &match);
    if (HTTP_REFUSAL_NONE == reason)
        return dispatch (exchange);
    return refuse (exchange, reason, HTTP_REFUSAL_METHOD_NOT_ALLOWED == reason ? match.allow : NULL);
}

/* libmicrohttpd's call once it has read the canonical head, and again each time the connection was resumed. */
enum MHD_Result exchange_continue (struct http_exchange *exchange)
{
    switch (atomic_load_explicit (&exchange->state, memory_order_acquire)) {
    case STATE_RECEIVING: return route (exchange);
    case STATE_ANSWERED: return queue (exchange);
    case STATE_GONE: return MHD_NO; /* closes; allowed, as it is not suspended any more */
    default: return MHD_YES;
    }
}

/* Out of the inbox: answered, or a stream with something to do. One that was not begun does it when it begins. */
void exchange_take_out (struct http_exchange *exchange)
{
    if (NULL != exchange->connection) {
        const unsigned char state = atomic_load (&exchange->state);
        if (STATE_STREAMING == state)
            stream_flush (exchange);
        else if (STATE_ANSWERED == state)
            connection_resume (exchange->connection);
    }
    http_exchange_release (exchange);
}

/* --------------------------------------------------------------------------------------------- answers */

/* For the owner of the claim, on any thread: the response is there. */
static void answered (struct http_exchange *exchange)
{
    unsigned char expected = STATE_DISPATCHED;
    if (atomic_compare_exchange_strong (&exchange->state, &expected, STATE_ANSWERED))
        return; /* dispatch() is still running, or park() is: they will see it */
    atomic_store (&exchange->state, STATE_ANSWERED);
    inbox_put (exchange->inbox, exchange);
}

static bool answer (struct http_exchange *exchange, unsigned status, struct http_reply *reply, bool close, bool streams)
{
    if (!claim (exchange, CLAIM_HANDLER)) {
        if (NULL != reply)
            http_reply_destroy (reply);
        return false;
    }
    exchange->status = (uint16_t) status;
    exchange->streams = streams;
    exchange->reply = reply;
    exchange->closes_after = close;
    answered (exchange);
    return true;
}

bool http_exchange_answer (struct http_exchange *exchange, unsigned status, struct http_reply *reply, bool close)
{
    return answer (exchange, status, reply, close, false);
}

bool http_exchange_answer_shared (struct http_exchange *exchange, unsigned status, struct http_body *body, bool close)
{
    if (!claim (exchange, CLAIM_HANDLER))
        return false;
    body_retain (body);
    exchange->status = (uint16_t) status;
    exchange->shared = body;
    exchange->closes_after = close;
    answered (exchange);
    return true;
}

bool http_exchange_answer_stream (struct http_exchange *exchange, unsigned status, struct http_reply *reply)
{
    return answer (exchange, status, reply, true, true);
}

/* ------------------------------------------------------------------------- on the loop: the client's leave */

/* The client will send no more. What it asked for is still answered: it may have closed its half alone. */
void exchange_half_close (struct http_exchange *exchange)
{
    if (STATE_STREAMING == atomic_load (&exchange->state)) {
        stream_half_close (exchange);
        return;
    }
    if (STATE_PARKED != atomic_load (&exchange->state) || NULL == exchange->waiter || exchange->told_half_closed)
        return;
    exchange->told_half_closed = true;
    exchange->server->callbacks.half_closed (exchange->waiter);
}

/* The client is gone for good. */
void exchange_hang_up (struct http_exchange *exchange)
{
    if (STATE_STREAMING == atomic_load (&exchange->state)) {
        stream_abandon (exchange);
        return;
    }
    if (STATE_PARKED != atomic_load (&exchange->state) || !claim (exchange, CLAIM_SHIM))
        return; /* answered, or being answered: it will be resumed */
    tell_gone (exchange);
    atomic_store (&exchange->state, STATE_GONE);
    connection_resume (exchange->connection);
}

/* The server stops: what still waits is refused, what streams is ended. */
void exchange_abandon (struct http_exchange *exchange)
{
    if (STATE_STREAMING == atomic_load (&exchange->state)) {
        http_stream_finish (exchange, NULL);
        return;
    }
    if (STATE_PARKED != atomic_load (&exchange->state) || !claim (exchange, CLAIM_SHIM))
        return;
    exchange->refused = true;
    exchange->reply = refusal_reply (exchange, farewell (exchange), NULL);
    tell_gone (exchange);
    atomic_store (&exchange->state, NULL == exchange->reply ? STATE_GONE : STATE_ANSWERED);
    connection_resume (exchange->connection);
}

/* ------------------------------------------------------------------------------------------------- end */

/* Whether all of its answer was handed to the kernel, by what went through the gate. */
bool exchange_was_sent (const struct http_exchange *exchange)
{
    if (exchange->streams)
        return stream_was_sent (exchange);
    return NULL != exchange->reply && reply_was_sent (exchange->reply);
}

/* Nobody will call for it again, nor it for its connection. What is left to do is done at the end of the turn, or before the
 * next request is handed to Swift: where many are answered in one turn, their answers go before everybody's last words. */
void exchange_complete (struct http_exchange *exchange, enum http_ending ending, uint64_t bytes)
{
    struct loop *const loop = exchange->connection->loop;
    if (NULL != exchange->stream) {
        stream_end (exchange);
        tell_gone (exchange);
    }
    exchange->connection = NULL;
    exchange->ending = (uint8_t) ending;
    exchange->sent = bytes;
    if (NULL != exchange->server->callbacks.record)
        exchange->ended = clock_microseconds ();
    if (NULL == loop->over)
        loop->over = exchange;
    else
        loop->latest_over->next_over = exchange;
    loop->latest_over = exchange;
}

static void record (const struct http_exchange *exchange)
{
    const struct http_server *const server = exchange->server;
    char id[HTTP_REQUEST_ID_SIZE];
    identity_format (server, exchange->number, id);
    const struct http_outcome outcome = {
        .route = exchange->route,
        .method = exchange->request.method,
        .is_head = exchange->request.is_head,
        .status = 0 == exchange->status ? 499 : exchange->status,
        .ending = HTTP_ENDING_SENT == exchange->ending && exchange->refused && !exchange->dispatched
                      ? HTTP_ENDING_REFUSED
                      : (enum http_ending) exchange->ending,
        .bytes = exchange->sent,
        .microseconds = exchange->ended - exchange->started,
        .request_id = id,
        .peer = exchange->peer,
        .exchange = exchange,
        .refusal = exchange->refused ? (enum http_refusal) exchange->refusal : HTTP_REFUSAL_NONE,
        .session = atomic_load_explicit (&exchange->session, memory_order_relaxed),
    };
    server->callbacks.record (server->owner, &outcome);
}

/* The last word on an exchange. */
static void conclude (struct http_exchange *exchange)
{
    const struct http_callbacks *const callbacks = &exchange->server->callbacks;
    if (NULL != exchange->reply)
        http_reply_destroy (exchange->reply);
    exchange->reply = NULL;
    if (NULL != exchange->waiter)
        callbacks->completed (exchange->waiter);
    if (NULL != callbacks->record)
        record (exchange);
    http_exchange_release (exchange);
}

void exchange_conclude_all (struct loop *loop)
{
    struct http_exchange *exchange = loop->over;
    loop->over = NULL;
    while (NULL != exchange) {
        struct http_exchange *const next = exchange->next_over;
        conclude (exchange);
        exchange = next;
    }
}
