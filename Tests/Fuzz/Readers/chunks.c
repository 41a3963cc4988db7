// with: Sources/CHTTPShim/body.c Sources/CHTTPShim/syntax.c
// seed: 5;a=b
// seed: 0;a="\"b"
/* A body is the same however it comes in pieces, takes no more than is its own, and stays within its bounds. The first
 * byte says where it is cut, and whether it has chunks or a length. */
#include "readers.h"

#include <stdlib.h>
#include <string.h>

static const struct body_limits limits = { .bytes = 100, .trailers = 60 };

static void expect (bool holds)
{
    if (!holds)
        abort ();
}

static void begin (struct body *body, unsigned char how)
{
    memset (body, 0, sizeof *body);
    if (0 != (how & 1))
        body_expect_length (body, how >> 1);
    else
        body_expect_chunks (body);
}

/* Reads in pieces of so many bytes. */
static enum body_progress read_by (struct body *body, size_t step, const char *bytes, size_t length, size_t *used)
{
    enum body_progress progress = BODY_MORE;
    *used = 0;
    while (BODY_MORE == progress && *used < length) {
        const size_t piece = length - *used < step ? length - *used : step;
        size_t taken = 0;
        /* A copy that ends where the piece does, so that the sanitizer sees what is read beyond it. */
        char *const copy = malloc (piece);
        memcpy (copy, bytes + *used, piece);
        progress = body_read (body, &limits, copy, piece, &taken);
        free (copy);
        expect (taken <= piece);
        expect (BODY_MORE != progress || taken == piece);
        *used += taken;
    }
    return progress;
}

int LLVMFuzzerTestOneInput (const char *data, size_t size)
{
    struct body whole, cut;
    size_t used = 0, used_cut = 0;
    if (size < 2)
        return 0;
    const unsigned char how = (unsigned char) data[0];
    begin (&whole, how);
    begin (&cut, how);
    const enum body_progress one = read_by (&whole, size, data + 1, size - 1, &used);
    const enum body_progress other = read_by (&cut, 1 + (size_t) (how >> 5), data + 1, size - 1, &used_cut);
    expect (one == other);
    if (BODY_WHOLE == one || BODY_MORE == one) {
        expect (used == used_cut);
        expect (whole.length == cut.length && whole.length <= limits.bytes);
        expect (0 == whole.length || 0 == memcmp (whole.bytes, cut.bytes, whole.length));
    }
    expect (BODY_WHOLE != one || 0 == (how & 1) || whole.length == (size_t) (how >> 1));
    body_free (&whole);
    body_free (&cut);
    return 0;
}
