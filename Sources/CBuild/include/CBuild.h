/* Names the build of this program. */
#ifndef CBUILD_H
#define CBUILD_H

/* The revision of the source, from -DBINDERY_REVISION="..."; NULL without that option. */
const char *build_revision (void);

#endif
