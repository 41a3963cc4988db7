/* Swift uses two calls: gnutls_hash_fast and gnutls_hmac_fast. libmicrohttpd links GnuTLS already, so this adds no library. */
#include <gnutls/gnutls.h>
#include <gnutls/crypto.h>
