/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Bulk copies of simulated GPUs: latency and rate are those of the model, in at most four launches,
 * and what cannot be measured is absent with a reason.
 */
#include "measure/bandwidth/bandwidth.h"
#include "open.h"

#define LATENCY "BulkCopyLatencyCycles"
#define RATE "BulkCopyBytesPerCycle"

/* bulk: the section of the profile; "": none. shared: KiB of a block. */
static const struct gc_element *measure(struct opened *o, const char *bulk, unsigned shared)
{
  open_profile(o,
               "model = Copying\ncompute = 9.0\nsms = 8\nclock_khz = 1000000\nmemory = 4 GiB\n"
               "threads_per_sm = 2048\nblocks_per_sm = 16\nshared_per_sm = %u KiB\n"
               "shared_per_block = %u KiB\nclock_overhead = 17\nbandwidth_noise = 0.05\n"
               "[cache L1]\nsize = 32 KiB\nline = 128\nsector = 32\nways = 4\nreplacement = lru\n"
               "[cache L2]\nscope = chip\nsize = 8 MiB\nline = 128\nsector = 32\nways = 16\n"
               "replacement = lru\nread_gbps = 900\n"
               "[space ca]\npath = L1 30, L2 200 20, memory 500 60\n"
               "[space cg]\npath = L2 200 20, memory 500 60\n"
               "[space shared]\npath = memory 20\n%s",
               shared + 1, shared, bulk);
  open_warm_bench(o);
  return run_step(o, gc_step_bulk, GC_SHARED_MEMORY);
}

static void is_near(const struct gc_element *element, const char *bulk, const char *key,
                    double truth, double share)
{
  if (fabs(number(element, key) - truth) > share * truth)
    fail_msg("%s: %s is %g, not %g", bulk, key, number(element, key), truth);
}

/* A part of the time of a run is one latency, which does not count: the whole run of 16 copies
 * would give 4 % less at 1200 cycles and 20.5 bytes. */
static void they_are_those_of_the_model(void **state)
{
  static const struct {
    unsigned cycles;
    double rate;
  } cases[] = {{277, 107}, {600, 64}, {1200, 20.5}, {150, 8}};

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    const struct gc_element *element;
    struct opened o;
    char bulk[80];

    snprintf(bulk, sizeof(bulk), "[bulk]\ncycles = %u\nbytes_per_cycle = %g\n", cases[i].cycles,
             cases[i].rate);
    element = measure(&o, bulk, 227);
    is_near(element, bulk, LATENCY, cases[i].cycles, 0.02);
    is_near(element, bulk, RATE, cases[i].rate, 0.03);
    close_gpu(&o);
  }
}

static void four_launches_suffice(void **state)
{
  struct opened o;
  uint64_t before;

  (void)state;
  measure(&o, "[bulk]\ncycles = 277\nbytes_per_cycle = 107\n", 227);
  before = gc_ops(o.device)->counts(o.device)->launches;
  run_step(&o, gc_step_bulk, GC_SHARED_MEMORY); /* again: the numbers of the SMs are known now */
  assert_int_equal(gc_ops(o.device)->counts(o.device)->launches - before, 4);
  close_gpu(&o);
}

static void absent(const char *bulk, unsigned shared, const char *latency, const char *rate)
{
  struct opened o;
  const struct gc_element *element = measure(&o, bulk, shared);
  const char *sources[] = {text(element, "BulkCopyLatencySource"), text(element, "BulkCopySource")};

  assert_null(gc_infos_get(&element->infos, RATE));
  if (!strstr(sources[0], latency) || !strstr(sources[1], rate))
    fail_msg("'%s' and '%s', not '%s' and '%s'", sources[0], sources[1], latency, rate);
  close_gpu(&o);
}

static void absent_with_a_reason(void **state)
{
  (void)state;
  absent("", 227, "this GPU has no bulk copies", "this GPU has no bulk copies");
  /* 48 KiB under way last 480 cycles, less than the latency */
  absent("[bulk]\ncycles = 900\nbytes_per_cycle = 100\n", 48, "measured",
         "larger copies would give more");
  absent("[bulk]\ncycles = 900\nbytes_per_cycle = 100\n", 1, "measured",
         "shared memory is too small");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(they_are_those_of_the_model),
      cmocka_unit_test(four_launches_suffice),
      cmocka_unit_test(absent_with_a_reason),
  };

  return cmocka_run_group_tests_name("bulk copies", tests, NULL, NULL);
}
