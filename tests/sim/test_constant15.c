/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The census of a constant L1.5 that one bank of constants does not fill. It agrees with the size
 * at which misses begin, a wrong capacity is withheld, and a missing census has a reason.
 */
#include "measure/capacity/capacity.h"
#include "measure/census/census.h"
#include "measure/census/probes.h"
#include "measure/core/step_memory.h"
#include "measure/geometry/geometry.h"
#include "measure/walk/banks.h"

#include "census.h"

/* A GPU with these lines for [cache ConstantL1.5], which four SMs share. */
static void open_l15(struct opened *o, const char *l15)
{
  open_profile(o,
            "model = Variant\ncompute = 9.0\nsms = 32\nclock_khz = 1000000\nthreads_per_sm = 2048\n"
            "blocks_per_sm = 32\nmemory = 512 MiB\nshared_per_sm = 32 KiB\nshared_per_block = 32 KiB\n"
            "clock_overhead = 4\n[cache ConstantL1]\nsize = 2 KiB\nline = 64\nways = 4\nreplacement = lru\n"
            "[cache ConstantL1.5]\nscope = group 4\n%s\n[cache L2]\nscope = chip\nsize = 2 MiB\nline = 128\n"
            "sector = 32\nways = 16\nreplacement = lru\n"
            "[space ca]\npath = L2 200 3, memory 500 5\n[space cg]\npath = L2 200 3, memory 500 5\n"
            "[space constant]\npath = ConstantL1 28, ConstantL1.5 98 1, L2 307 5, memory 694 90\n"
            "[space shared]\npath = memory 20\n",
            l15);
  open_warm_bench(o);
}

/* Sets the capacity as if the search had found it. (With random replacement the search finds none,
 * because lines that were loaded once do not stay.) */
static void claim_l15(struct opened *o, uint64_t capacity)
{
  claim_constant_l1(o);
  measured(o, GC_CONSTANT_L15)->level = (struct gc_level){.hit = 102, .miss = 312, .usual = 106, .stride = 64};
  claim(o, GC_CONSTANT_L15, capacity);
}

/* Several replacement policies, and sizes of one to three banks. */
static void census_agrees_with_the_capacity(void **state)
{
  static const struct {
    uint64_t kib;
    const char *text;
  } caches[] = {
    {52, "line = 256\nways = 4\nreplacement = lru"},
    {64, "line = 64\nways = 8\nreplacement = plru"},
    {84, "line = 128\nways = 6\nreplacement = lru"},
    {100, "line = 256\nways = 10\nreplacement = random"},
    {124, "line = 256\nways = 8\nreplacement = lru"},
    {128, "line = 256\nways = 8\nreplacement = plru"},
    {128, "line = 256\nways = 128\nreplacement = lru"},
    {128, "line = 256\nways = 4\nreplacement = random"},
    {128, "line = 128\nways = 4\nreplacement = weighted 1 1 1 3"},
    {160, "line = 256\nways = 5\nreplacement = lru"},
    {188, "line = 256\nways = 4\nreplacement = random"},
  };

  (void)state;
  for (size_t i = 0; i < sizeof(caches) / sizeof(*caches); i++) {
    const uint64_t bytes = caches[i].kib << 10;
    const struct gc_element *element;
    char lines[160];
    double census, error;
    struct opened o;

    snprintf(lines, sizeof(lines), "size = %d KiB\n%s", (int)caches[i].kib, caches[i].text);
    open_l15(&o, lines);
    claim_l15(&o, bytes);
    element = run_step(&o, gc_step_constant15_census, GC_CONSTANT_L15);
    census = number(element, "CensusBytes");
    error = number(element, "CensusErrorBytes");
    if (!(fabs(census - (double)bytes) <= 0.02 * (double)bytes + 4 * error) || !(error <= 0.03 * (double)bytes) ||
        number(element, "CapacityBytes") != (double)bytes)
      fail_msg("%s: the census is %.0f +- %.0f (%s)", lines, census, error, text(element, "CensusSource"));
    close_gpu(&o);
  }
}

#define L15(near)                                                                                  \
  {GC_CONSTANT_L15, gc_step_constant15_capacity, gc_step_constant15_census, 131072, open_l15,               \
   "size = 128 KiB\nline = 256\nways = 128\nreplacement = lru", near}
static const struct wrong l15[] = {L15(false), L15(true)};

static void wrong_capacities_are_withheld(void **state)
{
  static const int differences[] = {-32768, -8192, -6144, 0, 6144, 8192, 20480};

  (void)state;
  check_differences(&l15[0], differences, sizeof(differences) / sizeof(*differences));
}

/* If the cache ends in the part that a census ignores, smaller errors stay unnoticed. */
static void wrong_capacities_behind_an_l1_are_withheld(void **state)
{
  static const int differences[] = {-32768, -8192, 0, 8192, 20480};

  (void)state;
  check_differences(&l15[1], differences, sizeof(differences) / sizeof(*differences));
}

/* The last tenth of what each of three banks reads is not probed. The cache keeps the newest 1.2
 * banks, and the census must count the parts that are not probed, too. */
