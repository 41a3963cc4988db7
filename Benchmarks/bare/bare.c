/* The yardstick: what libmicrohttpd does with nothing above it. Answers every request, whatever its method and path,
 * with the bytes of a file and the header fields it is given. The response is built anew for each request, as it has to
 * be where answers differ; nothing is looked up, logged, locked or watched. With --changing it is the yardstick for
 * those who wait instead (changing.c).
 *
 * bare PORT THREADS POOL_BYTES BODY_FILE ["Name: value" …]
 * bare PORT THREADS POOL_BYTES --changing BYTES ["Name: value" …]
 */
#include "bare.h"

#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MOST_BODY (1024 * 1024)
/* Descriptors that are no connections. */
#define RESERVE 64

struct answer {
    struct fields fields;
    char *body;
    size_t length;
};

struct MHD_Response *respond (const struct fields *fields, const void *bytes, size_t length)
{
#if MHD_VERSION >= 0x00097701
    struct MHD_Response *const response = MHD_create_response_from_buffer_copy (length, bytes);
#else
    struct MHD_Response *const response
        = MHD_create_response_from_buffer (length, (void *) (uintptr_t) bytes, MHD_RESPMEM_MUST_COPY);
#endif
    for (size_t i = 0; NULL != response && i < fields->count; i++)
        if (MHD_YES != MHD_add_response_header (response, fields->of[i].name, fields->of[i].value)) {
            MHD_destroy_response (response);
            return NULL;
        }
    return response;
}

static enum MHD_Result handle (void *context, struct MHD_Connection *connection, const char *url, const char *method,
                               const char *version, const char *bytes, size_t *length, void **state)
{
    (void) url;
    (void) method;
    (void) version;
    (void) bytes;
    if (NULL == *state) {
        *state = context; /* an answer given at the head would close the connection */
        return MHD_YES;
    }
    if (0 != *length) {
        *length = 0;
        return MHD_YES;
    }
    const struct answer *const answer = context;
    struct MHD_Response *const response = respond (&answer->fields, answer->body, answer->length);
    if (NULL == response)
        return MHD_NO;
    const enum MHD_Result queued = MHD_queue_response (connection, MHD_HTTP_OK, response);
    MHD_destroy_response (response);
    return queued;
}

static int read_body (const char *path, struct answer *answer)
{
    FILE *const file = fopen (path, "rb");
    if (NULL == file)
        return 0;
    answer->body = malloc (MOST_BODY);
    answer->length = NULL == answer->body ? 0 : fread (answer->body, 1, MOST_BODY, file);
    const int read = NULL != answer->body && 0 == ferror (file);
    return 0 == fclose (file) && read;
}

static int read_fields (int count, char **texts, struct fields *fields)
{
    if (count > MOST_FIELDS)
        return 0;
    for (int i = 0; i < count; i++) {
        char *const colon = strstr (texts[i], ": ");
        if (NULL == colon)
            return 0;
        *colon = '\0';
        fields->of[fields->count++] = (struct field){ texts[i], colon + 2 };
    }
    return 1;
}

/* As many connections as there may be descriptors: libmicrohttpd stops at about 1,020 by itself. */
static unsigned raise_limit (void)
{
    struct rlimit descriptors;
    if (0 != getrlimit (RLIMIT_NOFILE, &descriptors))
        return 1000;
    descriptors.rlim_cur = descriptors.rlim_max;
    if (0 != setrlimit (RLIMIT_NOFILE, &descriptors) || 0 != getrlimit (RLIMIT_NOFILE, &descriptors))
        return 1000;
    const rlim_t most = descriptors.rlim_cur > 1000000 ? 1000000 : descriptors.rlim_cur;
    return most > 2 * RESERVE ? (unsigned) most - RESERVE : RESERVE;
}

static int usage (void)
{
    fprintf (stderr, "usage: bare PORT THREADS POOL_BYTES BODY_FILE [\"Name: value\" …]\n"
                     "       bare PORT THREADS POOL_BYTES --changing BYTES [\"Name: value\" …]\n");
    return 64;
}

int main (int argc, char **argv)
{
    static struct answer answer;
    struct changing *changing = NULL;
    const int is_changing = argc > 5 && 0 == strcmp (argv[4], "--changing");
    const int first_field = is_changing ? 6 : 5;
    if (argc < first_field || !read_fields (argc - first_field, argv + first_field, &answer.fields))
        return usage ();
    if (is_changing)
        changing = changing_create (&answer.fields, (size_t) strtoul (argv[5], NULL, 10));
    if (is_changing ? NULL == changing : !read_body (argv[4], &answer))
        return usage ();
    const unsigned threads = (unsigned) strtoul (argv[2], NULL, 10);
    struct MHD_OptionItem pool[] = {
        { threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, (intptr_t) threads, NULL },
        { MHD_OPTION_END, 0, NULL },
    };
    struct MHD_OptionItem completed[] = {
        { is_changing ? MHD_OPTION_NOTIFY_COMPLETED : MHD_OPTION_END, (intptr_t) &changing_complete, changing },
        { MHD_OPTION_END, 0, NULL },
    };
    const struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons ((uint16_t) strtoul (argv[1], NULL, 10)),
        .sin_addr.s_addr = htonl (INADDR_LOOPBACK),
    };
    sigset_t ends;
    int received;
    (void) sigemptyset (&ends);
    (void) sigaddset (&ends, SIGTERM);
    (void) sigaddset (&ends, SIGINT);
    (void) pthread_sigmask (SIG_BLOCK, &ends, NULL);
    struct MHD_Daemon *const daemon = MHD_start_daemon (
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | (is_changing ? MHD_ALLOW_SUSPEND_RESUME : 0u), 0, NULL, NULL,
        is_changing ? &changing_handle : &handle, is_changing ? (void *) changing : (void *) &answer,
        MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_CONNECTION_LIMIT, raise_limit (), MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t) strtoul (argv[3], NULL, 10), MHD_OPTION_CONNECTION_TIMEOUT, 30u,
        MHD_OPTION_ARRAY, pool, MHD_OPTION_ARRAY, completed, MHD_OPTION_END);
    if (NULL == daemon) {
        fprintf (stderr, "bare: cannot listen on port %s\n", argv[1]);
        return 1;
    }
    (void) sigwait (&ends, &received);
    if (is_changing)
        _exit (0); /* stopping a daemon with anything suspended aborts the process */
    MHD_stop_daemon (daemon);
    free (answer.body);
    return 0;
}
