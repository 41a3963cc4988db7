/* What the process takes for random, made repeatable: the code under test draws tokens, epochs and versions, and the order
 * in which its dictionaries are walked depends on them. */
#pragma once

#include <stdint.h>

/* From here on whatever asks the kernel for random bytes through syscall(2), as Swift's runtime does, is given those that
 * follow from the seed. */
void entropy_begin (uint64_t seed);
