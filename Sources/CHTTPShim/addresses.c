/* How many connections each address has: one host must not take all the places. Counted by IPv4 address or IPv6 /64,
 * which is what one subscriber has (RFC 6177). Loopback and trusted proxies are not counted. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

struct slot {
    uint64_t high;
    uint64_t low;
    uint32_t count; /* 0: free */
};

struct addresses {
    pthread_mutex_t lock;
    unsigned limit;
    uint64_t seed; /* so that nobody knows which addresses share a slot */
    size_t trusted_count;
    struct http_network *trusted;
    size_t mask;
    struct slot slots[];
};

static bool is_mapped (const unsigned char address[HTTP_ADDRESS_SIZE])
{
    static const unsigned char prefix[12] = { [10] = 0xff, [11] = 0xff };
    return 0 == memcmp (address, prefix, sizeof prefix);
}

static struct slot key_of (const unsigned char address[HTTP_ADDRESS_SIZE])
{
    struct slot key = { 0, 0, 0 };
    memcpy (&key.high, address, 8);
    /* The high half of a mapped IPv4 address is zero, and so is that of no other address in use. */
    if (is_mapped (address))
        memcpy (&key.low, address + 8, 8);
    return key;
}

static bool is_loopback (const unsigned char address[HTTP_ADDRESS_SIZE])
{
    static const unsigned char loopback[HTTP_ADDRESS_SIZE] = { [15] = 1 };
    return is_mapped (address) ? 127 == address[12] : 0 == memcmp (address, loopback, sizeof loopback);
}

static bool is_in (const struct http_network *network, const unsigned char address[HTTP_ADDRESS_SIZE])
{
    const unsigned whole = network->bits / 8, rest = network->bits % 8;
    if (network->bits > 128 || 0 != memcmp (network->address, address, whole))
        return false;
    return 0 == rest || 0 == (network->address[whole] ^ address[whole]) >> (8 - rest);
}

static bool is_trusted (const struct addresses *addresses, const unsigned char address[HTTP_ADDRESS_SIZE])
{
    for (size_t i = 0; i < addresses->trusted_count; i++)
        if (is_in (&addresses->trusted[i], address))
            return true;
    return false;
}

static bool is_exempt (const struct addresses *addresses, const unsigned char address[HTTP_ADDRESS_SIZE])
{
    return is_loopback (address) || is_trusted (addresses, address);
}

/* Whether it is this machine's, and no proxy's on this machine: what comes from there is from anywhere. */
bool addresses_is_local (const struct addresses *addresses, const unsigned char address[HTTP_ADDRESS_SIZE])
{
    return is_loopback (address) && !is_trusted (addresses, address);
}

struct addresses *addresses_create (const struct http_limits *limits)
{
    size_t capacity = 64;
    while (capacity < 2 * (size_t) limits->connections)
        capacity *= 2;
    /* Zero pages until touched. */
    struct addresses *const addresses = calloc (1, sizeof *addresses + capacity * sizeof addresses->slots[0]);
    if (NULL == addresses)
        return NULL;
    addresses->trusted = calloc (limits->trusted_count + 1, sizeof *addresses->trusted);
    if (NULL == addresses->trusted || 0 != pthread_mutex_init (&addresses->lock, NULL)) {
        free (addresses->trusted);
        free (addresses);
        return NULL;
    }
    if (limits->trusted_count > 0)
        memcpy (addresses->trusted, limits->trusted, limits->trusted_count * sizeof *addresses->trusted);
    addresses->trusted_count = limits->trusted_count;
    addresses->limit = limits->connections_per_address;
    addresses->mask = capacity - 1;
    addresses->seed = clock_microseconds () * UINT64_C (0x9e3779b97f4a7c15) ^ (uint64_t) (uintptr_t) addresses;
    return addresses;
}

void addresses_free (struct addresses *addresses)
{
    if (NULL == addresses)
        return;
    (void) pthread_mutex_destroy (&addresses->lock);
    free (addresses->trusted);
    free (addresses);
}

static size_t place_of (const struct addresses *addresses, const struct slot *key)
{
    uint64_t hash = (key->high ^ addresses->seed) * UINT64_C (0xff51afd7ed558ccd);
    hash = (hash ^ hash >> 32 ^ key->low) * UINT64_C (0xc4ceb9fe1a85ec53);
    return (size_t) (hash ^ hash >> 29) & addresses->mask;
}

/* Under the lock: the address's slot, or the free one where it would be. There always is one: there are twice as many
 * slots as connections. */
static size_t find (const struct addresses *addresses, const struct slot *key)
{
    size_t place = place_of (addresses, key);
    while (0 != addresses->slots[place].count
           && (key->high != addresses->slots[place].high || key->low != addresses->slots[place].low))
        place = (place + 1) & addresses->mask;
    return place;
}

/* Counts a connection in; false, and not counted, where its address has as many as it may. */
bool addresses_add (struct addresses *addresses, const unsigned char address[HTTP_ADDRESS_SIZE])
{
    if (is_exempt (addresses, address))
        return true;
    const struct slot key = key_of (address);
    (void) pthread_mutex_lock (&addresses->lock);
    struct slot *const slot = &addresses->slots[find (addresses, &key)];
    const bool fits = slot->count < addresses->limit;
    if (fits)
        *slot = (struct slot){ key.high, key.low, slot->count + 1 };
    (void) pthread_mutex_unlock (&addresses->lock);
    return fits;
}

/* Under the lock: closes the gap, so that what lies behind it is still found. */
static void empty (struct addresses *addresses, size_t gap)
{
    addresses->slots[gap].count = 0;
    for (size_t next = (gap + 1) & addresses->mask; 0 != addresses->slots[next].count;
         next = (next + 1) & addresses->mask) {
        const size_t home = place_of (addresses, &addresses->slots[next]);
        if (((next - home) & addresses->mask) < ((next - gap) & addresses->mask))
            continue;
        addresses->slots[gap] = addresses->slots[next];
        addresses->slots[next].count = 0;
        gap = next;
    }
}

void addresses_remove (struct addresses *addresses, const unsigned char address[HTTP_ADDRESS_SIZE])
{
    if (is_exempt (addresses, address))
        return;
    const struct slot key = key_of (address);
    (void) pthread_mutex_lock (&addresses->lock);
    const size_t place = find (addresses, &key);
    if (addresses->slots[place].count > 1)
        addresses->slots[place].count -= 1;
    else if (1 == addresses->slots[place].count)
        empty (addresses, place);
    (void) pthread_mutex_unlock (&addresses->lock);
}
