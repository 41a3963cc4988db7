/* Names the build of this program. */
#ifndef CBUILD_H
#define CBUILD_H

/* The revision of the source, as the build said it by -DBINDERY_REVISION="..."; NULL where it did not. */
const char *build_revision (void);

#endif
