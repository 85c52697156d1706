/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What caches do with stores: every policy of the model is found, and so are carve-outs that only
 * large blocks can have.
 */
#include "measure/capacity/capacity.h"
#include "measure/structure/write_back.h"
#include "open.h"

static void open_policies(struct opened *o, const char *l1, const char *l2)
{
  open_profile(o,
               "model = Stores\ncompute = 7.0\nclock_khz = 1000000\nthreads_per_block = 1024\n"
               "threads_per_sm = 2048\nblocks_per_sm = 16\nmemory = 512 MiB\nshared_per_sm = 32 KiB\n"
               "shared_per_block = 32 KiB\nclock_overhead = 4\nsms = 12\nmemory_read_gbps = 40\n"
               "shared_reserved = 1 KiB\n"
               "[unified]\ntotal = 64 KiB\ncarveouts = 0 4 16 32 KiB\n"
               "[cache L1]\nsize = unified\nline = 128\nsector = 32\nways = 4\nreplacement = lru\n%s\n"
               "[cache L2]\nscope = chip\nsize = 2 MiB\nline = 128\nsector = 32\nways = 16\n"
               "replacement = lru\nread_gbps = 160\n%s\n"
               "[space ca]\npath = L1 30 0.5, L2 200 2, memory 500 5\n"
               "[space cg]\npath = L2 200 2, memory 500 5\n[space shared]\npath = memory 20\n",
               l1, l2);
}

/* right: NULL: it must be absent. */
static void check_text(const struct opened *o, enum gc_kind kind, const char *key, const char *right)
{
  const struct gc_element *element = gc_record_find(o->record, kind);
  const char *found = element ? gc_infos_get(&element->infos, key) : NULL;
  char source[64];

  snprintf(source, sizeof(source), "%sSource", key);
  if (!found != !right || (found && strcmp(found, right)))
    fail_msg("%s of %s: '%s' instead of '%s' (%s)", key, gc_kinds[kind].subtype,
             found ? found : "-", right ? right : "-",
             element ? text(element, source) : "no element");
}

static void every_policy_is_found(void **state)
{
  static const struct {
    const char *l1, *l2, *l1_policy, *l1_allocate, *l2_allocate;
  } cases[] = {
      {"", "write_allocate = none", "through", "none", "none"},
      /* L1 keeps the stores, so nothing shows what L2 does with them */
      {"write_allocate = sector\nwrite = back", "write_allocate = none", "back", "sector", NULL},
      {"write_allocate = sector\nwrite = back", "write_allocate = line", "back", "sector", NULL},
      {"write_allocate = line", "write_allocate = line", "through", "line", "line"},
  };

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    const struct gc_measure_options options = {.only = "DeviceMemory,L2Cache,L1Cache"};
    struct opened o;

    open_policies(&o, cases[i].l1, cases[i].l2);
    must(&o, gc_measure(o.device, &options, o.record, &o.err), "measure");
    check_text(&o, GC_L1, "WritePolicy", cases[i].l1_policy);
    check_text(&o, GC_L1, "WriteAllocate", cases[i].l1_allocate);
    check_text(&o, GC_L2, "WriteAllocate", cases[i].l2_allocate);
    check_text(&o, GC_L2, "WritePolicy", "back"); /* 160 and 40 GB/s */
    /* 16 blocks of 1 and of 4 warps need 16 KiB, 2 blocks of 32 warps 4 KiB */
    check_text(&o, GC_L1, "CarveoutTable", "0:49152,51:32768,default:49152");
    check_text(&o, GC_L1, "CarveoutTable4Warps", "0:49152,51:32768,default:49152");
    check_text(&o, GC_L1, "CarveoutTable32Warps", "0:61440,13:49152,51:32768,default:61440");
    close_gpu(&o);
  }
}

/* Slow loads at the wrong sizes (seed 15) do not make an L1 look like another one. */
static void slow_loads_do_not_hide_carveouts(void **state)
{
  (void)state;
  for (unsigned seed = 14; seed <= 16; seed++) {
    struct opened o;
    char lines[32];

    snprintf(lines, sizeof(lines), "seed = %u\nsms = ", seed);
    open_edited(&o, &(struct edited){"b200",
                                     {{"outliers = 0.0003", "outliers = 0.0012"},
                                      {"\nseed = ", "\n# "},
                                      {"sms = ", lines}}});
    open_warm_bench(&o);
    run_step(&o, gc_step_capacity, GC_L1);
    run_step(&o, gc_step_carveouts, GC_L1);
    run_step(&o, gc_step_carveouts_by_block, GC_L1);
    check_text(&o, GC_L1, "CarveoutTable4Warps",
               "0:222208,15:189440,29:152576,44:119808,58:87040,72:54272,86:21504,default:222208");
    assert_string_equal(text(gc_record_find(o.record, GC_L1), "CarveoutTable32WarpsSource"),
                        "measured");
    close_gpu(&o);
  }
}

/* The GPU above, whose L2 takes stores hardly faster than memory; so only lines that are evicted show
 * what it does with them. noise: of bandwidths. */