static void ignored_parts_are_interpolated(void **state)
{
  enum { BANK = 256, BANKS = 3, HIDDEN = 26, KEPT = BANK * 6 / 5, ROUNDS = 4 };
  struct gc_probes probes = {.bytes = BANKS * BANK * 256, .n = BANKS * BANK, .rounds = ROUNDS};
  struct gc_census census = {.error = 0};
  struct gc_bench bench = {.err = NULL};

  (void)state;
  assert_int_equal(gc_probes_open(&probes, &bench), 0);
  for (uint32_t part = 0; part < probes.n; part++)
    if (part % BANK < BANK - HIDDEN)
      gc_probes_add(&probes, part, part % ROUNDS, part >= probes.n - KEPT, true);
  gc_probes_conclude(&probes, NULL, &census);
  gc_step_free_all(&bench);
  assert_string_equal(census.absent, "");
  if (!(fabs(census.bytes - KEPT * 256.0) <= 0.01 * KEPT * 256))
    fail_msg("the census is %.0f +- %.0f of %d", census.bytes, census.error, KEPT * 256);
  assert_true(census.error > 0 && census.error < 0.03 * census.bytes);
}

/* Every second block has a load, and every set must get as many of these as the others. The parity
 * of the block's number does not choose well if the number of sets is a multiple of 3, nor does the
 * distance of blocks if the number of sets is odd and there are few ways. */
static void lines_are_found_whatever_the_number_of_sets(void **state)
{
  static const struct {
    unsigned sets, ways, line;
  } caches[] = {{12, 69, 128}, {12, 34, 256}, {48, 8, 256},  {7, 60, 256},  {64, 8, 256},
                {30, 14, 256}, {1055, 2, 64}, {475, 2, 128}, {455, 2, 128}, {119, 4, 256}};

  (void)state;
  for (size_t i = 0; i < sizeof(caches) / sizeof(*caches); i++) {
    const unsigned sets = caches[i].sets, ways = caches[i].ways, line = caches[i].line;
    const struct gc_element *element;
    struct opened o;
    char lines[160];

    snprintf(lines, sizeof(lines), "size = %u B\nline = %u\nways = %u\nreplacement = lru",
             sets * ways * line, line, ways);
    open_l15(&o, lines);
    run_step(&o, gc_step_constant15_capacity, GC_CONSTANT_L15);
    run_step(&o, gc_step_fetch, GC_CONSTANT_L15);
    element = run_step(&o, gc_step_constant15_line, GC_CONSTANT_L15);
    if (number(element, "LineBytes") != line)
      fail_msg("%u sets of %u ways: a line of %s instead of %u bytes", sets, ways,
               text(element, "LineBytes"), line);
    close_gpu(&o);
  }
}

/* Leaves out one of the concurrent launches. */
static int leave_one_out(struct gc_device *device, const struct gc_launch *launches, const uint32_t *copies,
                         size_t n, struct gc_error *err)
{
  return gc_device_sim.launch_concurrent(device, launches, copies,
                                       launches->kernel == GC_KERNEL_banks_census ? n - 1 : n, err);
}

/* There is no census, for this reason, and the capacity stays. */
static void check_no_census(const char *why, uint64_t capacity, struct gc_device_ops *ops)
{
  const struct gc_element *element;
  struct opened o;

  open_l15(&o, "size = 128 KiB\nline = 256\nways = 8\nreplacement = lru");
  run_step(&o, gc_step_constant15_capacity, GC_CONSTANT_L15);
  claim(&o, GC_CONSTANT_L15, capacity);
  gc_forget_participants(&o.m);
  if (ops)
    o.m.bench.ops = ops;
  element = run_step(&o, gc_step_constant15_census, GC_CONSTANT_L15);
  assert_string_equal(text(element, "CensusSource"), why);
  assert_true(isnan(number(element, "CensusBytes")));
  assert_int_equal(number(element, "CapacityBytes"), capacity);
  assert_string_equal(o.results->warnings, "");
  close_gpu(&o);
}

static void a_missing_census_has_a_reason(void **state)
{
  struct gc_device_ops alone = gc_device_sim, broken = gc_device_sim;

  (void)state;
  alone.launch_concurrent = NULL;
  broken.launch_concurrent = leave_one_out;
  check_no_census("absent:there is not enough to read for it", 220 << 10, NULL);
  check_no_census("absent:this GPU cannot run several launches together", 128 << 10, &alone);
  check_no_census("absent:launches that should run together did not", 128 << 10, &broken);
}

static unsigned launched, observed;

static int count_launch(struct gc_device *device, const struct gc_launch *launches, const uint32_t *copies,
                        size_t n, struct gc_error *err)
{
  launched++;
  return gc_device_sim.launch_concurrent(device, launches, copies, n, err);
}

static int count_observed(void *data, double milliseconds)
{
  (void)data;
  (void)milliseconds;
  observed++;
  return 0;
}

/* The census also checks after each of its launches whether another program uses the GPU. */
static void every_launch_is_observed(void **state)
{
  struct gc_device_ops ops = gc_device_sim;
  struct opened o;

  (void)state;
  ops.launch_concurrent = count_launch;
  open_l15(&o, "size = 128 KiB\nline = 256\nways = 8\nreplacement = lru");
  claim_l15(&o, 128 << 10);
  run_step(&o, gc_step_constant15_census, GC_CONSTANT_L15); /* finds the participants */
  o.m.bench.ops = &ops;
  o.m.bench.observer = (struct gc_launch_observer){count_observed, NULL};
  launched = observed = 0;
  run_step(&o, gc_step_constant15_census, GC_CONSTANT_L15);
  assert_true(launched > 0);
  assert_int_equal(observed, launched);
  close_gpu(&o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_launch_is_observed),
      cmocka_unit_test(census_agrees_with_the_capacity),
      cmocka_unit_test(wrong_capacities_are_withheld),
      cmocka_unit_test(wrong_capacities_behind_an_l1_are_withheld),
      cmocka_unit_test(lines_are_found_whatever_the_number_of_sets),
      cmocka_unit_test(ignored_parts_are_interpolated),
      cmocka_unit_test(a_missing_census_has_a_reason),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
