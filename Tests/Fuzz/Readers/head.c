// with: Sources/CHTTPShim/head.c Sources/CHTTPShim/syntax.c
// seed: GET /a%20b?c=d HTTP/1.1
// seed: POST http://a:80/ HTTP/1.1
// seed: Host: [::1]:8080
// seed: Transfer-Encoding: chunked
/* A head is the same however it comes in pieces, what is taken of it lies within it, and nothing in a head that is taken
 * could end a line for another reader. */
#include "readers.h"

#include <stdlib.h>
#include <string.h>

static void expect (bool holds)
{
    if (!holds)
        abort ();
}

static void expect_within (struct span span, size_t length)
{
    expect (NO_SPAN == span.offset || (size_t) span.offset + span.length <= length);
}

/* Every line ends in CRLF, and no other byte of the head is a control byte but the tab. */
static void expect_sound (const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char) bytes[i];
        expect (c >= 0x20 || '\t' == c || '\r' == c || '\n' == c);
        expect (0x7f != c);
        expect ('\n' != c || (i > 0 && '\r' == bytes[i - 1]));
        expect ('\r' != c || (i + 1 < length && '\n' == bytes[i + 1]));
        expect ((' ' != c && '\t' != c) || (i > 0 && '\n' != bytes[i - 1]));
    }
}

/* What the fuzzer writes as one line each is lines of a head: so it need not learn what CRLF is first. */
static size_t as_lines (const char *data, size_t size, char *bytes)
{
    size_t length = 0;
    for (size_t i = 0; i < size; i++) {
        if ('\n' == data[i] && (0 == i || '\r' != data[i - 1]))
            bytes[length++] = '\r';
        bytes[length++] = data[i];
    }
    memcpy (bytes + length, "\r\n\r\n", 4);
    return length + 4;
}

int LLVMFuzzerTestOneInput (const char *data, size_t size)
{
    struct head head;
    size_t whole = 0, piecewise = 0, seen = 0;
    if (size > 4096)
        return 0;
    char *const bytes = malloc (2 * size + 4);
    const size_t length = as_lines (data, size, bytes);
    const enum head_end end = head_find_end (bytes, length, 0, &whole);
    enum head_end last = HEAD_PARTIAL;
    for (size_t i = 1; i <= length && HEAD_PARTIAL == last; i++) {
        last = head_find_end (bytes, i, seen, &piecewise);
        seen = piecewise;
    }
    expect (last == end);
    expect (HEAD_WHOLE != end || piecewise == whole);
    if (HEAD_WHOLE == end && HTTP_REFUSAL_NONE == head_read (bytes, whole, 2048, &head)) {
        expect_sound (bytes, whole);
        expect (syntax_is_token (bytes + head.method.offset, head.method.length));
        expect_within (head.path, whole);
        expect_within (head.query, whole);
        for (size_t i = 0; i < HTTP_FIELD_COUNT; i++) {
            expect_within (head.fields[i], whole);
            if (NO_SPAN != head.fields[i].offset)
                expect (syntax_is_value (bytes + head.fields[i].offset, head.fields[i].length));
        }
        expect (!head.has_length || !head.chunked);
        expect (1 == head.minor || !head.chunked);
        expect (NO_SPAN != head.fields[HTTP_FIELD_HOST].offset || 0 == head.minor);
    }
    free (bytes);
    return 0;
}
