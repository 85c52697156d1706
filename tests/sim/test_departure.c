/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Departure delays of simulated GPUs: how often their SMs request lines is found, for loads of
 * adjacent words and for loads of a line in each lane, and what is not the SM's limit is a reason.
 */
#include "open.h"

#define TOLERANCE 0.03

static void measure(struct opened *o, const char *lines, const char *gbps, unsigned line)
{
  const struct gc_measure_options options = {.only = "L1Cache,L2Cache,DeviceMemory"};

  open_profile(
      o,
      "model = Departing\ncompute = 7.5\nsms = 8\nclock_khz = 1000000\nmemory = 4 GiB\n"
      "threads_per_sm = 2048\nblocks_per_sm = 16\nshared_per_sm = 32 KiB\n"
      "shared_per_block = 31 KiB\nclock_overhead = 6\n%s\n"
      "[cache L1]\nsize = 32 KiB\nline = %u\nsector = 32\nways = 4\nreplacement = lru\n"
      "[cache L2]\nscope = chip\nsize = 8 MiB\nline = 128\nsector = 32\nways = 16\n"
      "replacement = lru\nread_gbps = %s\n"
      "[space ca]\npath = L1 30, L2 200 20, memory 500 60\n"
      "[space cg]\npath = L2 200 20, memory 500 60\n"
      "[space shared]\npath = memory 20\n",
      lines, line, gbps);
  must(o, gc_measure(o->device, &options, o->record, &o->err), "measure");
}

static const struct gc_infos *infos_of(const struct opened *o)
{
  return &gc_record_find(o->record, GC_DEVICE_MEMORY)->infos;
}

static void is_near(const struct opened *o, const char *lines, const char *key, double truth)
{
  const char *value = gc_infos_get(infos_of(o), key);

  if (!value)
    fail_msg("%s: no %s", lines, key);
  if (fabs(atof(value) - truth) > TOLERANCE * truth)
    fail_msg("%s: %s is %s, not %g", lines, key, value, truth);
}

static void delays_are_found(void **state)
{
  static const struct {
    const char *lines; /* of the profile */
    unsigned line;     /* of L1, bytes */
    double coalesced, uncoalesced;
  } cases[] = {
      {"", 128, 1, 1},
      {"miss_cycles = 3", 128, 3, 3},
      /* a row is four sectors, or a lane needs one */
      {"miss_bytes_per_cycle = 32", 128, 4, 1},
      {"miss_bytes_per_cycle = 32\nmiss_cycles = 2", 128, 4, 2},
      {"miss_bytes_per_cycle = 16\nmiss_cycles = 2", 128, 8, 2},
      /* a row is of two lines */
      {"miss_cycles = 2", 64, 4, 2},
      /* Little's law: one line in each 200 / 20 cycles, whatever the port could */
      {"outstanding_per_sm = 20\nmiss_cycles = 2", 128, 10, 10},
      /* 24 warps make a load in each 40 / 24 cycles, which is often enough */
      {"load_cycles = 40\nmiss_cycles = 2", 128, 2, 2},
  };

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    struct opened o;

    measure(&o, cases[i].lines, "900", cases[i].line);
    is_near(&o, cases[i].lines, "DepartureDelayCycles", cases[i].coalesced);
    is_near(&o, cases[i].lines, "UncoalescedDepartureDelayCycles", cases[i].uncoalesced);
    close_gpu(&o);
  }
}

static void absent(const char *lines, const char *gbps, const char *why)
{
  struct opened o;
  const char *source;

  measure(&o, lines, gbps, 128);
  source = gc_infos_get(infos_of(&o), "DepartureDelaySource");
  assert_null(gc_infos_get(infos_of(&o), "DepartureDelayCycles"));
  if (!strstr(source, why))
    fail_msg("%s, %s GB/s: '%s', not '%s'", lines, gbps, source, why);
  close_gpu(&o);
}

static void other_limits_are_reasons(void **state)
{
  (void)state;
  /* 32 warps make a load in each 100 / 32 cycles, 24 warps in each 100 / 24 */
  absent("load_cycles = 100", "900", "more warps may be faster");
  /* 128 bytes in a cycle are 128 GB/s */
  absent("", "130", "the bandwidth of L2 may be the limit");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(delays_are_found),
      cmocka_unit_test(other_limits_are_reasons),
  };

  return cmocka_run_group_tests_name("departure delay", tests, NULL, NULL);
}
