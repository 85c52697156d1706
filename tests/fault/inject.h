/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Fault injection: a library that is preloaded, counts the calls of allocators and system calls,
 * and lets one of them fail. The calls are those of all libraries and programs except libc itself:
 * the library replaces the addresses in their tables of imported functions. So it also works with
 * AddressSanitizer, which has an allocator of its own.
 *
 * $INJECT_FILE is the struct below, in a file of that size. $INJECT_WHERE is "process" (all calls
 * of main and later count) or "window" (only calls between inject_begin and inject_end).
 */
#ifndef TESTS_FAULT_INJECT_H
#define TESTS_FAULT_INJECT_H

#include <stdint.h>

#define INJECT_MOST_CALLS (1u << 20)
#define INJECT_NAME 40

struct inject {
  /* Read by the library. */
  uint64_t at;      /* number of the call that fails, from 1; 0: none, but record the calls */
  uint32_t variant; /* how it fails: 0 … variants - 1 */
  uint32_t trace;   /* print the call stacks of the call that fails, and of a crash */

  /* Written by the library. */
  uint64_t calls;         /* so far */
  char name[INJECT_NAME]; /* the function that failed; empty: none */
  uint32_t leaks;         /* allocations of the window that are not freed, see inject_leaks */
  /* File names of the program or library that called it, and of the one that was killed by a
   * signal; empty: none. If libc was killed, these are the names of its callers. */
  char caller[INJECT_NAME], crashed[INJECT_NAME];
  struct {
    uint8_t variants; /* in how many ways this call can fail */
    uint8_t seen;     /* how often this call stack was seen before, at most 255 */
  } plan[INJECT_MOST_CALLS]; /* at = 0: about call i + 1 */
};

/* For the program in which the library is preloaded; it finds them by dlsym. */
void inject_begin(void);
void inject_end(void);
/* The number of allocations of the window that have not been freed yet. */
unsigned inject_leaks(void);

#endif
