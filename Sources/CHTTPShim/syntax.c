/* Which bytes may stand where: the tokens and values of fields (RFC 9110, section 5), and the parts of a target (RFC
 * 3986). Pure: each function looks at nothing but the bytes it is given. */
#include "readers.h"

#include <arpa/inet.h>
#include <string.h>

enum {
    TOKEN = 1,  /* RFC 9110, section 5.6.2 */
    TARGET = 2, /* RFC 3986, section 3.3: pchar, and the slash; '%' begins an encoding */
    NAME = 4,   /* RFC 3986, section 3.2.2: reg-name; '%' begins an encoding */
};

static const unsigned char classes[256] = {
    ['0' ... '9'] = TOKEN | TARGET | NAME, ['A' ... 'Z'] = TOKEN | TARGET | NAME, ['a' ... 'z'] = TOKEN | TARGET | NAME,
    ['!'] = TOKEN | TARGET | NAME, ['#'] = TOKEN, ['$'] = TOKEN | TARGET | NAME, ['%'] = TOKEN | TARGET | NAME,
    ['&'] = TOKEN | TARGET | NAME, ['\''] = TOKEN | TARGET | NAME, ['('] = TARGET | NAME, [')'] = TARGET | NAME,
    ['*'] = TOKEN | TARGET | NAME, ['+'] = TOKEN | TARGET | NAME, [','] = TARGET | NAME, ['-'] = TOKEN | TARGET | NAME,
    ['.'] = TOKEN | TARGET | NAME, ['/'] = TARGET, [':'] = TARGET, [';'] = TARGET | NAME, ['='] = TARGET | NAME,
    ['@'] = TARGET, ['^'] = TOKEN, ['_'] = TOKEN | TARGET | NAME, ['`'] = TOKEN, ['|'] = TOKEN,
    ['~'] = TOKEN | TARGET | NAME,
};

static bool is (char c, unsigned char class)
{
    return 0 != (classes[(unsigned char) c] & class);
}

/* How many of the bytes, from the first, are of the class. */
static size_t run_of (const char *bytes, size_t length, unsigned char class)
{
    size_t count = 0;
    while (count < length && is (bytes[count], class))
        count += 1;
    return count;
}

/* The length of the token that the bytes begin with; 0 where they begin with none. */
size_t syntax_token_length (const char *bytes, size_t length)
{
    return run_of (bytes, length, TOKEN);
}

bool syntax_is_token (const char *bytes, size_t length)
{
    return length > 0 && length == run_of (bytes, length, TOKEN);
}

/* RFC 9110, section 5.5: no control characters but the tab. Branch-free, so that it is done in whole vectors. */
bool syntax_is_value (const char *bytes, size_t length)
{
    unsigned char bad = 0;
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char) bytes[i];
        bad |= (unsigned char) (((c < 0x20) & (c != '\t')) | (c == 0x7f));
    }
    return 0 == bad;
}

/* The value of a hexadecimal digit, -1 of another character. */
int syntax_hex_value (char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Whether every '%' begins two hexadecimal digits. */
static bool is_encoded (const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ('%' == bytes[i]
            && (length - i < 3 || syntax_hex_value (bytes[i + 1]) < 0 || syntax_hex_value (bytes[i + 2]) < 0))
            return false;
    return true;
}

/* RFC 3986, section 3.3; also an empty one. */
bool syntax_is_path (const char *bytes, size_t length)
{
    return length == run_of (bytes, length, TARGET) && is_encoded (bytes, length);
}

/* RFC 3986, section 3.4. Encodings are not checked: a query is handed on as it was sent. */
bool syntax_is_query (const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!is (bytes[i], TARGET) && '?' != bytes[i])
            return false;
    return true;
}

/* uri-host [":" port] (RFC 9110, section 7.2); not empty, since "http" needs a host (section 4.2.1). */
bool syntax_is_host (const char *bytes, size_t length)
{
    size_t host = 0;
    if (length > 0 && '[' == bytes[0]) {
        char literal[INET6_ADDRSTRLEN];
        struct in6_addr address;
        const char *const end = memchr (bytes, ']', length);
        if (NULL == end || (size_t) (end - bytes - 1) >= sizeof literal)
            return false;
        host = (size_t) (end - bytes) + 1;
        memcpy (literal, bytes + 1, host - 2);
        literal[host - 2] = '\0';
        if (NULL != memchr (literal, '\0', host - 2) || 1 != inet_pton (AF_INET6, literal, &address))
            return false;
    } else {
        host = run_of (bytes, length, NAME);
        if (!is_encoded (bytes, host))
            return false;
    }
    if (0 == host)
        return false;
    if (host == length)
        return true;
    if (':' != bytes[host])
        return false;
    uint32_t port = 0;
    for (size_t i = host + 1; i < length; i++) {
        if (bytes[i] < '0' || bytes[i] > '9')
            return false;
        port = port * 10 + (uint32_t) (bytes[i] - '0');
        if (port > UINT16_MAX)
            return false;
    }
    return true;
}
