/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Outstanding misses of simulated GPUs: the limits of the model are found, and nothing is reported
 * where no limit shows.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/bandwidth/bandwidth.h"
#include "measure/capacity/capacity.h"

#include "open.h"

#include <unistd.h>

struct expected {
  const char *lines; /* of the profile */
  uint64_t sm, warp; /* 0: absent */
  uint64_t sm_at_least, warp_at_least; /* the lower bound is in [n / 4, n] */
};

static void open_chip(struct opened *run, const char *lines)
{
  open_profile(run,
            "model = Test chip\ncompute = 7.5\nsms = 4\nclock_khz = 1500000\n"
            "memory = 1 GiB\nthreads_per_sm = 1024\nblocks_per_sm = 16\nshared_per_sm = 32 KiB\n"
            "shared_per_block = 31 KiB\nclock_overhead = 6\nmemory_read_gbps = 60\n"
            "memory_write_gbps = 60\n%s\n"
            "[cache L1]\nsize = 32 KiB\nline = 128\nsector = 32\nways = 4\nreplacement = lru\n"
            "[cache L2]\nscope = chip\nsize = 2 MiB\nline = 128\nsector = 32\nways = 16\n"
            "replacement = lru\nread_gbps = 200\nwrite_gbps = 200\n"
            "[space ca]\npath = L1 30, L2 200 3, memory 500 20\nread_bytes_per_cycle = 128\n"
            "[space cg]\npath = L2 200 3, memory 500 20\n"
            "[space shared]\npath = memory 20\nread_bytes_per_cycle = 100\n"
            "write_bytes_per_cycle = 50\n",
            lines);
  open_bench(run);
}

static uint64_t value_of(const struct gc_infos *infos, const char *key)
{
  uint64_t value;

  return gc_infos_get_u64(infos, key, &value) ? 0 : value;
}

static void check(struct opened *run, const struct expected *e)
{
  const struct gc_infos *infos;
  uint64_t bound;

  run_step(run, gc_step_outstanding_warp, GC_L1);
  infos = &run_step(run, gc_step_outstanding_sm, GC_L1)->infos;
  if (value_of(infos, HWLOC_GPUCACHE_OUTSTANDING_PER_SM) != e->sm ||
      value_of(infos, HWLOC_GPUCACHE_OUTSTANDING_PER_WARP) != e->warp)
    fail_msg("%s: %llu per SM, not %llu; %llu per warp, not %llu", e->lines,
             (unsigned long long)value_of(infos, HWLOC_GPUCACHE_OUTSTANDING_PER_SM),
             (unsigned long long)e->sm,
             (unsigned long long)value_of(infos, HWLOC_GPUCACHE_OUTSTANDING_PER_WARP),
             (unsigned long long)e->warp);
  bound = value_of(infos, HWLOC_GPUCACHE_OUTSTANDING_PER_SM_AT_LEAST);
  if (bound > e->sm_at_least || 4 * bound < e->sm_at_least)
    fail_msg("%s: at least %llu per SM", e->lines, (unsigned long long)bound);
  bound = value_of(infos, HWLOC_GPUCACHE_OUTSTANDING_PER_WARP_AT_LEAST);
  if (bound > e->warp_at_least || 4 * bound < e->warp_at_least)
    fail_msg("%s: at least %llu per warp", e->lines, (unsigned long long)bound);
}

static void limits_are_found(void **state)
{
  static const struct expected cases[] = {
    {"outstanding_per_sm = 64\noutstanding_per_warp = 6", 64, 6, 0, 0},
    {"outstanding_per_sm = 100", 100, 0, 0, 32},
    /* a warp has no more than its SM */
    {"outstanding_per_sm = 24\nload_cycles = 4", 24, 24, 0, 0},
    /* only a warp is limited: sixteen of them are no limit of the SM */
    {"outstanding_per_warp = 5", 0, 5, 80, 0},
    {"outstanding_per_warp = 1", 0, 1, 16, 0},
    /* nothing is limited: the SM requests a line in each cycle or every third */
    {"", 0, 0, 200, 32},
    {"miss_cycles = 3", 0, 0, 64, 32},
    /* a limit that the SM cannot reach: 500 cycles / 3 */
    {"outstanding_per_sm = 400\nmiss_cycles = 3", 0, 0, 64, 32},
  };

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    struct opened run;

    open_chip(&run, cases[i].lines);
    check(&run, &cases[i]);
    close_gpu(&run);
  }
}

