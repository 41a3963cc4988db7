/* Many clients that wait, and the changes they wait for: streams (streams.c) or long-polls (polls.c).
 *
 * waiters (--streams N | --polls N) --port PORT --server PID [options]
 *
 *   --path PATH     what waits; {cursor} in it stands for the cursor of the last change
 *   --change PATH   what is posted, to make a change
 *   --data TEXT     the body of the POSTs, as JSON
 *   --header LINE   a header field of every request, such as "Authorization: Bearer …"
 *   --changes N     how many changes; 10
 *   --rate N        of streams, changes a second; 10
 *   --probe PATH    of polls: asked for every 2 ms while they are answered
 *
 * Of the server it wants that a change is answered with an ETag "EPOCH.SEQ", whose SEQ each change counts up by one
 * from 1, and with JSON that has the output `text`; that an event's id and the cursor of a poll's answer are such a tag
 * without its quotes; that both carry the text as Bindery's feed does; and that nobody else makes changes.
 *
 * Prints one line of NAME=VALUE, times in microseconds from just before a POST is sent. Of streams:
 *   p50, p99, longest   until a change arrived, over all changes at all streams
 *   lost, outdated      changes that never arrived; streams that do not show the last change in the end: a failure
 *   bytes               of an event's data
 *   events              for each change at each stream; less than 1 where one event told of several
 *   cost                processor time of the server for each change at each stream
 *   server, client      cores that the server and this program used; a client near 1 measures itself
 *   others              cores that all else used: the noise
 *   memory              KiB of the server for each stream
 *   after               MiB of the server in the end
 * Of polls:
 *   last, worst         until the last of them was answered, the median and the longest over the changes
 *   p50                 until one was answered
 *   bytes               of an answer
 *   memory              KiB of the server for each poll that waits, its connection included
 *   parked, highest, after   MiB of the server: with all polls waiting, the most ever, and in the end
 *   probe50, probe      the median and the longest time of the probe
 *   others              cores that all else used: the noise
 */
#include "waiters.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void die (const char *format, ...)
{
    va_list arguments;
    va_start (arguments, format);
    (void) fputs ("waiters: ", stderr);
    (void) vfprintf (stderr, format, arguments);
    (void) fputc ('\n', stderr);
    va_end (arguments);
    exit (1);
}

static unsigned number (const char *text)
{
    char *end;
    const unsigned long value = strtoul (text, &end, 10);
    if (end == text || '\0' != *end || 0 == value || value > 1000000)
        die ("not a number from 1 to 1000000: %s", text);
    return (unsigned) value;
}

int main (int argc, char **argv)
{
    static const struct option names[] = {
        { "streams", required_argument, NULL, 's' }, { "polls", required_argument, NULL, 'w' },
        { "port", required_argument, NULL, 'p' },    { "server", required_argument, NULL, 'i' },
        { "path", required_argument, NULL, 'u' },    { "change", required_argument, NULL, 'c' },
        { "data", required_argument, NULL, 'd' },    { "header", required_argument, NULL, 'h' },
        { "changes", required_argument, NULL, 'n' }, { "rate", required_argument, NULL, 'r' },
        { "probe", required_argument, NULL, 'l' },   { NULL, 0, NULL, 0 },
    };
    struct options options = { .changes = 10, .rate = 10 };
    for (int option; -1 != (option = getopt_long (argc, argv, "", names, NULL));)
        switch (option) {
        case 's': options.streams = number (optarg); break;
        case 'w': options.polls = number (optarg); break;
        case 'p': options.port = (uint16_t) number (optarg); break;
        case 'i': options.server = (pid_t) number (optarg); break;
        case 'u': options.path = optarg; break;
        case 'c': options.change = optarg; break;
        case 'd': options.data = optarg; break;
        case 'h': options.header = optarg; break;
        case 'n': options.changes = number (optarg); break;
        case 'r': options.rate = number (optarg); break;
        case 'l': options.probe = optarg; break;
        default: return 64;
        }
    if (optind != argc || (0 == options.streams) == (0 == options.polls) || 0 == options.port || 0 == options.server
        || NULL == options.path || NULL == options.change)
        die ("streams or polls, a port, a server, a path and a change are needed");
    connections_begin (&options);
    if (0 != options.streams)
        measure_streams (&options);
    else
        measure_polls (&options);
    return 0;
}
