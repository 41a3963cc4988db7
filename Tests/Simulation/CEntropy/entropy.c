#define _GNU_SOURCE
#include "entropy.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_seeded;
static uint64_t state;

void
entropy_begin (uint64_t seed)
{
  is_seeded = 1;
  state = seed;
}

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t
next_word (void)
{
  uint64_t mixed = state += 0x9E3779B97F4A7C15u;
  mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
  mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
  return mixed ^ mixed >> 31;
}

/* A function of the executable comes before libc's of the same name, for the calls of shared libraries too. */
long
syscall (long number, ...)
{
  static long (*real) (long, ...);
  va_list list;
  long argument[6];

  va_start (list, number);
  for (int i = 0; i < 6; i++)
    argument[i] = va_arg (list, long);
  va_end (list);

  if (number == SYS_getrandom && is_seeded)
    {
      unsigned char *bytes = (unsigned char *) argument[0];
      for (long i = 0; i < argument[1]; i++)
        bytes[i] = (unsigned char) next_word ();
      return argument[1];
    }
  if (real == NULL)
    real = (long (*) (long, ...)) dlsym (RTLD_NEXT, "syscall");
  if (real == NULL)
    abort ();
  return real (number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
}
