/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What make-trace consists of: a writer of memory traces (write.c), and kernels that say what one
 * warp does (dense.c, irregular.c).
 */
#ifndef TESTS_PREDICT_TRACES_TRACE_H
#define TESTS_PREDICT_TRACES_TRACE_H

#include <stdint.h>

#define LANES 32

struct writer;

/* A warp of the kernel that is being written. */
struct warp {
  struct writer *writer;
  uint64_t n; /* the size that the user gave */
  uint64_t block, blocks;
  unsigned warp, threads; /* of a block, at most 1024 */
};

/* A thread of it. */
struct thread {
  unsigned lane;
  uint64_t t; /* in the block */
  uint64_t i; /* in the grid */
};

/* The address of the access of a thread, or NO_ACCESS. k is the counter of a loop. */
#define NO_ACCESS UINT64_MAX
typedef uint64_t address_of(const struct warp *warp, struct thread thread, uint64_t k);

/* One instruction; nothing if no thread takes part. Returns the number of threads that do. pc is a
 * number of the kernel's own. */
unsigned load(const struct warp *warp, unsigned pc, unsigned bytes, address_of *address,
              uint64_t k);
unsigned store(const struct warp *warp, unsigned pc, unsigned bytes, address_of *address,
               uint64_t k);
unsigned atomic(const struct warp *warp, unsigned pc, unsigned bytes, address_of *address,
                uint64_t k);
void barrier(const struct warp *warp, unsigned pc);

/* Array number 0 to 7 begins here; none is larger than 64 GiB. */
static inline uint64_t array(unsigned number)
{
  return UINT64_C(0x7f0000000000) + ((uint64_t)number << 40) / 16;
}

/* A number that looks random, and is the same each time. */
static inline uint64_t mixed(uint64_t number)
{
  number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9u;
  number = (number ^ number >> 27) * 0x94d049bb133111ebu;
  return number ^ number >> 31;
}

/* A grid of one-dimensional blocks; blocks as a function of n. */
struct kernel {
  const char *trace; /* kernels of one trace follow each other and have the same name here */
  const char *name;
  uint64_t size; /* n by default */
  uint64_t (*blocks)(uint64_t n);
  unsigned threads;
  unsigned shared; /* bytes per block */
  unsigned registers;
  void (*run)(const struct warp *warp);
};

extern const struct kernel dense_kernels[], irregular_kernels[]; /* end with {0} */

#endif
