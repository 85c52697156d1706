/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The L3 of simulated GPUs that have TLBs of a short reach. Loads of an L3 are so far apart that
 * each may miss in a TLB.
 */
#include "measure/capacity/capacity.h"
#include "measure/census/census.h"
#include "measure/latency/latency.h"
#include "open.h"

#define L3_BYTES (16 << 20)

struct l3_case {
  const char *chip, *l3, *tlb; /* lines of the chip and of [cache L3]; sections of TLBs */
};

/* The L3 has 16 ways: every MiB meets the same sets. */
static void open_l3(struct opened *gpu, const struct l3_case *c)
{
  open_profile(gpu,
               "model = L3\ngfx = gfx1100\nsms = 4\nwarp = 32\nclock_khz = 1000000\n"
               "threads_per_sm = 1024\nblocks_per_sm = 16\nshared_per_sm = 64 KiB\n"
               "shared_per_block = 64 KiB\nclock_overhead = 4\noutliers = 0.0003 40 900\n%s\n"
               "[cache L1]\nsize = 16 KiB\nline = 128\nways = 16\nreplacement = lru\n"
               "[cache ScalarL1]\nsize = 16 KiB\nline = 64\nways = 4\nreplacement = lru\n"
               "[cache L2]\nscope = chip\nsize = 256 KiB\nline = 128\nways = 16\n"
               "replacement = lru\n"
               "[cache L3]\nscope = chip\nsize = 16 MiB\nline = 128\nways = 16\n%s\n%s\n"
               "[space ca]\npath = L1 100, L2 200 4, L3 400 8, memory 700 20\n"
               "[space cg]\npath = L2 200 4, L3 400 8, memory 700 20\n"
               "[space scalar]\npath = ScalarL1 40, L2 190, L3 390, memory 690\n"
               "[space shared]\npath = memory 50\n"
               "[sysfs L2Cache]\nNominalBytes = 262144\nInstances = 1\n"
               "[sysfs L3Cache]\nNominalBytes = 16777216\nInstances = 1\n",
               c->chip, *c->l3 ? c->l3 : "replacement = lru", c->tlb);
  open_warm_bench(gpu);
}

static void find_capacity(struct opened *gpu, const struct l3_case *c)
{
  open_l3(gpu, c);
  run_step(gpu, gc_step_l3_capacity, GC_L3);
}

#define MEMORY "memory = 2 GiB\n"
#define TLB(lines) "[tlb A]\n" lines

static void a_tlb_changes_nothing(void **state)
{
  static const char *const tlbs[] = {
      "",
      TLB("penalty = 150\nentries = 32\ncovers = 64 KiB"),
      TLB("penalty = 150\nentries = 1\ncovers = 2 MiB"),
      TLB("penalty = 300\nentries = 6\ncovers = 2 MiB"),
      TLB("penalty = 500\nentries = 64\ncovers = 4 KiB\nscope = group 2"),
      TLB("penalty = 90\nentries = 16\ncovers = 64 KiB\n"
          "[tlb B]\npenalty = 250\nentries = 128\nways = 8\ncovers = 64 KiB\nscope = chip")};

  (void)state;
  for (size_t i = 0; i < sizeof(tlbs) / sizeof(*tlbs); i++) {
    const struct gc_element *element;
    struct opened gpu;

    find_capacity(&gpu, &(struct l3_case){MEMORY, "", tlbs[i]});
    run_step(&gpu, gc_step_memory_latency, GC_DEVICE_MEMORY);
    run_step(&gpu, gc_step_l3_census, GC_L3);
    run_step(&gpu, gc_step_l3_latency, GC_L3);
    element = run_step(&gpu, gc_step_l3_penalty, GC_L3);
    if (number(element, "CapacityBytes") != L3_BYTES ||
        !(fabs(number(element, "CensusBytes") - L3_BYTES) < 0.03 * L3_BYTES) ||
        !(fabs(number(element, "LatencyCycles") - 400) <= 2) ||
        !(fabs(number(element, "MissPenaltyCycles") - 300) <= 14))
      fail_msg("%s: %s %s, %s %s, %s, %s", tlbs[i], text(element, "CapacitySource"),
               text(element, "CapacityBytes"), text(element, "CensusSource"),
               text(element, "CensusBytes"), text(element, "LatencyCycles"),
               text(element, "MissPenaltyCycles"));
    close_gpu(&gpu);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_tlb_changes_nothing),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
