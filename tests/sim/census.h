/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * GPUs for the tests of what a census and the search for misses say of each other.
 */
#ifndef GC_TESTS_SIM_CENSUS_H
#define GC_TESTS_SIM_CENSUS_H

#include "open.h"

/* A GPU with these lines for [cache L1]. */
static inline void open_l1(struct opened *o, const char *l1)
{
  open_form(o,
            "model = Variant\ncompute = 7.0\nsms = 16\nclock_khz = 1000000\nthreads_per_sm = 2048\n"
            "blocks_per_sm = 16\nmemory = 512 MiB\nshared_per_sm = 32 KiB\nshared_per_block = 32 KiB\n"
            "clock_overhead = 4\n[cache L1]\n%s\n[cache L2]\nscope = chip\nsize = 2 MiB\nline = 128\n"
            "sector = 32\nways = 16\nreplacement = lru\n[space ca]\npath = L1 30, L2 200 3, memory 500 5\n"
            "[space cg]\npath = L2 200 3, memory 500 5\n[space nc]\npath = L1 30, L2 200 3, memory 500 5\n"
            "[space shared]\npath = memory 20\n",
            l1);
  open_warm_bench(o);
}

/* As if it had been found: of what a block read last nothing is counted behind it. */
static inline void know_constant_l1(struct opened *o)
{
  assert_int_equal(gc_infos_set_u64(&element_of(o, GC_CONSTANT_L1)->infos, "CapacityBytes", 2048), 0);
}

/* A cache whose first miss is said to be somewhere else, too early or too late by `difference`. */
struct wrong {
  enum gc_kind kind;
  int (*capacity)(struct gc_bench *bench, struct gc_element *element);
  int (*census)(struct gc_bench *bench, struct gc_element *element);
  uint64_t bytes; /* that the h200 has, and the one with these lines */
  void (*open)(struct opened *o, const char *lines);
  const char *lines;
  bool near; /* a constant L1 is known */
};

/* As if so much had been found, and nothing counted yet. */
static inline void claim(struct gc_element *element, uint64_t bytes)
{
  assert_int_equal(gc_infos_set_u64(&element->infos, "CapacityBytes", bytes), 0);
  gc_infos_remove(&element->infos, "CensusBytes");
}

static inline void check_difference(struct opened *o, const struct wrong *wrong, int difference)
{
  struct gc_element *element = element_of(o, wrong->kind);

  claim(element, wrong->bytes + (uint64_t)difference);
  must(o, wrong->census(&o->bench, element), "census");
  if (isnan(number(element, "CapacityBytes")) != (difference != 0))
    fail_msg("%s: %d bytes more than there are, counted were %.0f +- %.0f: %s", o->name, difference,
             number(element, "CensusBytes"), number(element, "CensusErrorBytes"),
             text(element, "CapacitySource"));
  if (wrong->kind == GC_CONSTANT_L15 &&
      !(fabs(number(element, "CensusBytes") - (double)wrong->bytes) <=
        0.01 * (double)wrong->bytes + 4 * number(element, "CensusErrorBytes")))
    fail_msg("%s: counted were %.0f +- %.0f", o->name, number(element, "CensusBytes"),
             number(element, "CensusErrorBytes"));
}

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
    if (wrong->near)
      know_constant_l1(&o);
    must(&o, wrong->capacity(&o.bench, element_of(&o, wrong->kind)), "capacity");
    assert_int_equal(number(element_of(&o, wrong->kind), "CapacityBytes"), wrong->bytes);
    for (size_t i = 0; i < n; i++)
      check_difference(&o, wrong, differences[i]);
    close_gpu(&o);
  }
}

#endif
