/* The C library's option parser; Swift's Glibc module leaves this header out. */
#include <getopt.h>
