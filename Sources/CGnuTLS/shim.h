/* One call is used, gnutls_hash_fast. GnuTLS is what libmicrohttpd itself is linked with: no further library comes in. */
#include <gnutls/gnutls.h>
#include <gnutls/crypto.h>
