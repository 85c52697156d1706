/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * FlushBytes of simulated GPUs. After so many bytes, the model has at most 5 % of the lines left;
 * after 0.7 times as many, more. Lines that stay longest in a place that is nearly as slow as
 * memory count, and loads of memory that happen to be as fast as hits do not.
 */
#include "measure/geometry/geometry.h"
#include "measure/latency/latency.h"
#include "measure/structure/structure.h"
#include "measure/topology/topology.h"
#include "variant.h"

#define MIB ((double)(1 << 20))
#define LEFT 0.05
#define LESS 0.7
#define LESS_IF_ANY 0.5 /* if any line may be replaced */

/* Measures FlushBytes of an open GPU; 0: absent. */
static uint64_t find(struct opened *o)
{
  open_warm_bench(o);
  run_step(o, gc_step_memory_latency, GC_DEVICE_MEMORY);
  if (!o->m.bench.properties.l2_per_xcd)
    run_step(o, gc_step_partitions, GC_L2);
  else
    run_step(o, gc_step_fetch, GC_L2);
  run_step(o, gc_step_flush, GC_WHOLE_GPU);
  return gc_found(measured(o, GC_WHOLE_GPU), GC_FLUSH) ? measured(o, GC_WHOLE_GPU)->flush_bytes : 0;
}

static double left_after(struct opened *o, double bytes)
{
  double share;

  must(o, gc_model_true_left(o->model, (uint64_t)bytes, &share), "truth");
  return share;
}

/* Between `least` and `most` bytes, and what the model says after the value and after `less` times
 * as much. */
static void is_right(struct opened *o, double least, double most, double less)
{
  const uint64_t bytes = find(o);

  if (!((double)bytes >= least && (double)bytes <= most))
    fail_msg("%s: %g MiB (%s)", o->name, (double)bytes / MIB,
             measured(o, GC_WHOLE_GPU)->found[GC_FLUSH].why);
  assert_true(left_after(o, (double)bytes) <= LEFT);
  assert_true(left_after(o, less * (double)bytes) > LEFT);
}

#define CHIP "sms = 8\nseed = 5"

static void the_oldest_line_goes_first(void **state)
{
  struct opened o;

  (void)state;
  open_variant(&o, &(struct variant){CHIP, "", "200 2"});
  is_right(&o, 2 * MIB, 2.4 * MIB, LESS);
  close_gpu(&o);
}

/* exp(-3) is 0.05. A size after which few lines are left may be passed over, so the value may be
 * twice what is needed. */
static void any_line_goes(void **state)
{
  struct opened o;

  (void)state;
  open_variant_ways(&o, &(struct variant){CHIP, "", "200 2"}, "ways = 16\nreplacement = random");
  is_right(&o, 2.7 * 2 * MIB, 4.3 * 2 * MIB, LESS_IF_ANY);
  close_gpu(&o);
}

/* 182 sets, a multiple of 13: lines at this distance would use 14 sets and evict each other. */
static void the_truth_uses_all_sets(void **state)
{
  struct opened o;

  (void)state;
  open_variant_ways(&o, &(struct variant){CHIP, "lost = 1724416", "200 2"},
                    "ways = 16\nreplacement = random");
  assert_true(fabs(left_after(&o, 2.0 * 182 * 16 * 128) - exp(-2)) < 0.03);
  close_gpu(&o);
}

/* The near partition gets three lines of four that are read, at its home or as a copy; lines whose
 * home is far stay there for longer. A load of them takes 380 cycles of 500. */
static void lines_stay_in_the_far_partition(void **state)
{
  struct opened o;
  uint64_t bytes;

  (void)state;
  open_variant(&o, &(struct variant){CHIP, "partitions = 2\nreplicate = yes\nfar_cycles = 180",
                                     "200 2"});
  is_right(&o, 1.7 * MIB, 2.9 * MIB, LESS);
  bytes = measured(&o, GC_WHOLE_GPU)->flush_bytes;
  close_gpu(&o);

  /* if far lines were as slow as memory, none would count after less */
  open_variant(&o, &(struct variant){CHIP, "partitions = 2\nreplicate = yes\nfar_cycles = 300",
                                     "200 2"});
  if (left_after(&o, (double)bytes / 1.19) > LEFT)
    fail_msg("near copies stay as long as lines in the far partition");
  close_gpu(&o);
}

