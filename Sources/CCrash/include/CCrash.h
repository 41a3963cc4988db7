/* Tells of a crash: one last line of the log, written by the thread that crashed. */
#ifndef CCRASH_H
#define CCRASH_H

#include <stdbool.h>
#include <stdint.h>

/* From here on a signal that ends the process by a fault of its own (SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT) leaves a
 * line on `descriptor` first: time, signal, address, what the thread was serving, and where it was, by module and offset. Then
 * the signal does what it does. Once, before other threads are there: what is loaded then is known. */
void crash_report_to (int descriptor, bool json, bool priorities);

/* What the calling thread serves from here on: two texts that live as long as the process, or NULL. From the first call on the
 * thread has a stack for the line apart, so that one that is full leaves it, too. */
void crash_set_route (const char *method, const char *route);

/* Whose code a thread runs: texts that live as long as the process, or NULL, and the public id of the session, as it lies in
 * memory: 15 characters and a zero, or all zeros. */
struct crash_code {
    const char *view_model, *action;
    uint64_t session[2];
};

/* The same of the calling thread's code. Returns what was set before, to be set again once that is over. */
struct crash_code crash_set_code (struct crash_code code);

/* The type whose code the calling thread runs with values that are made up, or NULL: a text without anything that JSON would
 * escape, which lives until the next call. Returns the one before. */
const char *crash_set_type (const char *type);

#endif
