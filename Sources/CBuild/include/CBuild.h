/* Names the build of this program. */
#ifndef CBUILD_H
#define CBUILD_H

#include <stddef.h>

/* The revision of the source, as the build said it by -DBINDERY_REVISION="..."; NULL where it did not. */
const char *build_revision (void);

/* Writes the linker's id of the program (.note.gnu.build-id; ld(1), --build-id) as hexadecimal digits: the same for the same
 * program, with symbols or without. Returns their number; 0 where there is none, or no room for them and a zero byte. */
size_t build_id (char *buffer, size_t capacity);

#endif
