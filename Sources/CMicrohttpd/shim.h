/* Only the C shim (CHTTPShim) uses this module: MHD_start_daemon is variadic, and Swift cannot call it. */
#include <microhttpd.h>
