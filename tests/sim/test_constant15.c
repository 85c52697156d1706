/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A census of a constant L1.5 that one bank of constants does not fill: it agrees with where misses begin, a wrong
 * capacity is withheld, and where nothing can be counted it is said why.
 */
#include "census.h"
#include "measure/looks.h"
#include "measure/turns.h"

/* A GPU with these lines for [cache ConstantL1.5], which four SMs share. */
static void open_l15(struct opened *o, const char *l15)
{
  open_form(o,
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

/* As if the search had found this capacity. (With random replacement it finds none: what is brought in once
 * does not stay.) */
static struct gc_element *say_l15(struct opened *o, uint64_t capacity)
{
  struct gc_element *element = element_of(o, GC_CONSTANT_L15);

  know_constant_l1(o);
  o->bench.levels[GC_CONSTANT_L15] = (struct gc_level){.hit = 102, .miss = 312, .usual = 106, .stride = 64};
  assert_int_equal(gc_infos_set_u64(&element->infos, "CapacityBytes", capacity), 0);
  return element;
}

/* Whatever is replaced, and however many banks it takes. */
static void banks_agree(void **state)
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
    struct gc_element *element;
    char lines[160];
    double census, error;
    struct opened o;

    snprintf(lines, sizeof(lines), "size = %d KiB\n%s", (int)caches[i].kib, caches[i].text);
    open_l15(&o, lines);
    element = say_l15(&o, bytes);
    must(&o, gc_step_constant15_census(&o.bench, element), "census");
    census = number(element, "CensusBytes");
    error = number(element, "CensusErrorBytes");
    if (!(fabs(census - (double)bytes) <= 0.02 * (double)bytes + 4 * error) || !(error <= 0.03 * (double)bytes) ||
        number(element, "CapacityBytes") != (double)bytes)
      fail_msg("%s: counted %.0f +- %.0f (%s)", lines, census, error, text(element, "CensusSource"));
    close_gpu(&o);
  }
}

#define L15(near)                                                                                  \
  {GC_CONSTANT_L15, gc_step_constant15, gc_step_constant15_census, 131072, open_l15,               \
   "size = 128 KiB\nline = 256\nways = 128\nreplacement = lru", near}
static const struct wrong l15[] = {L15(false), L15(true)};

static void wrong_banks_are_noticed(void **state)
{
  static const int differences[] = {-32768, -8192, -6144, 0, 6144, 8192, 20480};

  (void)state;
  check_differences(&l15[0], differences, sizeof(differences) / sizeof(*differences));
}

/* Where the end of the cache falls on what does not count, less can be noticed. */
static void wrong_banks_behind_an_l1_are_noticed(void **state)
{
  static const int differences[] = {-32768, -8192, 0, 8192, 20480};

  (void)state;
  check_differences(&l15[1], differences, sizeof(differences) / sizeof(*differences));
}

/* The last tenth of what each of three banks read does not count; a cache that keeps 1.2 banks of it, the oldest
 * first out, has it all the same. */
static void what_does_not_count_is_filled_in(void **state)
{
  enum { BANK = 256, BANKS = 3, HIDDEN = 26, KEPT = BANK * 6 / 5, ROUNDS = 4 };
  struct gc_looks looks = {.bytes = BANKS * BANK * 256, .n = BANKS * BANK, .rounds = ROUNDS};
  struct gc_census census = {.error = 0};
  struct gc_error err = {""};

  (void)state;
  assert_int_equal(gc_looks_open(&looks, &err), 0);
  for (uint32_t part = 0; part < looks.n; part++)
    if (part % BANK < BANK - HIDDEN)
      gc_looks_add(&looks, part, part % ROUNDS, part >= looks.n - KEPT, true);
  gc_looks_conclude(&looks, NULL, &census);
  gc_looks_close(&looks);
  assert_string_equal(census.absent, "");
  if (!(fabs(census.bytes - KEPT * 256.0) <= 0.01 * KEPT * 256))
    fail_msg("counted were %.0f +- %.0f of %d", census.bytes, census.error, KEPT * 256);
  assert_true(census.error > 0 && census.error < 0.03 * census.bytes);
}

/* Launches of which one does not come. */
static int leave_one_out(struct gc_device *device, const struct gc_launch *launches, const uint32_t *copies,
                         size_t n, struct gc_error *err)
{
  return gc_device_sim.launch_together(device, launches, copies,
                                       launches->kernel == GC_KERNEL_turn_census ? n - 1 : n, err);
}

/* Where nothing can be counted it is said why, and the capacity stays. */
static void check_no_census(const char *why, uint64_t capacity, struct gc_device_ops *ops)
{
  struct gc_element *element;
  struct opened o;

  open_l15(&o, "size = 128 KiB\nline = 256\nways = 8\nreplacement = lru");
  element = element_of(&o, GC_CONSTANT_L15);
  must(&o, gc_step_constant15(&o.bench, element), "capacity");
  assert_int_equal(gc_infos_set_u64(&element->infos, "CapacityBytes", capacity), 0);
  gc_forget_takers(&o.bench);
  if (ops)
    o.bench.ops = ops;
  must(&o, gc_step_constant15_census(&o.bench, element), "census");
  assert_string_equal(text(element, "CensusSource"), why);
  assert_true(isnan(number(element, "CensusBytes")));
  assert_int_equal(number(element, "CapacityBytes"), capacity);
  assert_string_equal(o.bench.complaints, "");
  close_gpu(&o);
}

static void what_cannot_be_counted(void **state)
{
  struct gc_device_ops alone = gc_device_sim, broken = gc_device_sim;

  (void)state;
  alone.launch_together = NULL;
  broken.launch_together = leave_one_out;
  check_no_census("absent:there is not enough to read for it", 220 << 10, NULL);
  check_no_census("absent:this GPU cannot run several launches together", 128 << 10, &alone);
  check_no_census("absent:launches that should run together did not", 128 << 10, &broken);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(banks_agree),
    cmocka_unit_test(wrong_banks_are_noticed),
    cmocka_unit_test(wrong_banks_behind_an_l1_are_noticed),
    cmocka_unit_test(what_does_not_count_is_filled_in),
    cmocka_unit_test(what_cannot_be_counted),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
