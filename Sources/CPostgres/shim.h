/* libpq, PostgreSQL's own client library; and eventfd(2), which Swift's Glibc does not have. */
#include <libpq-fe.h>
#include <sys/eventfd.h>