static void open_slow(struct opened *o, const char *l2, double noise)
{
  open_profile(o,
               "model = Slow\ncompute = 7.0\nclock_khz = 1000000\nthreads_per_block = 1024\n"
               "threads_per_sm = 2048\nblocks_per_sm = 16\nmemory = 512 MiB\nshared_per_sm = 32 KiB\n"
               "shared_per_block = 32 KiB\nclock_overhead = 4\nsms = 12\nmemory_read_gbps = 40\n"
               "bandwidth_noise = %g\n"
               "[cache L1]\nsize = 32 KiB\nline = 128\nsector = 32\nways = 4\nreplacement = lru\n"
               "[cache L2]\nscope = chip\nsize = 2 MiB\nline = 128\nsector = 32\nways = 16\n"
               "write_gbps = 42\n%s\n%s\n"
               "[space ca]\npath = L1 30 0.5, L2 200 2, memory 500 5\n"
               "[space cg]\npath = L2 200 2, memory 500 5\n[space shared]\npath = memory 20\n",
               noise, strstr(l2, "read_gbps") ? "" : "read_gbps = 160", l2);
}

#define LRU "replacement = lru\n"
#define HALVES LRU "partitions = 2\nreplicate = yes\nfar_cycles = 60\npartition_sms = 2\n"

static void evicted_lines_show_the_policy_of_l2(void **state)
{
  static const struct {
    const char *l2;
    double noise;
    const char *policy;
  } cases[] = {
      {LRU, 0.01, "back"},
      {LRU "write = through", 0.01, "through"},
      /* a store brings nothing in, but finds the lines that were loaded */
      {LRU "write_allocate = none", 0.01, "back"},
      {LRU "write = through\nwrite_allocate = none", 0.01, "through"},
      {LRU "write_allocate = line", 0.01, "back"},
      {"replacement = random", 0.01, "back"},
      {"replacement = random\nwrite = through", 0.01, "through"},
      {HALVES, 0.01, "back"},
      {HALVES "write = through", 0.01, "through"},
      /* memory has time to write while L2 is busy */
      {LRU "read_gbps = 30", 0.01, NULL},
      {LRU "write = through\nread_gbps = 30", 0.01, NULL},
      /* the noise is larger than the difference */
      {LRU, 0.5, NULL},
      {LRU "write = through", 0.5, NULL},
      /* stores do not stay until the next kernel */
      {LRU "survives_launch = no", 0.01, NULL},
  };

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    const struct gc_measure_options options = {.only = "DeviceMemory,L2Cache"};
    struct opened o;

    open_slow(&o, cases[i].l2, cases[i].noise);
    must(&o, gc_measure(o.device, &options, o.record, &o.err), "measure");
    check_text(&o, GC_L2, "WritePolicy", cases[i].policy);
    close_gpu(&o);
  }
}

static double mean(const double *values, int n)
{
  double sum = 0;

  for (int i = 0; i < n; i++)
    sum += values[i];
  return sum / n;
}

/* Single reads that other traffic disturbs decide what means say, but not what ranks say. */
static void ranks_decide_where_means_are_wrong(void **state)
{
  const struct gc_write_back_times
    back = {{124, 125, 126, 124, 125}, {100, 101, 260, 100, 101}, {101, 100}, 25},
    through = {{100, 101, 101, 190, 100}, {100, 101, 100, 102, 101}, {101, 100}, 25};
  struct gc_write_back_times times = back;
  double confidence;
  bool found;

  (void)state;
  assert_true(mean(back.stored, 5) < mean(back.loaded, 5));
  assert_null(gc_write_back_judge(&back, &found, &confidence));
  assert_true(found && confidence > 0.9 && confidence < 1);
  assert_true(mean(through.stored, 5) - mean(through.loaded, 5) > 0.25 * through.all);
  assert_null(gc_write_back_judge(&through, &found, &confidence));
  assert_false(found);
  /* a part of what all lines would take: neither */
  for (int i = 0; i < GC_WRITE_BACK_ROUNDS; i++)
    times.stored[i] = times.loaded[i] = 100 + i % 2;
  for (int i = 0; i < GC_WRITE_BACK_ROUNDS; i++)
    times.stored[i] += 5;
  assert_non_null(gc_write_back_judge(&times, &found, &confidence));
  /* reads take longer even where no stored line is left */
  times = back;
  times.evicted[0] = times.evicted[1] = 125;
  assert_non_null(gc_write_back_judge(&times, &found, &confidence));
  times = (struct gc_write_back_times){.all = 0};
  assert_non_null(gc_write_back_judge(&times, &found, &confidence));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slow_loads_do_not_hide_carveouts),
      cmocka_unit_test(every_policy_is_found),
      cmocka_unit_test(evicted_lines_show_the_policy_of_l2),
      cmocka_unit_test(ranks_decide_where_means_are_wrong),
  };

  return cmocka_run_group_tests_name("stores", tests, NULL, NULL);
}
