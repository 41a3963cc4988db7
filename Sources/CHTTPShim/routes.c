/* Finds the route of a request. Every event loop reads the routes, without a lock or an allocation. */
#include "internal.h"

/* Whether a path matches a template. */
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

/* Adds a method to "GET, HEAD" unless it is there. No method of a route is a part of another method. */
static void allow (char list[HTTP_ALLOW_SIZE], const char *method) {
    if (NULL == strstr (list, method) && strlen (list) + strlen (method) + 3 <= HTTP_ALLOW_SIZE)
        (void) strcat (strcat (list, '\0' == *list ? "" : ", "), method);
}

/* Finds the route of a request, or refuses it. */
void routes_find (const struct http_server *server, struct http_request *request) {
    int32_t get = -1;
    for (size_t i = 0; i < server->route_count; i++) {
        const struct route *const route = &server->routes[i];
        if (!matches (route->path, request->path))
            continue;
        if (0 == strcmp (route->method, request->method)) {
            request->route = (int32_t) i;
            return;
        }
        allow (request->allow, route->method);
        if (0 != strcmp (route->method, "GET"))
            continue;
        allow (request->allow, "HEAD");
        get = get < 0 ? (int32_t) i : get;
    }
    if (request->is_head && get >= 0)
        request->route = get;
    else if ('\0' != request->allow[0])
        request->refusal = MHD_HTTP_METHOD_NOT_ALLOWED;
    else if (server->rest >= 0 && (request->is_head || 0 == strcmp (request->method, "GET")))
        request->route = server->rest;
    else
        request->refusal = MHD_HTTP_NOT_FOUND;
}
