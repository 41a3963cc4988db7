/* Tells of a crash: one last line of the log, written by the thread that crashed. */
#ifndef CCRASH_H
#define CCRASH_H

#include <stdbool.h>

/* From here on a signal that ends the process by a fault of its own (SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT) leaves a
 * line on `descriptor` first: time, signal, address, what the thread was serving, and where it was, by module and offset. Then
 * the signal does what it does. Once, before other threads are there: what is loaded then is known. */
void crash_report_to (int descriptor, bool json, bool priorities);

/* What the calling thread serves from here on: two texts that live as long as the process, or NULL. From the first call on the
 * thread has a stack for the line apart, so that one that is full leaves it, too. */
void crash_set_route (const char *method, const char *route);
void crash_set_action (const char *view_model, const char *action);
/* And of whose: 16 bytes, which are copied, text and a zero; or NULL. */
void crash_set_session (const char *id);

#endif
