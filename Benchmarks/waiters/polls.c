/* How long it takes until all long-polls that wait for a change are answered, and what they cost meanwhile. */
#include "waiters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Microseconds between two requests of the probe. */
#define PROBE_INTERVAL 2000

struct poll {
    struct connection connection;
    struct line body;
    uint64_t number; /* of the last answer's cursor */
    struct value value;
};

struct measurement {
    const struct options *options;
    struct changes changes;
    struct poll *polls;
    bool is_changed; /* and not before it may a poll be answered */
    size_t answered;
    size_t bytes; /* of the last answer */
    struct times times;
    struct times lasts;
    struct times probes;
    struct connection probe;
    char *probe_request;
    int64_t probe_sent;
    bool probe_waits;
};

/* -------------------------------------------------------------------------------------------------- probe */

static void ignore (struct connection *connection, const char *bytes, size_t length)
{
    (void) connection;
    (void) bytes;
    (void) length;
}

static void probe_answered (struct connection *connection)
{
    struct measurement *const measurement = connection->owner;
    times_add (&measurement->probes, arrival () - measurement->probe_sent);
    measurement->probe_waits = false;
}

static void open_probe (struct measurement *measurement)
{
    if (NULL == measurement->options->probe)
        return;
    measurement->probe_request
        = request_text (measurement->options, "GET", measurement->options->probe, NULL, NULL, NULL);
    connection_open (&measurement->probe);
    measurement->probe.owner = measurement;
    measurement->probe.body = &ignore;
    measurement->probe.done = &probe_answered;
}

static void probe (struct measurement *measurement)
{
    const int64_t time = now ();
    const bool is_due = !measurement->probe_waits && time - measurement->probe_sent >= PROBE_INTERVAL;
    if (NULL == measurement->probe_request || !is_due)
        return;
    measurement->probe_waits = true;
    measurement->probe_sent = time;
    connection_ask (&measurement->probe, measurement->probe_request);
}

/* -------------------------------------------------------------------------------------------------- polls */

static void take (struct connection *connection, const char *bytes, size_t length)
{
    struct poll *const poll = (struct poll *) connection;
    while (length > 0)
        (void) line_take (&poll->body, &bytes, &length);
}

static void answered (struct connection *connection)
{
    struct poll *const poll = (struct poll *) connection;
    struct measurement *const measurement = connection->owner;
    measurement->bytes = poll->body.length;
    const char *const text = line_end (&poll->body);
    if (!measurement->is_changed)
        die ("a poll was answered before there was a change: %.300s", text);
    poll->number = cursor_number (value_after (text, "\"cursor\":\"").text);
    poll->value = value_after (text, "\"output\":\"text\",\"value\":\"");
    times_add (&measurement->times, arrival () - measurement->changes.of[measurement->changes.made - 1].sent);
    measurement->answered++;
}

static void park (struct measurement *measurement)
{
    char *const request = request_text (measurement->options, "GET", measurement->options->path,
                                        measurement->changes.newest, NULL, NULL);
    measurement->is_changed = false;
    measurement->answered = 0;
    for (unsigned i = 0; i < measurement->options->polls; i++) {
        connection_ask (&measurement->polls[i].connection, request);
        if (0 == (i + 1) % RUSH)
            connections_turn (2000);
    }
    free (request);
    settle (measurement->options->server);
}

static void wake (struct measurement *measurement)
{
    const unsigned polls = measurement->options->polls;
    measurement->is_changed = true;
    probe (measurement);
    changes_make (&measurement->changes);
    int64_t end = now () + 10000000;
    for (size_t before = 0; measurement->answered < polls;) {
        connections_turn (1000);
        probe (measurement);
        if (before != measurement->answered) {
            before = measurement->answered;
            end = now () + 10000000;
        } else if (now () > end) {
            die ("%zu of %u polls were not answered", polls - measurement->answered, polls);
        }
    }
    times_add (&measurement->lasts, arrival () - measurement->changes.of[measurement->changes.made - 1].sent);
    changes_await (&measurement->changes);
    const uint64_t newest = cursor_number (measurement->changes.newest);
    for (unsigned i = 0; i < polls; i++) {
        const struct poll *const poll = &measurement->polls[i];
        if (newest != poll->number || 0 != memcmp (&poll->value, &measurement->changes.value, sizeof poll->value))
            die ("poll %u was told of change %ju, \"%s\"; the last one is %ju, \"%s\"", i, (uintmax_t) poll->number,
                 poll->value.text, (uintmax_t) newest, measurement->changes.value.text);
    }
    while (measurement->probe_waits)
        connections_turn (10000);
}

void measure_polls (const struct options *options)
{
    struct measurement measurement = { .options = options };
    struct memory parked = { 0 };
    measurement.polls = calloc (options->polls, sizeof *measurement.polls);
    if (NULL == measurement.polls)
        die ("out of memory");
    changes_begin (&measurement.changes, options);
    open_probe (&measurement);
    const struct memory before = memory_of (options->server);
    const struct usage start = usage_of (options->server);
    for (unsigned i = 0; i < options->polls; i++) {
        struct connection *const connection = &measurement.polls[i].connection;
        connection_open (connection);
        connection->owner = &measurement;
        connection->body = &take;
        connection->done = &answered;
    }
    for (unsigned i = 0; i < options->changes; i++) {
        park (&measurement);
        if (0 == i)
            parked = memory_of (options->server);
        wake (&measurement);
    }
    settle (options->server);
    const struct cores cores = cores_since (&start, options->server);
    const struct memory after = memory_of (options->server);
    printf ("last=%u worst=%u p50=%u bytes=%zu memory=%.1f parked=%.1f highest=%.1f after=%.1f probe50=%u probe=%u "
            "others=%.2f\n",
            times_at (&measurement.lasts, 0.5), times_at (&measurement.lasts, 1), times_at (&measurement.times, 0.5),
            measurement.bytes, (double) (parked.resident - before.resident) / options->polls,
            (double) parked.resident / 1024, (double) after.highest / 1024, (double) after.resident / 1024,
            times_at (&measurement.probes, 0.5), times_at (&measurement.probes, 1), cores.others);
}
