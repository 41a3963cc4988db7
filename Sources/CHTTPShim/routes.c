/* Finds the route of a request: read by every event loop without a lock or an allocation. */
#include "internal.h"

/* Whether a path is one of a template's. */
static bool matches (const char *template, struct http_text path) {
    const char *at = path.bytes;
    const char *const end = at + path.length;
    while ('\0' != *template) {
        if ('{' == *template) {
            const char *const slash = memchr (at, '/', (size_t) (end - at));
            const char *const stop = NULL == slash ? end : slash;
            if (at == stop)
                return false;
            at = stop;
            template += 2;
        } else if (at == end || *at++ != *template++) {
            return false;
        }
    }
    return at == end;
}

/* Adds a method to "GET, HEAD" unless it is there. No method that is in use is a part of another one. */
static void allow (char list[HTTP_ALLOW_SIZE], const char *method) {
    if (NULL == strstr (list, method) && strlen (list) + strlen (method) + 3 <= HTTP_ALLOW_SIZE)
        (void) strcat (strcat (list, '\0' == *list ? "" : ", "), method);
}

static bool find (const struct http_server *server, const char *method, struct http_request *request) {
    for (size_t i = 0; i < server->route_count && request->route < 0; i++)
        if (matches (server->routes[i].path, request->path)
            && 0 == strcmp (server->routes[i].method, method))
            request->route = (int32_t) i;
    return request->route >= 0;
}

/* Finds the route of a request, or refuses it. */
void routes_find (const struct http_server *server, struct http_request *request) {
    int32_t rest = -1;
    if (find (server, request->method, request) || (request->is_head && find (server, "GET", request)))
        return;
    for (size_t i = 0; i < server->route_count; i++) {
        if (0 == strcmp (server->routes[i].path, "/*"))
            rest = (int32_t) i;
        if (!matches (server->routes[i].path, request->path))
            continue;
        allow (request->allow, server->routes[i].method);
        if (0 == strcmp (server->routes[i].method, "GET"))
            allow (request->allow, "HEAD");
    }
    if ('\0' != request->allow[0])
        request->refusal = MHD_HTTP_METHOD_NOT_ALLOWED;
    else if (rest >= 0 && (request->is_head || 0 == strcmp (request->method, "GET")))
        request->route = rest;
    else
        request->refusal = MHD_HTTP_NOT_FOUND;
}
