/* Percentiles, and what /proc says of the server. */
#include "waiters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -------------------------------------------------------------------------------------------------- times */

void times_add (struct times *times, int64_t microseconds)
{
    if (times->count == times->capacity) {
        times->capacity = 0 == times->capacity ? 1024 : 2 * times->capacity;
        times->of = realloc (times->of, times->capacity * sizeof *times->of);
        if (NULL == times->of)
            die ("out of memory");
    }
    times->of[times->count++] = microseconds < 0 ? 0 : (uint32_t) microseconds;
}

static int compare (const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *) left;
    const uint32_t b = *(const uint32_t *) right;
    return (a > b) - (a < b);
}

uint32_t times_at (struct times *times, double share)
{
    if (0 == times->count)
        return 0;
    qsort (times->of, times->count, sizeof *times->of, &compare);
    return times->of[(size_t) ((double) (times->count - 1) * share)];
}

/* ------------------------------------------------------------------------------------------- the process */

static void read_file (const char *name, pid_t process, char *text, size_t room)
{
    char path[64];
    (void) snprintf (path, sizeof path, "/proc/%d/%s", (int) process, name);
    FILE *const file = fopen (path, "r");
    if (NULL == file)
        die ("%s cannot be read: has the server ended?", path);
    text[fread (text, 1, room - 1, file)] = '\0';
    (void) fclose (file);
}

static long number_after (const char *text, const char *mark)
{
    const char *const found = strstr (text, mark);
    return NULL == found ? 0 : strtol (found + strlen (mark), NULL, 10);
}

/* Microseconds, of clock ticks. */
static int64_t ticks (uint64_t count)
{
    return (int64_t) (count * 1000000 / (uint64_t) sysconf (_SC_CLK_TCK));
}

struct memory memory_of (pid_t process)
{
    char text[4096];
    read_file ("status", process, text, sizeof text);
    return (struct memory){ number_after (text, "VmRSS:"), number_after (text, "VmHWM:") };
}

static int64_t time_of_machine (void)
{
    char text[512];
    unsigned long user, nice, system, interrupts, soft_interrupts;
    FILE *const file = fopen ("/proc/stat", "r");
    if (NULL == file || NULL == fgets (text, sizeof text, file)
        || 5 != sscanf (text, "cpu %lu %lu %lu %*u %*u %lu %lu", &user, &nice, &system, &interrupts, &soft_interrupts))
        die ("/proc/stat cannot be understood");
    (void) fclose (file);
    return ticks (user + nice + system + interrupts + soft_interrupts);
}

static int64_t time_of_process (pid_t process)
{
    char text[1024];
    unsigned long user = 0;
    unsigned long system = 0;
    read_file ("stat", process, text, sizeof text);
    /* The name, in parentheses, may hold anything. */
    const char *const fields = strrchr (text, ')');
    if (NULL == fields
        || 2 != sscanf (fields + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system))
        die ("/proc/%d/stat cannot be understood", (int) process);
    return ticks (user + system);
}

struct usage usage_of (pid_t server)
{
    return (struct usage){ now (), time_of_process (server), time_of_process (getpid ()), time_of_machine () };
}

struct cores cores_since (const struct usage *before, pid_t server)
{
    const struct usage after = usage_of (server);
    const double wall = (double) (after.at - before->at);
    struct cores cores = {
        .server = (double) (after.server - before->server) / wall,
        .client = (double) (after.client - before->client) / wall,
    };
    cores.others = (double) (after.machine - before->machine) / wall - cores.server - cores.client;
    if (cores.others < 0)
        cores.others = 0; /* by rounding */
    return cores;
}

void settle (pid_t process)
{
    int64_t used = time_of_process (process);
    int64_t since = now ();
    const int64_t end = since + 10000000;
    while (now () < end && now () - since < 200000) {
        connections_turn (20000);
        const int64_t uses = time_of_process (process);
        if (uses != used) {
            used = uses;
            since = now ();
        }
    }
}
