/* What the two bare handlers share. */
#ifndef BARE_H
#define BARE_H

#include <microhttpd.h>

#define MOST_FIELDS 32

struct field {
    const char *name;
    const char *value;
};

/* Header fields of every answer, to be like those of the server that is compared. */
struct fields {
    struct field of[MOST_FIELDS];
    size_t count;
};

/* bare.c: an answer with these fields; the bytes are copied. NULL for want of memory. */
struct MHD_Response *respond (const struct fields *fields, const void *bytes, size_t length);

/* changing.c: a text that POST /change replaces. GET /stream tells of each new one, GET /park?since=CURSOR waits for
 * it. Every other path is 200 at once. */
struct changing;

/* The JSON that tells of a change is made up to `bytes`. NULL for want of memory; never freed, as the process ends with
 * requests that wait. */
struct changing *changing_create (const struct fields *fields, size_t bytes);

/* An MHD_AccessHandlerCallback and its MHD_RequestCompletedCallback. The context of both is a struct changing. */
enum MHD_Result changing_handle (void *context, struct MHD_Connection *connection, const char *url, const char *method,
                                 const char *version, const char *bytes, size_t *length, void **state);
void changing_complete (void *context, struct MHD_Connection *connection, void **state,
                        enum MHD_RequestTerminationCode code);

#endif
