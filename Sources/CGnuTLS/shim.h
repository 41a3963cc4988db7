/* Two calls are used, gnutls_hash_fast and gnutls_hmac_fast. GnuTLS is what libmicrohttpd itself is linked with: no further
 * library comes in. */
#include <gnutls/gnutls.h>
#include <gnutls/crypto.h>
