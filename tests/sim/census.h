/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * GPUs for tests that compare a census with the search for misses.
 */
#ifndef GC_TESTS_SIM_CENSUS_H
#define GC_TESTS_SIM_CENSUS_H

#include "open.h"

/* A GPU with these lines for [cache L1]. */
static inline void open_l1(struct opened *o, const char *l1)
{
  open_profile(o,
            "model = Variant\ncompute = 7.0\nsms = 16\nclock_khz = 1000000\nthreads_per_sm = 2048\n"
            "blocks_per_sm = 16\nmemory = 512 MiB\nshared_per_sm = 32 KiB\nshared_per_block = 32 KiB\n"
            "clock_overhead = 4\n[cache L1]\n%s\n[cache L2]\nscope = chip\nsize = 2 MiB\nline = 128\n"
            "sector = 32\nways = 16\nreplacement = lru\n[space ca]\npath = L1 30, L2 200 3, memory 500 5\n"
            "[space cg]\npath = L2 200 3, memory 500 5\n[space nc]\npath = L1 30, L2 200 3, memory 500 5\n"
            "[space shared]\npath = memory 20\n",
            l1);
  open_warm_bench(o);
}

/* Sets the capacity of the constant L1. A census then ignores what a block read last. */
static inline void claim_constant_l1(struct opened *o)
{
  claim(o, GC_CONSTANT_L1, 2048);
}

/* A cache whose capacity is set to a wrong value. */
struct wrong {
  enum gc_kind kind;
  gc_step *capacity, *census;
  uint64_t bytes; /* true capacity, of the h200 and of the GPU with these lines */
  void (*open)(struct opened *o, const char *lines);
  const char *lines;
  bool has_constant_l1; /* set its capacity, too */
};

/* A capacity that is wrong by `difference` bytes must be withheld, and the right one must stay. */
static inline void check_difference(struct opened *o, const struct wrong *wrong, int difference)
{
  const struct gc_element *element;

  claim(o, wrong->kind, wrong->bytes + (uint64_t)difference);
  element = run_step(o, wrong->census, wrong->kind);
  if (isnan(number(element, "CapacityBytes")) != (difference != 0))
    fail_msg("%s: %d bytes more than there are, the census is %.0f +- %.0f: %s", o->name, difference,
             number(element, "CensusBytes"), number(element, "CensusErrorBytes"),
             text(element, "CapacitySource"));
  if (wrong->kind == GC_CONSTANT_L15 &&
      !(fabs(number(element, "CensusBytes") - (double)wrong->bytes) <=
        0.01 * (double)wrong->bytes + 4 * number(element, "CensusErrorBytes")))
    fail_msg("%s: the census is %.0f +- %.0f", o->name, number(element, "CensusBytes"),
             number(element, "CensusErrorBytes"));
}

/* The same for several differences, on both GPUs. */
static inline void check_differences(const struct wrong *wrong, const int *differences, size_t n)
{
  for (size_t gpu = 0; gpu < 2; gpu++) {
    struct opened o;

    if (gpu) {
      wrong->open(&o, wrong->lines);
    } else {
      open_gpu(&o, "h200");
      open_warm_bench(&o);
    }
    if (wrong->has_constant_l1)
      claim_constant_l1(&o);
    assert_int_equal(number(run_step(&o, wrong->capacity, wrong->kind), "CapacityBytes"), wrong->bytes);
    for (size_t i = 0; i < n; i++)
      check_difference(&o, wrong, differences[i]);
    close_gpu(&o);
  }
}

#endif
