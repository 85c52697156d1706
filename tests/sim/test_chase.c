/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Launches that do not run as intended: two blocks share an SM, or there are more concurrent
 * launches than fit.
 */
#include "measure/core/placement.h"
#include "measure/walk/banks.h"
#include "measure/walk/chase.h"
#include "measure/walk/ring.h"

#include "open.h"

static unsigned crowded; /* launches in which two blocks share an SM */
static unsigned downloads;

/* Reports that the second block ran on the SM of the first. */
static int crowd(struct gc_device *device, void *to, uint64_t address, size_t bytes, struct gc_error *err)
{
  int status = gc_device_sim.download(device, to, address, bytes, err);
  struct gpu_chase_result *results = to;

  if (!status && bytes > sizeof(*results) && bytes % sizeof(*results) == 0 && downloads++ < crowded)
    results[1].sm = results[0].sm;
  return status;
}

static int walk(struct opened *o)
{
  const struct gc_path *path = gc_path_of(GC_L1);
  const struct gc_binning binning = {.shift = 3, .threshold = UINT32_MAX};
  struct gc_run runs[] = {{.bytes = 4096}, {.bytes = 8192}, {.bytes = 16384}};

  downloads = 0;
  must(o, gc_ring_lay(&o->m.bench, path->space, 16384, path->stride, 1), "ring");
  return gc_chase_sizes(&o->m.bench, path, &binning, runs, 3);
}

static void open_crowded(struct opened *o, struct gc_device_ops *ops)
{
  *ops = gc_device_sim;
  ops->download = crowd;
  open_gpu(o, "h200");
  open_bench(o);
  o->m.bench.ops = ops;
}

static void blocks_that_share_an_sm_are_launched_again(void **state)
{
  struct gc_device_ops ops;
  struct opened o;

  (void)state;
  open_crowded(&o, &ops);
  crowded = 7;
  must(&o, walk(&o), "walk");
  assert_int_equal(downloads, 8);
  close_gpu(&o);
}

/* Two arrays are in one cache, so the latencies belong to neither. */
static void blocks_that_always_share_an_sm_are_an_error(void **state)
{
  struct gc_device_ops ops;
  struct opened o;

  (void)state;
  open_crowded(&o, &ops);
  crowded = 1000;
  assert_int_equal(walk(&o), -EIO);
  assert_string_equal(o.err.text, "the blocks of a launch did not spread over all SMs");
  /* the SM numbers are found nevertheless, by one launch after another */
  must(&o, gc_number_sms(&o.m), "numbers");
  assert_true(o.results->sm_count >= 131);
  close_gpu(&o);
}

static unsigned observed;

static int observe(void *data, double milliseconds)
{
  (void)data;
  assert_true(milliseconds >= 0);
  observed++;
  return 0;
}

/* Three banks with code between them are the most that is walked: six launches with nine turns. */
static void banks_are_walked_in_turns(void **state)
{
  const struct gc_binning binning = {.shift = 3};
  struct gc_run run = {.bytes = GC_BANKS_BYTES_MAX};
  struct gc_banks_mode how = {.how = GC_BANKS_CODE};
  struct gc_banks *banks;
  struct opened o;

  (void)state;
  open_gpu(&o, "h200");
  open_warm_bench(&o);
  must(&o, gc_banks_open(&o.m, &banks), "banks");
  assert_non_null(banks);
  how.threshold = banks->participants.threshold;
  must(&o, gc_banks_walk(banks, &how, &binning, &run, 1), "walk with code");
  assert_false(banks->failed);
  assert_int_equal(run.seen.loads, GC_BANKS_BYTES_MAX / GC_BANKS_STRIDE);
  run.bytes = GC_BANKS_BYTES_MAX + 1;
  assert_int_equal(gc_banks_walk(banks, &how, &binning, &run, 1), -EINVAL);
  run.bytes = GC_BANKS_BYTES_MAX;
  how.how = 0;
  o.m.bench.observer = (struct gc_launch_observer){observe, NULL};
  observed = 0;
  must(&o, gc_banks_walk(banks, &how, &binning, &run, 1), "walk");
  assert_int_equal(observed, 1); /* the interference check covers these launches, too */
  gc_banks_close(banks);
  close_gpu(&o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_that_share_an_sm_are_launched_again),
      cmocka_unit_test(blocks_that_always_share_an_sm_are_an_error),
      cmocka_unit_test(banks_are_walked_in_turns),
  };

  return cmocka_run_group_tests_name("chase", tests, NULL, NULL);
}
