/* The route table: sorted once, then read by every event loop without a lock or an allocation. */
#include "internal.h"

struct route {
    int32_t number;
    char *method, *path;
};

struct route_table {
    size_t count;
    int32_t rest;          /* the route of GET where no template matches, or -1 */
    struct route routes[]; /* a literal segment comes before a parameter: '{' is above all letters */
};

static int compare (const void *left, const void *right) {
    return strcmp (((const struct route *) left)->path, ((const struct route *) right)->path);
}

void routes_free (struct route_table *table) {
    for (size_t i = 0; i < table->count; i++) {
        free (table->routes[i].method);
        free (table->routes[i].path);
    }
    free (table);
}

static char *copy (const char *text) {
    const size_t length = strlen (text) + 1;
    return memcpy (allocate (NULL, length), text, length);
}

/* Copies the routes and sorts them. */
struct route_table *routes_compile (const struct http_route *routes, size_t count) {
    struct route_table *const table = allocate (NULL, sizeof *table + count * sizeof table->routes[0]);
    *table = (struct route_table){ .count = 0, .rest = -1 };
    for (size_t i = 0; i < count; i++)
        if (0 == strcmp (routes[i].path, "/*"))
            table->rest = (int32_t) i;
        else
            table->routes[table->count++] = (struct route){ (int32_t) i, copy (routes[i].method), copy (routes[i].path) };
    qsort (table->routes, table->count, sizeof table->routes[0], &compare);
    return table;
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

static bool find (const struct route_table *table, const char *method, struct http_request *request) {
    for (size_t i = 0; i < table->count && request->route < 0; i++)
        if (0 == strcmp (table->routes[i].method, method)
            && matches (table->routes[i].path, request->path, request->parameters))
            request->route = table->routes[i].number;
    return request->route >= 0;
}

/* Finds the route of a request, or refuses it. */
void routes_find (const struct route_table *table, struct http_request *request) {
    if (find (table, request->method, request) || (request->is_head && find (table, "GET", request)))
        return;
    for (size_t i = 0; i < table->count; i++)
        if (matches (table->routes[i].path, request->path, request->parameters)) {
            allow (request->allow, table->routes[i].method);
            if (0 == strcmp (table->routes[i].method, "GET"))
                allow (request->allow, "HEAD");
        }
    if ('\0' != request->allow[0])
        request->refusal = HTTP_REFUSAL_METHOD_NOT_ALLOWED;
    else if (table->rest >= 0 && (request->is_head || 0 == strcmp (request->method, "GET")))
        request->route = table->rest;
    else
        request->refusal = HTTP_REFUSAL_NOT_FOUND;
}
