// with: Sources/CHTTPShim/addresses.c Sources/CHTTPShim/clock.c
/* Connections of addresses are counted as a plain list would count them. Each byte is one connection that comes or goes. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

#define LIMIT 3
#define KINDS 64

static void expect (bool holds)
{
    if (!holds)
        abort ();
}

/* Of 64 addresses some share a network of 64 bits, one is loopback and one a trusted proxy's. */
static void make (unsigned kind, unsigned char address[HTTP_ADDRESS_SIZE])
{
    memset (address, 0, HTTP_ADDRESS_SIZE);
    if (kind < 32) {
        address[10] = address[11] = 0xff;
        address[12] = 31 == kind ? 127 : 10;
        address[15] = (unsigned char) kind;
    } else {
        address[0] = 0x20;
        address[7] = (unsigned char) (kind / 2);
        address[15] = (unsigned char) kind;
    }
}

static unsigned counted_as (unsigned kind)
{
    return kind < 32 ? kind : kind & ~1u;
}

static bool is_exempt (unsigned kind)
{
    return 31 == kind || 30 == kind;
}

int LLVMFuzzerTestOneInput (const unsigned char *data, size_t size)
{
    unsigned char address[HTTP_ADDRESS_SIZE];
    struct http_network trusted = { .bits = 128 };
    make (30, trusted.address);
    /* Few places, so that they collide. */
    const struct http_limits limits
        = { .connections = 40, .connections_per_address = LIMIT, .trusted = &trusted, .trusted_count = 1 };
    struct addresses *const addresses = addresses_create (&limits);
    unsigned counts[KINDS] = { 0 }, all = 0;
    for (size_t i = 0; NULL != addresses && i < size; i++) {
        const unsigned kind = data[i] % KINDS, counted = counted_as (kind);
        make (kind, address);
        if (data[i] < 128 && all < limits.connections) {
            const bool fits = is_exempt (kind) || counts[counted] < LIMIT;
            expect (fits == addresses_add (addresses, address));
            counts[counted] += fits;
            all += fits;
        } else if (counts[counted] > 0) {
            addresses_remove (addresses, address);
            counts[counted] -= 1;
            all -= 1;
        }
    }
    addresses_free (addresses);
    return 0;
}
