/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A trace may have many small kernels. What one of them costs depends neither on the number of SMs
 * nor on the kernels before it. Counted, not timed. Linked with --wrap.
 */
#include "trace_text.h"

#include "predict/model/attribute.h"
#include "predict/model/sector_set.h"
#include "predict/model/sm.h"
#include "predict/predict.h"
#include "record/reader.h"

#include <stdatomic.h>

static atomic_ulong tables, begun, advanced;

int __real_gc_lines_init(struct gc_lines *lines, const struct gc_cache_geometry *geometry,
                         bool fully_associative, uint64_t seed);
int __wrap_gc_lines_init(struct gc_lines *lines, const struct gc_cache_geometry *geometry,
                         bool fully_associative, uint64_t seed);
int __wrap_gc_lines_init(struct gc_lines *lines, const struct gc_cache_geometry *geometry,
                         bool fully_associative, uint64_t seed)
{
  tables++;
  return __real_gc_lines_init(lines, geometry, fully_associative, seed);
}

int __real_gc_sm_begin(struct gc_sm *sm, unsigned residents);
int __wrap_gc_sm_begin(struct gc_sm *sm, unsigned residents);
int __wrap_gc_sm_begin(struct gc_sm *sm, unsigned residents)
{
  begun++;
  return __real_gc_sm_begin(sm, residents);
}

int __real_gc_sm_advance(struct gc_sm *sm, uint64_t until);
int __wrap_gc_sm_advance(struct gc_sm *sm, uint64_t until);
int __wrap_gc_sm_advance(struct gc_sm *sm, uint64_t until)
{
  advanced++;
  return __real_gc_sm_advance(sm, until);
}

static struct gc_record *read_record(void)
{
  static char text[GC_RECORD_MAX_BYTES];
  struct gc_record *record;
  struct gc_error err;
  char path[4200];
  FILE *file;
  size_t size;

  snprintf(path, sizeof path, "%s/doc/results/h200/record.xml", getenv("top_srcdir"));
  file = fopen(path, "r");
  assert_non_null(file);
  size = fread(text, 1, sizeof text, file);
  fclose(file);
  assert_int_equal(gc_record_read_xml(text, size, &record, &err), 0);
  return record;
}

/* Predicts a trace of so many kernels with one block each. carveouts: the shared memory of a block
 * alternates, so that L1 has another capacity in every kernel. Returns the calls. */
static unsigned long work(unsigned kernels, unsigned carveouts)
{
  const char *const traces[] = {"many.tsv"};
  struct gc_predict_job job = {
      .record = read_record(), .traces = traces, .trace_count = 1, .seeds = 2, .threads = 1};
  struct gc_prediction *prediction;
  FILE *file = fopen(traces[0], "w");
  struct gc_error err;

  assert_non_null(file);
  fputs("hwloc-gpucache-trace\t1\n", file);
  for (unsigned i = 0; i < kernels; i++)
    fprintf(file,
            "kernel\tk\nblocks\t1\nthreads\t32\nwarp\t32\nshared\t%u\n"
            "0\t0\t0\tload\t-\t4\tffffffff\t%x+4\n",
            i % carveouts * 100000, 0x1000 + 128 * i);
  fputs("end\n", file);
  assert_int_equal(fclose(file), 0);
  tables = begun = advanced = 0;
  assert_int_equal(gc_predict_traces(&job, &prediction, &err), 0);
  assert_int_equal(prediction->count, kernels);
  gc_prediction_free(prediction);
  gc_record_free((struct gc_record *)job.record);
  return tables + begun + advanced;
}