/* Nugteren et al. 2014, section 5.2: "64 MSHRs", and a warp can use 6. */
static void the_gtx_470_is_as_in_the_paper(void **state)
{
  struct opened run;

  (void)state;
  open_gpu(&run, "gtx470");
  open_bench(&run);
  check(&run, &(struct expected){"gtx470", 64, 6, 0, 0});
  close_gpu(&run);
}

/* Loads of which some take twice as long as others show no step. */
static void noise_is_no_limit(void **state)
{
  struct opened run;

  (void)state;
  open_profile(&run,
            "model = Noise\ncompute = 7.5\nsms = 4\nclock_khz = 1500000\nmemory = 1 GiB\n"
            "threads_per_sm = 1024\nblocks_per_sm = 16\nshared_per_sm = 32 KiB\n"
            "shared_per_block = 31 KiB\nclock_overhead = 6\nmemory_read_gbps = 60\n"
            "memory_write_gbps = 60\n"
            "[cache L1]\nsize = 32 KiB\nline = 128\nways = 4\nreplacement = lru\n"
            "[cache L2]\nscope = chip\nsize = 2 MiB\nline = 128\nways = 16\nreplacement = lru\n"
            "read_gbps = 200\nwrite_gbps = 200\n"
            "[space ca]\npath = L1 30, L2 200 150, memory 500 400\n"
            "[space cg]\npath = L2 200 150, memory 500 400\n"
            "[space shared]\npath = memory 20\nread_bytes_per_cycle = 100\n"
            "write_bytes_per_cycle = 50\n");
  open_bench(&run);
  check(&run, &(struct expected){"noise", 0, 0, 0, 0});
  close_gpu(&run);
}

/* Runs a step with --raw. Returns the last size of its table at which the value is more than half of
 * the largest value. */
static double half_of(struct opened *run, gc_step *step, enum gc_kind kind)
{
  char dir[] = "/tmp/gpucache-raw-XXXXXX", path[128], line[256];
  double size, value, most = 0, last = 0;
  FILE *file;

  assert_non_null(mkdtemp(dir));
  must(run,
       gc_raw_open(dir, &(struct gc_raw_source){"g", "sim", "model", "test", 0, false},
                   &run->m.bench.raw, &run->err),
       "raw");
  run_step(run, step, kind);
  must(run, gc_raw_close(run->m.bench.raw, NULL, &run->err), "raw");
  run->m.bench.raw = NULL;
  snprintf(path, sizeof(path), "%s/g-%s-read-against-size.tsv", dir, gc_kinds[kind].subtype);
  assert_non_null(file = fopen(path, "r"));
  while (fgets(line, sizeof(line), file))
    if (sscanf(line, "%lf\t%lf", &size, &value) == 2) {
      most = value > most ? value : most;
      last = value > most / 2 ? size : last;
    }
  fclose(file);
  unlink(path);
  rmdir(dir);
  return last;
}

/* The bandwidth drops where the arrays become larger than the caches. */
static void bandwidth_drops_at_the_capacities(void **state)
{
  struct opened run;
  double l1, l2;

  (void)state;
  open_chip(&run, "");
  run_step(&run, gc_step_capacity, GC_L1);
  l1 = half_of(&run, gc_step_size_curve_sm, GC_L1);
  l2 = half_of(&run, gc_step_size_curve_gpu, GC_L2);
  if (l1 < 32 << 10 || l1 > 40 << 10)
    fail_msg("L1 of 32 KiB: the bandwidth drops at %.0f bytes", l1);
  if (l2 < 1 << 20 || l2 > 2.8 * (1 << 20))
    fail_msg("L2 of 2 MiB: the bandwidth drops at %.0f bytes", l2);
  close_gpu(&run);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(limits_are_found),
    cmocka_unit_test(the_gtx_470_is_as_in_the_paper),
    cmocka_unit_test(noise_is_no_limit),
    cmocka_unit_test(bandwidth_drops_at_the_capacities),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