static void l3_is_in_front_of_memory(void **state)
{
  struct opened o;

  (void)state;
  open_profile(&o,
               "model = Infinity\ngfx = gfx90a\nwarp = 64\nsms = 8\nclock_khz = 1000000\n"
               "threads_per_block = 1024\nthreads_per_sm = 2048\nblocks_per_sm = 8\n"
               "memory = 4 GiB\n"
               "shared_per_sm = 64 KiB\nshared_per_block = 64 KiB\nclock_overhead = 4\n"
               "[cache L1]\nsize = 16 KiB\nline = 64\nways = 4\nreplacement = lru\n"
               "[cache L2]\nscope = chip\nsize = 512 KiB\nline = 128\nways = 16\n"
               "replacement = lru\n"
               "[cache L3]\nscope = chip\nsize = 16 MiB\nline = 128\nways = 16\n"
               "replacement = lru\n"
               "[space ca]\npath = L1 100, L2 250 4, L3 500 6, memory 800 30\n"
               "[space cg]\npath = L2 250 4, L3 500 6, memory 800 30\n"
               "[space shared]\npath = memory 50\n"
               "[sysfs L2Cache]\nNominalBytes = 524288\nInstances = 1\n"
               "[sysfs L3Cache]\nNominalBytes = 16777216\nInstances = 1\n");
  is_right(&o, 16 * MIB, 19.3 * MIB, LESS);
  close_gpu(&o);
}

/* Each L2 gets a quarter of what is read, so four times its size displaces its lines. 41 parts of
 * 8 KiB fill a way: launches that each begin with the first XCD would fill some sets twice. */
static void each_xcd_reads_its_part(void **state)
{
  struct opened o;

  (void)state;
  open_profile(&o,
               "model = Four\ngfx = gfx90a\nwarp = 64\nsms = 12\nxcds = 4\nclock_khz = 1000000\n"
               "threads_per_block = 1024\nthreads_per_sm = 2048\nblocks_per_sm = 8\n"
               "memory = 4 GiB\n"
               "shared_per_sm = 64 KiB\nshared_per_block = 64 KiB\nclock_overhead = 4\n"
               "[cache L1]\nsize = 16 KiB\nline = 64\nways = 4\nreplacement = lru\n"
               "[cache L2]\nscope = xcd\nsize = 1343488 B\nline = 128\nways = 4\n"
               "replacement = lru\ninterleave = 512\n"
               "[space ca]\npath = L1 100, L2 250 4, memory 800 30\n"
               "[space cg]\npath = L2 250 4, memory 800 30\n"
               "[space shared]\npath = memory 50\n"
               "[sysfs L2Cache]\nNominalBytes = 1343488\nInstances = 4\n");
  is_right(&o, 5.1 * MIB, 6.2 * MIB, LESS);
  close_gpu(&o);
}

/* Some loads of memory are as fast as far hits (jitter: 90 cycles; far hits: 230 cycles less). */
static void fast_loads_of_memory_are_no_lines_that_are_left(void **state)
{
  struct opened o;

  (void)state;
  open_gpu(&o, "h100");
  is_right(&o, 44 * MIB, 53 * MIB, LESS);
  close_gpu(&o);
}

/* So many loads of memory are as fast as far hits that a bound of their share is not far below that
 * of 5 % of lines that are left. Their number depends on the seed. */
static void many_fast_loads_of_memory_do_not_hide_the_value(void **state)
{
  const char *seeds[] = {"seed = 6", "seed = 7", "seed = 12"};
  struct opened o;

  (void)state;
  for (unsigned i = 0; i < sizeof(seeds) / sizeof(*seeds); i++) {
    open_edited(&o, &(struct edited){"h200", {{"seed = 200", seeds[i]}}});
    is_right(&o, 50 * MIB, 61 * MIB, LESS);
    close_gpu(&o);
  }
}

static void memory_like_l2_is_refused(void **state)
{
  struct opened o;

  (void)state;
  open_variant(&o, &(struct variant){CHIP, "", "200 150"});
  assert_int_equal(find(&o), 0);
  assert_string_equal(measured(&o, GC_WHOLE_GPU)->found[GC_FLUSH].why,
                      "too many loads of memory take no longer than those of lines in caches");
  close_gpu(&o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_oldest_line_goes_first),
      cmocka_unit_test(any_line_goes),
      cmocka_unit_test(the_truth_uses_all_sets),
      cmocka_unit_test(lines_stay_in_the_far_partition),
      cmocka_unit_test(l3_is_in_front_of_memory),
      cmocka_unit_test(each_xcd_reads_its_part),
      cmocka_unit_test(fast_loads_of_memory_are_no_lines_that_are_left),
      cmocka_unit_test(many_fast_loads_of_memory_do_not_hide_the_value),
      cmocka_unit_test(memory_like_l2_is_refused),
  };

  return cmocka_run_group_tests_name("flush", tests, NULL, NULL);
}