/* A histogram takes 86 KB: a caller can have those of some kernels only. */
static void histograms_of_chosen_kernels(void **state)
{
  static const bool chosen[] = {false, true}; /* of three kernels */
  const char *const traces[] = {"three.trc", "three.trc", "three.trc"};
  struct gc_predict_job job = {.record = read_record(),
                               .traces = traces,
                               .trace_count = 3,
                               .reuse = true,
                               .histogram_of = chosen,
                               .histograms = 2,
                               .no_loads = true};
  struct gc_prediction *prediction;
  FILE *file = fopen(traces[0], "w");
  struct gc_error err;

  (void)state;
  assert_non_null(file);
  fputs("blockdim: 1 1 1\n0 0 4096 4\n0 0 4096 4\n", file);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(gc_predict_traces(&job, &prediction, &err), 0);
  assert_int_equal(prediction->count, 3);
  for (size_t i = 0; i < 3; i++) {
    const struct gc_kernel_prediction *kernel = &prediction->kernels[i];

    assert_int_equal(kernel->reuse != NULL, i < 2 && chosen[i]);
    assert_true(kernel->has_distances);
    assert_int_equal(kernel->distances.loads[0], 1);
    assert_int_equal(kernel->load_count, 0);
  }
  gc_prediction_free(prediction);
  gc_record_free((struct gc_record *)job.record);
}

/* The passes: those of the reasons, and one for each seed. */
#define PASSES (GC_VARIANT_NO_LIMIT + 2)

static void the_work_grows_with_the_kernels(void **state)
{
  const unsigned long few = work(100, 1);
  unsigned long many;

  (void)state;
  assert_true(begun >= 100); /* they are counted */
  many = work(200, 1);
  print_message("100 kernels: %lu calls, 200 kernels: %lu\n", few, many);
  assert_true(2 * many <= 5 * few);
  /* of the SM that has the block, and the next one, where the trace ended; not of all 132 */
  assert_true(begun <= 2 * 200 * PASSES);
  assert_true(advanced <= 20 * 200 * PASSES);
  assert_true(tables <= 10 * PASSES);
}

static void another_carveout_makes_the_tables_of_the_used_sms_again(void **state)
{
  (void)state;
  assert_true(work(200, 2) > 0);
  assert_true(begun <= 2 * 200 * PASSES);
  assert_true(tables <= (2 * 200 + 10) * PASSES);
}

/* Else each later kernel would clear the table of the largest one. */
static void a_large_kernel_leaves_no_large_table(void **state)
{
  struct gc_sector_set set = {.slots = NULL};
  uint64_t added;

  (void)state;
  for (uint64_t line = 0; line < 100000; line++)
    assert_int_equal(gc_sector_set_add(&set, line, 1, &added), 0);
  gc_sector_set_clear(&set);
  assert_int_equal(gc_sector_set_add(&set, 7, 1, &added), 0);
  assert_int_equal(added, 1);
  gc_sector_set_clear(&set);
  assert_int_equal(set.count, 0);
  gc_sector_set_fini(&set);
}

/* Many lines are counted by a sample of bounded size; what was seen is not new again. */
static void seen_sectors_take_bounded_memory(void **state)
{
  enum { LINES = 1000000 };
  struct gc_sector_set set = {.slots = NULL};
  uint64_t sum = 0, added;

  (void)state;
  for (uint64_t line = 0; line < LINES; line++) {
    assert_int_equal(gc_sector_set_add(&set, line, 3, &added), 0);
    sum += added;
    if (line + 1 == GC_SEEN_LINES)
      assert_int_equal(sum, 2 * GC_SEEN_LINES); /* exact so far */
    assert_true(set.count <= 2 * GC_SEEN_LINES);
  }
  assert_in_range(sum, 2 * LINES * 0.95, 2 * LINES * 1.05);
  for (uint64_t line = 0; line < LINES; line++) {
    assert_int_equal(gc_sector_set_add(&set, line, 3, &added), 0);
    assert_int_equal(added, 0);
  }
  gc_sector_set_fini(&set);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(the_work_grows_with_the_kernels, enter_directory,
                                      leave_directory),
      cmocka_unit_test_setup_teardown(another_carveout_makes_the_tables_of_the_used_sms_again,
                                      enter_directory, leave_directory),
      cmocka_unit_test_setup_teardown(histograms_of_chosen_kernels, enter_directory,
                                      leave_directory),
      cmocka_unit_test(a_large_kernel_leaves_no_large_table),
      cmocka_unit_test(seen_sectors_take_bounded_memory),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
