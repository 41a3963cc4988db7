/* libjwt reads and verifies JSON Web Tokens (https://github.com/benmcollins/libjwt). Debian builds it on GnuTLS, too. */
#include <jwt.h>
