/* The route table: compiled once, then read by every event loop without a lock or an allocation. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/* Most methods one path may have. */
#define METHODS 8

struct segment {
    const char *text;
    uint16_t length;
    bool is_parameter;
};

struct pattern {
    size_t count;
    struct segment segments[HTTP_MAX_SEGMENTS];
    size_t methods;
    const char *method[METHODS];
    int32_t route[METHODS];
};

struct route_table {
    struct pattern *patterns; /* the more specific first */
    size_t count;
    char *text;      /* what the patterns point into */
    int32_t of_rest; /* what GET is where no pattern matches, or -1 */
};

/* Splits "/a/{b}", or "/a/", in place. False where it is malformed. */
static bool split_template (const char *template, struct pattern *pattern)
{
    size_t parameters = 0;
    memset (pattern, 0, sizeof *pattern);
    if ('/' != template[0])
        return false;
    if ('\0' == template[1])
        return true;
    for (const char *start = template + 1;;) {
        const size_t length = strcspn (start, "/");
        const bool is_last = '\0' == start[length];
        if ((0 == length && !is_last) || length > UINT16_MAX || pattern->count == HTTP_MAX_SEGMENTS)
            return false;
        struct segment *const segment = &pattern->segments[pattern->count++];
        segment->text = start;
        segment->length = (uint16_t) length;
        segment->is_parameter = '{' == start[0] && length > 2 && '}' == start[length - 1];
        if (segment->is_parameter && ++parameters > HTTP_MAX_PARAMETERS)
            return false;
        if (!segment->is_parameter && NULL != memchr (start, '{', length))
            return false;
        if (is_last)
            return true;
        start += length + 1;
    }
}

static bool segments_equal (const struct segment *a, const struct segment *b)
{
    if (a->is_parameter || b->is_parameter)
        return a->is_parameter && b->is_parameter;
    return a->length == b->length && 0 == memcmp (a->text, b->text, a->length);
}

static bool patterns_equal (const struct pattern *a, const struct pattern *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (!segments_equal (&a->segments[i], &b->segments[i]))
            return false;
    return true;
}

/* Orders by the first segment in which one is literal and the other is not: the literal comes first. */
static int compare_patterns (const void *left, const void *right)
{
    const struct pattern *const a = left;
    const struct pattern *const b = right;
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (size_t i = 0; i < a->count; i++)
        if (a->segments[i].is_parameter != b->segments[i].is_parameter)
            return a->segments[i].is_parameter ? 1 : -1;
    return 0;
}

static bool add_method (struct pattern *pattern, const char *method, int32_t route)
{
    if (pattern->methods == METHODS || '\0' == method[0])
        return false;
    for (size_t i = 0; i < pattern->methods; i++)
        if (0 == strcmp (pattern->method[i], method))
            return false;
    pattern->method[pattern->methods] = method;
    pattern->route[pattern->methods] = route;
    pattern->methods += 1;
    return true;
}

static bool add_route (struct route_table *table, const char *method, const char *path, int32_t route)
{
    struct pattern pattern;
    if (0 == strcmp (path, "/*")) {
        const bool is_first = table->of_rest < 0 && 0 == strcmp (method, "GET");
        table->of_rest = route;
        return is_first;
    }
    if (!split_template (path, &pattern))
        return false;
    for (size_t i = 0; i < table->count; i++)
        if (patterns_equal (&table->patterns[i], &pattern))
            return add_method (&table->patterns[i], method, route);
    table->patterns[table->count] = pattern;
    return add_method (&table->patterns[table->count++], method, route);
}

struct route_table *routes_compile (const struct http_route *routes, size_t count, bool *malformed)
{
    size_t size = 1;
    *malformed = false;
    for (size_t i = 0; i < count; i++)
        size += strlen (routes[i].method) + strlen (routes[i].path) + 2;
    struct route_table *const table = calloc (1, sizeof *table);
    if (NULL == table)
        return NULL;
    table->of_rest = -1;
    table->text = malloc (size);
    table->patterns = calloc (count + 1, sizeof *table->patterns);
    bool valid = NULL != table->text && NULL != table->patterns && count < INT32_MAX;
    char *end = table->text;
    for (size_t i = 0; i < count && valid; i++) {
        const char *const method = strcpy (end, routes[i].method);
        end += strlen (method) + 1;
        const char *const path = strcpy (end, routes[i].path);
        end += strlen (path) + 1;
        valid = add_route (table, method, path, (int32_t) i);
        *malformed = !valid;
    }
    if (!valid) {
        routes_free (table);
        return NULL;
    }
    qsort (table->patterns, table->count, sizeof *table->patterns, &compare_patterns);
    return table;
}

void routes_free (struct route_table *table)
{
    if (NULL == table)
        return;
    free (table->patterns);
    free (table->text);
    free (table);
}

/* Decodes the segment at `from` into the request's text. NUL is refused with the malformed: no name contains one, and
 * what reads a name may stop at it. */
