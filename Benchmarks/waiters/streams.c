/* How long it takes until a change has come to all who stream.
 *
 * The server may tell of several changes in one event; each of them then has the event's time of arrival. Which are
 * told is seen from the number in the event's id: every change up to it.
 */
#include "waiters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct stream {
    struct connection connection;
    struct line line;
    bool has_begun;
    uint64_t last; /* the number of the last event */
    uint64_t id;   /* of the event that is being read */
    struct value value;
};

struct measurement {
    const struct options *options;
    struct changes changes;
    struct stream *streams;
    uint64_t first; /* the number before the first change that is measured */
    size_t begun;
    size_t complete; /* streams that have had the last change */
    size_t events;
    size_t bytes;      /* of the last event's data */
    int64_t *arrivals; /* of each change at each stream */
};

static void end_event (struct measurement *measurement, struct stream *stream)
{
    const size_t number = (size_t) (stream - measurement->streams);
    const unsigned most = measurement->options->changes;
    if (0 == stream->id)
        return;
    if (!stream->has_begun) {
        if (stream->id != measurement->first)
            die ("stream %zu begins at %ju, not at %ju: does somebody else make changes?", number,
                 (uintmax_t) stream->id, (uintmax_t) measurement->first);
        stream->has_begun = true;
        stream->last = stream->id;
        measurement->begun++;
        return;
    }
    if (stream->id < stream->last || stream->id > measurement->first + most)
        die ("stream %zu went from %ju to %ju", number, (uintmax_t) stream->last, (uintmax_t) stream->id);
    if (stream->id == stream->last)
        return; /* a ping */
    int64_t *const arrivals = measurement->arrivals + number * most;
    for (uint64_t i = stream->last; i < stream->id; i++)
        arrivals[i - measurement->first] = arrival ();
    stream->last = stream->id;
    measurement->events++;
    if (stream->id == measurement->first + most)
        measurement->complete++;
}

static void body (struct connection *connection, const char *bytes, size_t length)
{
    struct stream *const stream = (struct stream *) connection;
    struct measurement *const measurement = connection->owner;
    while (line_take (&stream->line, &bytes, &length)) {
        const char *const text = stream->line.text;
        if (0 == strncmp (text, "id: ", 4)) {
            stream->id = cursor_number (text + 4);
        } else if (0 == strncmp (text, "data: ", 6)) {
            const struct value value = value_after (text, "\"output\":\"text\",\"value\":\"");
            if ('\0' != value.text[0]) {
                stream->value = value;
                measurement->bytes = stream->line.length - 6;
            }
        } else if ('\0' == *text) {
            end_event (measurement, stream);
            stream->id = 0;
        }
    }
}

static void ended (struct connection *connection)
{
    (void) connection;
    die ("the server ended a stream");
}

static void begin (struct measurement *measurement)
{
    const struct options *const options = measurement->options;
    char *const request
        = request_text (options, "GET", options->path, measurement->changes.newest, "text/event-stream", NULL);
    for (size_t i = 0; i < options->streams; i++) {
        struct connection *const connection = &measurement->streams[i].connection;
        connection_open (connection);
        connection->owner = measurement;
        connection->body = &body;
        connection->done = &ended;
        connection_ask (connection, request);
        const int64_t end = now () + 10000000;
        while (i + 1 - measurement->begun >= (i + 1 == options->streams ? 1 : RUSH)) {
            if (now () > end)
                die ("%zu streams did not begin within 10 s", i + 1 - measurement->begun);
            connections_turn (10000);
        }
    }
    free (request);
}

static void make_changes (struct measurement *measurement)
{
    const struct options *const options = measurement->options;
    const int64_t start = now ();
    for (unsigned i = 0; i < options->changes; i++) {
        const int64_t due = start + (int64_t) (i * 1e6 / options->rate);
        for (int64_t left = due - now (); left > 0; left = due - now ())
            connections_turn (left);
        changes_make (&measurement->changes);
        connections_turn (0);
    }
    changes_await (&measurement->changes);
    int64_t end = now () + 5000000;
    for (size_t events = measurement->events; measurement->complete < options->streams && now () < end;) {
        connections_turn (10000);
        if (events != measurement->events) {
            events = measurement->events;
            end = now () + 5000000;
        }
    }
}

/* Each change has a number of its own, out of so many as there were changes. */
static void check_numbers (const struct measurement *measurement)
{
    const unsigned changes = measurement->options->changes;
    bool *const taken = calloc (changes, sizeof *taken);
    if (NULL == taken)
        die ("out of memory");
    for (unsigned change = 0; change < changes; change++) {
        const uint64_t number = measurement->changes.of[change].number;
        if (number <= measurement->first || number > measurement->first + changes
            || taken[number - measurement->first - 1])
            die ("change %u of %u was answered with the number %ju, after %ju before the first", change, changes,
                 (uintmax_t) number, (uintmax_t) measurement->first);
        taken[number - measurement->first - 1] = true;
    }
    free (taken);
}

/* Returns how many of the changes never came. */
static size_t collect (const struct measurement *measurement, struct times *times)
{
    const unsigned changes = measurement->options->changes;
    size_t lost = 0;
    for (size_t i = 0; i < measurement->options->streams; i++)
        for (unsigned change = 0; change < changes; change++) {
            const struct change *const made = &measurement->changes.of[change];
            const int64_t came = measurement->arrivals[i * changes + (made->number - measurement->first - 1)];
            if (0 == came)
                lost++;
            else
                times_add (times, came - made->sent);
        }
    return lost;
}

static size_t count_outdated (const struct measurement *measurement)
{
    size_t outdated = 0;
    for (size_t i = 0; i < measurement->options->streams; i++)
        if (0 != memcmp (&measurement->streams[i].value, &measurement->changes.value, sizeof (struct value)))
            outdated++;
    return outdated;
}

void measure_streams (const struct options *options)
{
    struct measurement measurement = { .options = options };
    struct times times = { 0 };
    measurement.streams = calloc (options->streams, sizeof *measurement.streams);
    measurement.arrivals = calloc ((size_t) options->streams * options->changes, sizeof *measurement.arrivals);
    if (NULL == measurement.streams || NULL == measurement.arrivals)
        die ("out of memory");
    changes_begin (&measurement.changes, options);
    measurement.first = cursor_number (measurement.changes.newest);
    const struct memory before = memory_of (options->server);
    begin (&measurement);
    settle (options->server);
    const struct memory open = memory_of (options->server);
    const struct usage start = usage_of (options->server);
    make_changes (&measurement);
    const double wall = (double) (now () - start.at);
    const struct cores cores = cores_since (&start, options->server);
    const struct memory after = memory_of (options->server);
    check_numbers (&measurement);
    const size_t lost = collect (&measurement, &times);
    const size_t outdated = count_outdated (&measurement);
    const double told = (double) options->streams * options->changes;
    printf ("p50=%u p99=%u longest=%u lost=%zu outdated=%zu bytes=%zu events=%.2f cost=%.2f server=%.2f client=%.2f "
            "others=%.2f memory=%.1f after=%.1f\n",
            times_at (&times, 0.5), times_at (&times, 0.99), times_at (&times, 1), lost, outdated, measurement.bytes,
            (double) measurement.events / told, cores.server * wall / told, cores.server, cores.client,
            cores.others, (double) (open.resident - before.resident) / options->streams,
            (double) after.resident / 1024);
    (void) fflush (stdout);
    if (0 != lost || 0 != outdated)
        die ("%zu changes never came, %zu streams do not show the last one", lost, outdated);
}
