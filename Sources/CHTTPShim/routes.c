/* The route table: compiled once, then read by every event loop without a lock or an allocation. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

struct route {
    int32_t number;
    char *method, *path; /* the path without the names of its parameters: "/orders/{}" */
};

struct route_table {
    struct route *routes; /* sorted, so that a literal segment comes before a parameter: '{' is above all letters */
    size_t count;
    int32_t rest; /* the route of GET where no template matches, or -1 */
};

/* Drops the names of parameters in place. False if the template is malformed. */
static bool normalize (char *path) {
    size_t parameters = 0;
    char *to = path;
    if ('/' != *path || NULL != strstr (path, "//") || NULL != strpbrk (path, "*%?"))
        return false;
    for (const char *from = path; '\0' != *from;) {
        if ('{' != *from) {
            *to++ = *from++;
            continue;
        }
        const char *const close = strchr (from, '}');
        if ('/' != from[-1] || NULL == close || close == from + 1 || ('/' != close[1] && '\0' != close[1])
            || ++parameters > HTTP_MAX_PARAMETERS)
            return false;
        *to++ = '{';
        *to++ = '}';
        from = close + 1;
    }
    *to = '\0';
    return true;
}

static int compare (const void *left, const void *right) {
    const struct route *const a = left, *const b = right;
    const int order = strcmp (a->path, b->path);
    return 0 != order ? order : strcmp (a->method, b->method);
}

void routes_free (struct route_table *table) {
    for (size_t i = 0; NULL != table && i < table->count; i++) {
        free (table->routes[i].method);
        free (table->routes[i].path);
    }
    free (NULL == table ? NULL : table->routes);
    free (table);
}

/* Copies the routes and sorts them. NULL without memory, or if a route is malformed or stands twice. */
struct route_table *routes_compile (const struct http_route *routes, size_t count, bool *is_malformed) {
    struct route_table *const table = calloc (1, sizeof *table);
    struct route *const copies = calloc (count + 1, sizeof *copies);
    bool is_whole = NULL != table && NULL != copies;
    *is_malformed = false;
    if (is_whole)
        *table = (struct route_table){ copies, 0, -1 };
    for (size_t i = 0; is_whole && i < count && !*is_malformed; i++) {
        if (0 == strcmp (routes[i].path, "/*") && 0 == strcmp (routes[i].method, "GET") && table->rest < 0) {
            table->rest = (int32_t) i;
            continue;
        }
        struct route *const route = &copies[table->count++];
        *route = (struct route){ (int32_t) i, strdup (routes[i].method), strdup (routes[i].path) };
        is_whole = NULL != route->method && NULL != route->path;
        *is_malformed = is_whole && (!strict_is_token (route->method, strlen (route->method)) || !normalize (route->path));
    }
    if (is_whole)
        qsort (copies, table->count, sizeof *copies, &compare);
    for (size_t i = 1; is_whole && i < table->count; i++)
        *is_malformed = *is_malformed || 0 == compare (&copies[i - 1], &copies[i]);
    if (is_whole && !*is_malformed)
        return table;
    if (NULL == table)
        free (copies);
    routes_free (table);
    return NULL;
}

/* Whether a path is one of a template's. Takes the parameters as they were sent. */
static bool matches (const char *template, struct http_text path, struct http_text *parameters) {
    const char *at = path.bytes;
    const char *const end = at + path.length;
    while ('\0' != *template) {
        if ('{' == *template) {
            const char *const slash = memchr (at, '/', (size_t) (end - at));
            const char *const stop = NULL == slash ? end : slash;
            if (at == stop)
                return false;
            *parameters++ = (struct http_text){ at, (size_t) (stop - at) };
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

/* Refuses a request: its path has no route, or only routes of other methods. */
static void refuse (const struct route_table *table, struct http_request *request) {
    for (size_t i = 0; i < table->count; i++) {
        struct http_text parameters[HTTP_MAX_PARAMETERS];
        if (!matches (table->routes[i].path, request->path, parameters))
            continue;
        allow (request->allow, table->routes[i].method);
        if (0 == strcmp (table->routes[i].method, "GET"))
            allow (request->allow, "HEAD");
    }
    request->refusal = '\0' == request->allow[0] ? HTTP_REFUSAL_NOT_FOUND : HTTP_REFUSAL_METHOD_NOT_ALLOWED;
}

static bool find (const struct route_table *table, const char *method, struct http_request *request) {
    for (size_t i = 0; i < table->count; i++)
        if (0 == strcmp (table->routes[i].method, method)
            && matches (table->routes[i].path, request->path, request->parameters)) {
            request->route = table->routes[i].number;
            return true;
        }
    return false;
}

/* Finds the route of a request, or refuses it. A GET serves HEAD, too, unless the path has a HEAD of its own. */
void routes_find (const struct route_table *table, struct http_request *request) {
    if (find (table, request->method, request) || (request->is_head && find (table, "GET", request)))
        return;
    refuse (table, request);
    if (HTTP_REFUSAL_NOT_FOUND != request->refusal || table->rest < 0
        || (!request->is_head && 0 != strcmp (request->method, "GET")))
        return;
    request->refusal = HTTP_REFUSAL_NONE;
    request->route = table->rest;
}
