/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Small simulated GPUs, made for one test each: a common profile with lines added to it.
 */
#ifndef GC_TESTS_SIM_VARIANT_H
#define GC_TESTS_SIM_VARIANT_H

#include "open.h"

/* chip: lines of the chip; l2: lines of [cache L2]; hit: cycles of an L2 hit and their jitter. */
struct variant {
  const char *chip, *l2, *hit;
};

/* ways: the ways of L2 and how lines are replaced. line: bytes of a line of L2, 32 or more. */
static inline void open_variant_line(struct opened *o, const struct variant *v, const char *ways,
                                     unsigned line)
{
  open_profile(
      o,
      "model = Variant\ncompute = 7.0\nclock_khz = 1000000\nthreads_per_block = 1024\n"
      "threads_per_sm = 2048\nblocks_per_sm = 16\nmemory = 512 MiB\nshared_per_sm = 32 KiB\n"
      "shared_per_block = 32 KiB\nclock_overhead = 4\n%s\n"
      "[cache L1]\nsize = 8 KiB\nline = 128\nsector = 32\nways = 4\nreplacement = lru\n"
      "[cache L2]\nscope = chip\nsize = 2 MiB\nline = %u\nsector = 32\n%s\n%s\n"
      "[space ca]\npath = L1 30, L2 %s, memory 500 5\n[space cg]\npath = L2 %s, memory 500 5\n"
      "[space shared]\npath = memory 20\n",
      v->chip, line, ways, v->l2, v->hit, v->hit);
}

static inline void open_variant_ways(struct opened *o, const struct variant *v, const char *ways)
{
  open_variant_line(o, v, ways, 128);
}

static inline void open_variant(struct opened *o, const struct variant *v)
{
  open_variant_ways(o, v, "ways = 16\nreplacement = lru");
}

#endif
