/* Names the build of this program. */
#include "CBuild.h"

#include <stddef.h>

const char *build_revision (void)
{
#ifdef BINDERY_REVISION
    return BINDERY_REVISION;
#else
    return NULL;
#endif
}
