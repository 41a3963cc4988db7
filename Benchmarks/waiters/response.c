/* Reads an HTTP/1.1 response as its bytes come. It trusts the server as far as a load generator may. */
#include "waiters.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool line_take (struct line *line, const char **bytes, size_t *length)
{
    if (line->is_whole) {
        line->is_whole = false;
        line->length = 0;
    }
    const char *const end = memchr (*bytes, '\n', *length);
    const size_t more = NULL == end ? *length : (size_t) (end - *bytes);
    if (line->length < LINE_ROOM) {
        const size_t room = LINE_ROOM - line->length;
        memcpy (line->text + line->length, *bytes, more < room ? more : room);
    }
    line->length += more;
    line->is_whole = NULL != end;
    const size_t taken = more + (line->is_whole ? 1 : 0);
    *bytes += taken;
    *length -= taken;
    if (!line->is_whole)
        return false;
    size_t kept = line->length < LINE_ROOM ? line->length : LINE_ROOM;
    if (kept > 0 && '\r' == line->text[kept - 1])
        kept--;
    line->text[kept] = '\0';
    return true;
}

const char *line_end (struct line *line)
{
    const char *end = "\n";
    size_t length = 1;
    (void) line_take (line, &end, &length);
    return line->text;
}

static const char *field (const char *line, const char *name)
{
    const size_t length = strlen (name);
    return 0 == strncasecmp (line, name, length) ? line + length : NULL;
}

static void take_field (struct response *response, const char *line)
{
    const char *value;
    if (NULL != (value = field (line, "Content-Length: ")))
        response->left = strtoull (value, NULL, 10);
    else if (NULL != (value = field (line, "Transfer-Encoding: ")))
        response->is_chunked = 0 == strcasecmp (value, "chunked");
    else if (NULL != (value = field (line, "ETag: ")))
        strncpy (response->etag, value, sizeof response->etag - 1);
}

/* The next response of the connection begins with nothing of this one. */
static void end (struct connection *connection)
{
    connection->response.phase = HEAD;
    connection->done (connection);
    connection->response.has_status = false;
    connection->response.is_chunked = false;
    connection->response.left = 0;
    memset (connection->response.etag, 0, sizeof connection->response.etag);
}

static void take_line (struct connection *connection)
{
    struct response *const response = &connection->response;
    const char *const text = response->line.text;
    switch (response->phase) {
    case HEAD:
        if ('\0' == *text) {
            response->phase = response->is_chunked ? CHUNK_SIZE : BODY;
            if (!response->is_chunked && 0 == response->left)
                end (connection);
        } else if (response->has_status) {
            take_field (response, text);
        } else if (0 == strncmp (text, "HTTP/1.1 2", 10)) {
            response->has_status = true;
        } else {
            die ("the server answers %s", text);
        }
        return;
    case CHUNK_SIZE:
        response->left = strtoull (text, NULL, 16);
        response->phase = 0 == response->left ? TRAILER : CHUNK;
        return;
    case CHUNK_END: response->phase = CHUNK_SIZE; return;
    case TRAILER:
        if ('\0' == *text)
            end (connection);
        return;
    case BODY:
    case CHUNK: return;
    }
}

static void take_body (struct connection *connection, const char **bytes, size_t *length)
{
    struct response *const response = &connection->response;
    const size_t taken = *length < response->left ? *length : (size_t) response->left;
    connection->body (connection, *bytes, taken);
    *bytes += taken;
    *length -= taken;
    response->left -= taken;
    if (0 != response->left)
        return;
    if (CHUNK == response->phase)
        response->phase = CHUNK_END;
    else
        end (connection);
}

void response_take (struct connection *connection, const char *bytes, size_t length)
{
    struct response *const response = &connection->response;
    while (length > 0)
        if (BODY == response->phase || CHUNK == response->phase)
            take_body (connection, &bytes, &length);
        else if (line_take (&response->line, &bytes, &length))
            take_line (connection);
}
