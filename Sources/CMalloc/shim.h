/* The GNU C library's own words to its allocator, as malloc_trim(); Swift's Glibc module leaves this header out. */
#include <malloc.h>
