/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * GPUs on which several SMs share an L1, and evict each other's lines if they walk arrays at the
 * same time.
 */
#include "open.h"

#include "measure/capacity/capacity.h"
#include "measure/walk/path.h"

static void open_shared(struct opened *o, unsigned sms, const char *scope, const char *replacement)
{
  open_profile(o,
               "model = Shared L1\ncompute = 7.0\nclock_khz = 1000000\nthreads_per_block = 1024\n"
               "threads_per_sm = 2048\nblocks_per_sm = 16\nmemory = 512 MiB\nshared_per_sm = 32 KiB\n"
               "shared_per_block = 32 KiB\nclock_overhead = 4\nsms = %u\n"
               "[cache L1]\n%s\nsize = 24 KiB\nline = 128\nsector = 32\nways = 6\n"
               "replacement = %s\n"
               "[cache L2]\nscope = chip\nsize = 2 MiB\nline = 128\nsector = 32\nways = 16\n"
               "replacement = lru\n"
               "[space ca]\npath = L1 30 0.5, L2 200 2, memory 500 5\n"
               "[space nc]\npath = L1 32 0.5, L2 204 2, memory 500 5\n"
               "[space texture]\npath = L1 60 0.5, L2 230 2, memory 530 5\n"
               "[space cg]\npath = L2 200 2, memory 500 5\n[space shared]\npath = memory 20\n",
               sms, scope, replacement);
}

static void check_number(const struct opened *o, enum gc_kind kind, const char *key, double truth)
{
  const double found = number(gc_record_find(o->record, kind), key);

  if (!(found == truth))
    fail_msg("%s of %s: %g instead of %g (%s)", key, gc_kinds[kind].subtype, found, truth,
             text(gc_record_find(o->record, kind), "CapacitySource"));
}

static void sms_that_share_are_measured_one_by_one(void **state)
{
  static const struct {
    unsigned sms, shared;
    const char *scope, *replacement;
  } cases[] = {{8, 2, "scope = group 2\ncompete = yes", "lru"},
               {16, 2, "scope = group 2\ncompete = yes", "random"},
               {12, 4, "scope = group 4\ncompete = yes", "weighted 1 3 1 1 2 1"},
               {8, 1, "", "lru"}};
  static const enum gc_kind kinds[] = {GC_L1, GC_READ_ONLY, GC_TEXTURE};

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    const struct gc_measure_options options = {.only = "L1Cache,ReadOnlyCache,TextureCache"};
    struct opened o;

    open_shared(&o, cases[i].sms, cases[i].scope, cases[i].replacement);
    must(&o, gc_measure(o.device, &options, o.record, &o.err), "measure");
    for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
      check_number(&o, kinds[k], "CapacityBytes", 24576);
      check_number(&o, kinds[k], "LineBytes", 128);
      check_number(&o, kinds[k], "FetchBytes", 32);
      check_number(&o, kinds[k], "Instances", cases[i].sms / cases[i].shared);
    }
    close_gpu(&o);
  }
}

/* The process that continues knows who shares. */
static void the_next_process_knows_who_shares(void **state)
{
  struct gc_results results;
  struct opened o;

  (void)state;
  open_shared(&o, 8, "scope = group 2\ncompete = yes", "lru");
  open_warm_bench(&o);
  run_step(&o, gc_step_capacity, GC_L1);
  assert_int_equal(o.m.bench.shared_kinds, 1u << GC_L1);
  results = *o.results;
  gc_measurement_close(&o.m);
  reopen_device(&o);
  *o.results = results;
  must(&o, gc_measurement_open(&o.m, o.device, NULL, o.results, &o.err), "bench");
  assert_true(gc_walks_alone(&o.m.bench, gc_path_of(GC_L1)));
  assert_false(gc_walks_alone(&o.m.bench, gc_path_of(GC_TEXTURE)));
  close_gpu(&o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(sms_that_share_are_measured_one_by_one),
    cmocka_unit_test(the_next_process_knows_who_shares),
  };

  return cmocka_run_group_tests_name("shared L1", tests, NULL, NULL);
}
