/* The C shim (CHTTPShim) is this module's only user: MHD_start_daemon is variadic, which Swift cannot call. */
#include <microhttpd.h>
