/* libpq, the client library of PostgreSQL. And eventfd(2), which Swift's Glibc module lacks. */
#include <libpq-fe.h>
#include <sys/eventfd.h>
