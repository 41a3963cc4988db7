/* Many clients that wait, and the changes that they wait for.
 *
 * waiters PORT COUNT CHANGES RATE LAST ASK_FILE CHANGE_FILE
 *
 * Each of COUNT connections sends the request of ASK_FILE, which a long-poll or a stream answers. When all of them wait, it
 * prints "waiting", and reads a line from its input. Then it sends the request of CHANGE_FILE so many times, RATE times a
 * second; "000000000" in it becomes the number of the change. The server counts changes from LAST, and tells of the one with
 * the number N by "value":"N". Prints the microseconds from the sending of a change to its arrival at a client: the median, the
 * 99th percentile and the longest. A change that another one overtook arrives with it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define REQUEST_ROOM 4096
#define MARK "\"value\":\""
#define PATIENCE 60000000 /* microseconds without news until this program gives up */
#define QUIET 500000      /* microseconds without news until all clients are taken to wait */

struct client {
    int descriptor;
    unsigned long seen; /* changes that have arrived */
};

static int loop;
static struct client *clients;
static unsigned long count, changes, last;
static size_t behind; /* clients that have not seen the last change */
static int64_t *sent; /* when each change was sent */
static uint32_t *times;
static size_t time_count;

_Noreturn static void die (const char *what)
{
    (void) fprintf (stderr, "waiters: %s: %s\n", what, strerror (errno));
    exit (1);
}

static int64_t now (void)
{
    struct timespec time;
    (void) clock_gettime (CLOCK_MONOTONIC, &time);
    return (int64_t) time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

/* Returns the length of the file's text. */
static size_t read_text (const char *path, char *text)
{
    FILE *const file = fopen (path, "rb");
    if (NULL == file)
        die (path);
    const size_t length = fread (text, 1, REQUEST_ROOM - 1, file);
    (void) fclose (file);
    text[length] = '\0';
    return length;
}

static void ask (int descriptor, const char *text, size_t length)
{
    if (send (descriptor, text, length, MSG_NOSIGNAL) != (ssize_t) length)
        die ("send");
}

static int open_connection (uint16_t port, struct client *owner)
{
    const struct sockaddr_in address
        = { .sin_family = AF_INET, .sin_port = htons (port), .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = owner };
    const int yes = 1;
    const int descriptor = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0 || connect (descriptor, (const struct sockaddr *) &address, sizeof address) < 0
        || setsockopt (descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) < 0
        || fcntl (descriptor, F_SETFL, O_NONBLOCK) < 0 || epoll_ctl (loop, EPOLL_CTL_ADD, descriptor, &event) < 0)
        die ("connect");
    owner->descriptor = descriptor;
    return descriptor;
}

/* Notes which changes the bytes tell of. */
static void take (struct client *client, const char *bytes, int64_t time)
{
    const char *mark = NULL;
    for (const char *next = bytes; NULL != (next = strstr (next, MARK)); next += sizeof MARK - 1)
        mark = next + sizeof MARK - 1;
    const unsigned long value = NULL == mark ? 0 : strtoul (mark, NULL, 10);
    if (value <= last || value > last + changes)
        return;
    for (; client->seen < value - last; client->seen++)
        if (0 != sent[client->seen])
            times[time_count++] = (uint32_t) (time - sent[client->seen]);
    if (value == last + changes)
        behind--;
}

/* Reads what has come within a time; returns whether anything has. */
static int turn (int64_t patience)
{
    static char bytes[65536];
    struct epoll_event events[256];
    const int ready = epoll_wait (loop, events, 256, (int) (patience / 1000));
    const int64_t time = now ();
    for (int i = 0; i < ready; i++) {
        struct client *const client = events[i].data.ptr;
        const ssize_t length = recv (client->descriptor, bytes, sizeof bytes - 1, 0);
        if (length < 0 && EAGAIN == errno)
            continue;
        if (length <= 0)
            die ("the server closed a connection");
        bytes[length] = '\0';
        if (client != clients + count && client->seen < changes)
            take (client, bytes, time);
    }
    return ready > 0;
}

static int compare (const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *) a, right = *(const uint32_t *) b;
    return (left > right) - (left < right);
}

int main (int argc, char **argv)
{
    char request[REQUEST_ROOM], line[16];
    struct rlimit descriptors;
    if (argc != 8)
        return 64;
    const uint16_t port = (uint16_t) atoi (argv[1]);
    count = strtoul (argv[2], NULL, 10);
    changes = strtoul (argv[3], NULL, 10);
    const int64_t pause = 1000000 / atoi (argv[4]);
    last = strtoul (argv[5], NULL, 10);
    if (0 == getrlimit (RLIMIT_NOFILE, &descriptors)) {
        descriptors.rlim_cur = descriptors.rlim_max;
        (void) setrlimit (RLIMIT_NOFILE, &descriptors);
    }
    loop = epoll_create1 (EPOLL_CLOEXEC);
    clients = calloc (count + 1, sizeof *clients);
    sent = calloc (changes, sizeof *sent);
    times = calloc (count * changes, sizeof *times);
    if (loop < 0 || NULL == clients || NULL == sent || NULL == times)
        die ("memory");
    size_t length = read_text (argv[6], request);
    for (unsigned long i = 0; i < count; i++)
        ask (open_connection (port, clients + i), request, length);
    const int changer = open_connection (port, clients + count);
    while (turn (QUIET))
        ;
    (void) puts ("waiting");
    (void) fflush (stdout);
    if (NULL == fgets (line, sizeof line, stdin))
        return 1;
    length = read_text (argv[7], request);
    char *const place = strstr (request, "000000000");
    behind = count;
    const int64_t start = now ();
    for (unsigned long i = 0; i < changes; i++) {
        for (int64_t left; (left = start + (int64_t) i * pause - now ()) > 0;)
            (void) turn (left + 999);
        if (NULL != place) {
            (void) snprintf (line, sizeof line, "%09lu", last + i + 1);
            memcpy (place, line, 9);
        }
        sent[i] = now ();
        ask (changer, request, length);
    }
    while (0 != behind)
        if (!turn (PATIENCE)) {
            (void) fprintf (stderr, "waiters: %zu of %lu clients were not told of the last change\n", behind, count);
            return 1;
        }
    qsort (times, time_count, sizeof *times, &compare);
    (void) printf ("%u %u %u\n", times[time_count / 2], times[time_count * 99 / 100], times[time_count - 1]);
    return 0;
}
