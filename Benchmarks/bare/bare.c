/* The yardstick: what libmicrohttpd does with nothing above it. Answers every request, whatever its method and path, with
 * the bytes of a file and the header fields it is given. The response is built anew for each request, as it has to be
 * where answers differ; nothing is looked up, logged, locked or watched.
 *
 * bare PORT THREADS POOL_BYTES BODY_FILE ["Name: value" …]
 */
#include <microhttpd.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FIELDS 32
#define MOST_BODY (1024 * 1024)

struct field {
    const char *name;
    const char *value;
};

struct answer {
    struct field fields[MOST_FIELDS];
    size_t count;
    char *body;
    size_t length;
};

static struct MHD_Response *respond (const struct answer *answer)
{
#if MHD_VERSION >= 0x00097701
    struct MHD_Response *const response = MHD_create_response_from_buffer_copy (answer->length, answer->body);
#else
    struct MHD_Response *const response
        = MHD_create_response_from_buffer (answer->length, answer->body, MHD_RESPMEM_MUST_COPY);
#endif
    for (size_t i = 0; NULL != response && i < answer->count; i++)
        if (MHD_YES != MHD_add_response_header (response, answer->fields[i].name, answer->fields[i].value)) {
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
    struct MHD_Response *const response = respond (context);
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

static int read_fields (int count, char **texts, struct answer *answer)
{
    if (count > MOST_FIELDS)
        return 0;
    for (int i = 0; i < count; i++) {
        char *const colon = strstr (texts[i], ": ");
        if (NULL == colon)
            return 0;
        *colon = '\0';
        answer->fields[answer->count++] = (struct field){ texts[i], colon + 2 };
    }
    return 1;
}

int main (int argc, char **argv)
{
    static struct answer answer;
    if (argc < 5 || !read_body (argv[4], &answer) || !read_fields (argc - 5, argv + 5, &answer)) {
        fprintf (stderr, "usage: bare PORT THREADS POOL_BYTES BODY_FILE [\"Name: value\" …]\n");
        return 64;
    }
    const unsigned threads = (unsigned) strtoul (argv[2], NULL, 10);
    struct MHD_OptionItem pool[] = {
        { threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, (intptr_t) threads, NULL },
        { MHD_OPTION_END, 0, NULL },
    };
    sigset_t ends;
    int received;
    (void) sigemptyset (&ends);
    (void) sigaddset (&ends, SIGTERM);
    (void) sigaddset (&ends, SIGINT);
    (void) pthread_sigmask (SIG_BLOCK, &ends, NULL);
    struct MHD_Daemon *const daemon = MHD_start_daemon (
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC, (uint16_t) strtoul (argv[1], NULL, 10), NULL, NULL, &handle, &answer,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t) strtoul (argv[3], NULL, 10), MHD_OPTION_CONNECTION_TIMEOUT, 30u,
        MHD_OPTION_ARRAY, pool, MHD_OPTION_END);
    if (NULL == daemon) {
        fprintf (stderr, "bare: cannot listen on port %s\n", argv[1]);
        return 1;
    }
    (void) sigwait (&ends, &received);
    MHD_stop_daemon (daemon);
    free (answer.body);
    return 0;
}