static bool decode (struct request *request, struct span *segment)
{
    const struct span raw = *segment;
    const uint32_t start = request->text_length;
    for (uint16_t i = 0; i < raw.length; i++) {
        char c = request->text[raw.offset + i];
        if ('%' == c) {
            if (i + 2 >= raw.length)
                return false;
            const int high = syntax_hex_value (request->text[raw.offset + i + 1]);
            const int low = syntax_hex_value (request->text[raw.offset + i + 2]);
            if (high < 0 || low < 0 || 0 == high + low)
                return false;
            c = (char) (high * 16 + low);
            i = (uint16_t) (i + 2);
        }
        (void) request_append (request, &c, 1);
    }
    segment->offset = (uint16_t) start;
    segment->length = (uint16_t) (request->text_length - start);
    return true;
}

/* Splits the request's path into decoded segments; -2 where it is malformed, -1 where no template is that long. */
static int split_path (struct request *request, struct span segments[HTTP_MAX_SEGMENTS])
{
    const char *const path = request->text + request->path.offset;
    const size_t length = request->path.length;
    if (0 == length || '/' != path[0])
        return -1;
    if (1 == length)
        return 0;
    int count = 0;
    bool encoded = false;
    uint16_t start = 1;
    for (uint16_t i = 1; i <= length; i++) {
        if (i < length && '/' != path[i]) {
            encoded = encoded || '%' == path[i];
            continue;
        }
        if (HTTP_MAX_SEGMENTS == count)
            return -1;
        segments[count].offset = (uint16_t) (request->path.offset + start);
        segments[count].length = (uint16_t) (i - start);
        if (encoded && !decode (request, &segments[count]))
            return -2;
        encoded = false;
        start = (uint16_t) (i + 1);
        count += 1;
    }
    return count;
}

static bool matches (const struct pattern *pattern, const char *text, const struct span *segments)
{
    for (size_t i = 0; i < pattern->count; i++) {
        const struct segment *const segment = &pattern->segments[i];
        if (segment->is_parameter) {
            if (0 == segments[i].length)
                return false;
        } else if (segment->length != segments[i].length
                   || 0 != memcmp (segment->text, text + segments[i].offset, segment->length)) {
            return false;
        }
    }
    return true;
}

/* Adds a method to "GET, HEAD" unless it is there. */
static void allow (char list[ALLOW_SIZE], const char *method)
{
    const size_t length = strlen (list);
    const size_t added = strlen (method);
    for (const char *found = strstr (list, method); NULL != found; found = strstr (found + 1, method))
        if ((found == list || ' ' == found[-1]) && ('\0' == found[added] || ',' == found[added]))
            return;
    if (length + added + 3 > ALLOW_SIZE)
        return;
    if (length > 0)
        memcpy (list + length, ", ", 3);
    memcpy (list + strlen (list), method, added + 1);
}

/* A HEAD is served by the GET, unless the path has a HEAD of its own. */
static int32_t find_method (const struct pattern *pattern, const char *method)
{
    int32_t get = -1;
    for (size_t i = 0; i < pattern->methods; i++) {
        if (0 == strcmp (pattern->method[i], method))
            return pattern->route[i];
        if (0 == strcmp (pattern->method[i], "GET"))
            get = pattern->route[i];
    }
    return 0 == strcmp (method, "HEAD") ? get : -1;
}

static void take_parameters (const struct pattern *pattern, const struct span *segments, struct request *request)
{
    size_t parameter = 0;
    for (size_t i = 0; i < pattern->count; i++)
        if (pattern->segments[i].is_parameter)
            request->parameters[parameter++] = segments[i];
}

/* Where nothing else is. */
static bool find_rest (const struct route_table *table, const struct request *request, struct route_match *match)
{
    if (0 == strcmp (request->method, "GET") || 0 == strcmp (request->method, "HEAD"))
        match->route = table->of_rest;
    return true;
}

bool routes_find (const struct route_table *table, struct request *request, struct route_match *match)
{
    struct span segments[HTTP_MAX_SEGMENTS];
    const int count = split_path (request, segments);
    match->route = -1;
    match->path_exists = false;
    match->allow[0] = '\0';
    if (count < 0)
        return -2 != count && find_rest (table, request, match);
    /* Where a literal path has not the method, a parameter in its place may: the first match with the method wins. */
    for (size_t i = 0; i < table->count && table->patterns[i].count <= (size_t) count; i++) {
        const struct pattern *const pattern = &table->patterns[i];
        if (pattern->count < (size_t) count || !matches (pattern, request->text, segments))
            continue;
        match->path_exists = true;
        match->route = find_method (pattern, request->method);
        if (match->route >= 0) {
            take_parameters (pattern, segments, request);
            return true;
        }
        for (size_t j = 0; j < pattern->methods; j++) {
            allow (match->allow, pattern->method[j]);
            if (0 == strcmp (pattern->method[j], "GET"))
                allow (match->allow, "HEAD");
        }
    }
    return match->path_exists || find_rest (table, request, match);
}
