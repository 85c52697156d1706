/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Applies our statistics to MT4G's raw data. Every reported capacity must be a size where the raw loads
 * only hit, and larger sizes must miss. The test checks that by counting, without src/stats. It also
 * uses made-up traces of known shape.
 */
#include "tests/replay/corpus.h"
#include "tests/replay/judge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* --- the property, counted -------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

  return (x > y) - (x < y);
}

/* A latency that nearly all loads of one size stay below. */
static double limit_of(const struct trace_row *row)
{
  uint32_t *sorted = malloc(row->loads * sizeof(*sorted));
  double limit;

  assert_non_null(sorted);
  memcpy(sorted, row->cycles, row->loads * sizeof(*sorted));
  qsort(sorted, row->loads, sizeof(*sorted), by_value);
  limit = 1.04 * sorted[(row->loads - 1) * 99 / 100];
  free(sorted);
  return limit;
}

/* A latency that nearly all loads stay below, at each size in the smallest quarter of the sizes
 * up to bytes. */
static double limit_below(const struct trace *trace, uint64_t bytes)
{
  double limit = limit_of(&trace->rows[0]);
  size_t n = 1;

  while (n < trace->n && trace->rows[n].bytes <= bytes)
    n++;
  for (size_t i = 1; i < n / 4; i++) {
    const double other = limit_of(&trace->rows[i]);

    limit = other > limit ? other : limit;
  }
  return limit;
}

/* NULL if the loads at this size only hit and larger sizes miss; otherwise what is wrong. One
 * load in a hundred may be an outlier, one size in twenty may be disturbed. */
static const char *refute(const struct trace *trace, uint64_t bytes)
{
  const double limit = limit_below(trace, bytes);
  size_t smaller = 0, disturbed = 0, larger = 0, hitting = 0;
  bool soon = false;

  for (size_t i = 0; i < trace->n; i++) {
    const struct trace_row *row = &trace->rows[i];
    const bool misses = trace_slow(row, limit) > row->loads / 100.0;

    if (row->bytes == bytes && misses)
      return "loads miss at this very size";
    if (row->bytes <= bytes) {
      smaller++;
      disturbed += misses;
    } else {
      soon = soon || (larger < 3 && misses);
      larger++;
      hitting += !misses;
    }
  }
  if (!smaller || trace_at(trace, bytes)->bytes != bytes)
    return "no such size was recorded";
  if (20 * disturbed > smaller)
    return "loads miss at smaller sizes";
  if (!soon)
    return "the next sizes still fit";
  return 20 * hitting > larger ? "larger sizes fit again" : NULL;
}

/* --- MT4G's data ------------------------------------------------------------------------------ */

static const struct corpus_file *find(const struct corpus *corpus, const char *gpu,
                                      const char *element)
{
  for (size_t i = 0; i < corpus->n; i++)
    if (strstr(corpus->files[i].gpu, gpu) && !strcmp(corpus->files[i].element, element))
      return &corpus->files[i];
  fail_msg("no %s of %s", element, gpu);
  return NULL;
}

static void open_and_judge(const struct corpus_file *file, struct trace *trace, struct judgement *j)
{
  char problem[128];

  if (trace_open(file->path, trace, problem, sizeof(problem)))
    fail_msg("%s: %s", file->path, problem);
  assert_int_equal(judge(trace, j), 0);
}

static void every_answer_is_a_size_that_hits(void **state)
{
  const struct corpus *corpus = *state;
  size_t found = 0;

  for (size_t i = 0; i < corpus->n; i++) {
    const struct corpus_file *file = &corpus->files[i];
    struct judgement j;
    struct trace trace;
    const char *wrong;

    open_and_judge(file, &trace, &j);
    if (j.bytes && (wrong = refute(&trace, j.bytes)))
      fail_msg("%s %s: %llu bytes: %s", file->gpu, file->element, (unsigned long long)j.bytes,
               wrong);
    assert_true(j.bytes ? j.confidence >= 0.5 && j.confidence <= 1 && !*j.absent : *j.absent);
    found += j.bytes > 0;
    trace_free(&trace);
  }
  assert_true(corpus->n >= 28);
  assert_true(found >= 20);
}

/* Capacities on which vendors and papers agree, where the file shows them. */
static void known_capacities_are_found(void **state)
{
  static const struct {
    const char *gpu, *element;
    uint64_t bytes;
  } known[] = {
    {"MI100", "L1", 16384},        {"MI210", "L1", 16384},        {"P6000", "L1", 24576},
    {"P6000", "Texture", 24576},   {"P6000", "Read-Only", 24576}, {"P6000", "Constant-L1", 2048},
    {"V100", "Constant-L1", 2048}, {"A100", "Constant-L1", 2048},
  };
  const struct corpus *corpus = *state;

  for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
    struct judgement j;
    struct trace trace;

    open_and_judge(find(corpus, known[i].gpu, known[i].element), &trace, &j);
    trace_free(&trace);
    if (j.bytes != known[i].bytes)
      fail_msg("%s %s: %llu bytes (%s), not %llu", known[i].gpu, known[i].element,
               (unsigned long long)j.bytes, j.absent, (unsigned long long)known[i].bytes);
  }
}

/* Line-size files: every capacity is a size that hits, and every line has its known size. */
static void line_size_files_give_lines_and_capacities(void **state)
{
  const struct corpus *corpus = *state;
  size_t capacities = 0, lines = 0;

  for (size_t i = 0; i < corpus->line_count; i++) {
    const struct corpus_file *file = &corpus->lines[i];
    const char *wrong = NULL;
    struct line_judgement j;
    struct trace trace;
    char problem[128];

    if (judge_line(file->path, &j, problem, sizeof(problem)))
      fail_msg("%s: %s", file->path, problem);
    assert_true(j.line ? !*j.absent : *j.absent);
    if (j.line && j.line != (strstr(file->gpu, "AMD") ? 64 : 128))
      fail_msg("%s %s: a line of %llu bytes", file->gpu, file->element, (unsigned long long)j.line);
    lines += j.line > 0;
    /* MT4G walks the whole L2, at sizes where one SM misses some lines from the start */
    if (!j.narrow.bytes || !strcmp(file->element, "L2"))
      continue;
    assert_int_equal(trace_open_stride(file->path, j.stride, &trace, problem, sizeof(problem)), 0);
    wrong = refute(&trace, j.narrow.bytes);
    trace_free(&trace);
    if (wrong)
      fail_msg("%s %s: %llu bytes: %s", file->gpu, file->element,
               (unsigned long long)j.narrow.bytes, wrong);
    capacities++;
  }
  assert_true(capacities >= 16);
  assert_true(lines >= 10);
}

/* KFD states 16 KiB of scalar L1. The size files begin at sizes that miss, the line-size files
 * do not. */
static void scalar_l1_holds_a_little_less_than_kfd_states(void **state)
{
  const struct corpus *corpus = *state;
  size_t seen = 0;

  for (size_t i = 0; i < corpus->line_count; i++) {
    const struct corpus_file *file = &corpus->lines[i];
    struct line_judgement j;
    char problem[128];

    if (strcmp(file->element, "Scalar-L1"))
      continue;
    assert_int_equal(judge_line(file->path, &j, problem, sizeof(problem)), 0);
    assert_in_range(j.narrow.bytes, 15 * 1024, 16384);
    assert_in_range(j.narrow.next, 15 * 1024, 16384);
    assert_int_equal(j.line, 64);
    seen++;
  }
  assert_int_equal(seen, 2);
}

/* Files that show no capacity: all sizes miss, or there are too few loads. */
static void nothing_is_made_up(void **state)
{
  static const char *const files[][2] = {
    {"MI100", "Scalar-L1"},    {"MI210", "Scalar-L1"},    {"A100", "Constant-L1.5"},
    {"H100", "Constant-L1.5"}, {"V100", "Constant-L1.5"}, {"P6000", "Constant-L1.5"},
  };
  const struct corpus *corpus = *state;

  for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
    struct judgement j;
    struct trace trace;

    open_and_judge(find(corpus, files[i][0], files[i][1]), &trace, &j);
    trace_free(&trace);
    assert_int_equal(j.bytes, 0);
    assert_true(*j.absent);
  }
}

/* The check by counting can fail: it refutes those answers of MT4G that its raw loads
 * contradict. */
static void some_answers_of_mt4g_are_refuted(void **state)
{
  static const char *const files[][2] = {
    {"P6000", "Constant-L1"}, {"A100", "L1"}, {"H100", "Texture"}, {"A100", "Texture"}};
  const struct corpus *corpus = *state;

  for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
    const struct corpus_file *file = find(corpus, files[i][0], files[i][1]);
    struct judgement j;
    struct trace trace;

    open_and_judge(file, &trace, &j);
    assert_true(file->peer_bytes > j.bytes);
    assert_non_null(refute(&trace, file->peer_bytes));
    assert_non_null(refute(&trace, trace.rows[0].bytes));
    trace_free(&trace);
  }
}

/* --- made-up traces --------------------------------------------------------------------------- */

#define ROWS 40
#define LOADS 255
#define FIRST 10240
#define STEP 256

/* The same sequence on every machine. */
static double uniform(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 9007199254740992.0;
}

/* Share of loads that miss at row i, by shape. */
typedef double (*shape)(size_t i);

static double fits_then_not(size_t i) { return i < 15 ? 0 : 1; }
static double slowly_misses(size_t i) { return i < 15 ? 0 : 0.03 * (double)(i - 14); }
static double never(size_t i) { return 0 * i; }
static double from_the_start(size_t i) { return 0.05 + 0 * i; }
static double now_and_then(size_t i) { return i % 2 ? 0.1 : 0; }

static void make(shape misses, double outliers, struct trace *trace)
{
  uint64_t seed = 7;

  *trace = (struct trace){.n = ROWS, .rows = calloc(ROWS, sizeof(*trace->rows))};
  assert_non_null(trace->rows);
  for (size_t i = 0; i < ROWS; i++) {
    struct trace_row *row = &trace->rows[i];

    *row = (struct trace_row){FIRST + i * STEP, LOADS, calloc(LOADS, sizeof(*row->cycles))};
    assert_non_null(row->cycles);
    for (size_t k = 0; k < LOADS; k++) {
      row->cycles[k] = uniform(&seed) < misses(i) ? 250 + (uint32_t)(k % 8) : 33;
      if (uniform(&seed) < outliers)
        row->cycles[k] += 400;
    }
  }
}

static struct judgement judged(shape misses, double outliers)
{
  struct judgement j;
  struct trace trace;

  make(misses, outliers, &trace);
  assert_int_equal(judge(&trace, &j), 0);
  if (j.bytes)
    assert_null(refute(&trace, j.bytes));
  trace_free(&trace);
  return j;
}

static void a_step_is_found_in_spite_of_outliers(void **state)
{
  (void)state;
  assert_int_equal(judged(fits_then_not, 0).bytes, FIRST + 14 * STEP);
  assert_int_equal(judged(fits_then_not, 1e-3).bytes, FIRST + 14 * STEP);
}

/* The middle of this transition is ten sizes further; a change point of the mean would lie
 * there. */
static void a_gradual_transition_counts_from_its_first_misses(void **state)
{
  (void)state;
  assert_int_equal(judged(slowly_misses, 0).bytes, FIRST + 14 * STEP);
}

static void flat_cold_and_noisy_traces_give_no_capacity(void **state)
{
  (void)state;
  assert_int_equal(judged(never, 0).bytes, 0);
  assert_int_equal(judged(never, 2e-3).bytes, 0);
  assert_string_equal(judged(never, 0).absent, "no change of latencies up to the largest size");
  assert_int_equal(judged(from_the_start, 0).bytes, 0);
  assert_non_null(strstr(judged(from_the_start, 0).absent, "already at the smallest size"));
  assert_int_equal(judged(now_and_then, 0).bytes, 0);
}

/* --- the parser ------------------------------------------------------------------------------- */

static int parse(const char *text, struct trace *trace, char *problem, size_t size)
{
  FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
  int status;

  assert_non_null(file);
  status = trace_read(file, trace, problem, size);
  fclose(file);
  return status;
}

static void rows_are_read(void **state)
{
  char problem[128];
  struct trace trace;

  (void)state;
  assert_int_equal(parse("1024,33,34\n2048,35\r\n4096,4294967295,1,2", &trace, problem, 128), 0);
  assert_int_equal(trace.n, 3);
  assert_int_equal(trace.rows[0].loads, 2);
  assert_int_equal(trace.rows[1].cycles[0], 35);
  assert_int_equal(trace.rows[2].cycles[0], UINT32_MAX);
  assert_int_equal(trace_slow(&trace.rows[0], 34), 1);
  assert_int_equal(trace_at(&trace, 4095)->bytes, 2048);
  assert_null(trace_at(&trace, 1023));
  trace_free(&trace);
}

static void malformed_traces_are_refused(void **state)
{
  static const char *const bad[] = {
    "1024\n", "1024,\n", "1024,33,\n", "1024,33 34\n", "1024,33,x\n", "1024,33,,34\n", ",33\n",
    "x,33\n", "1024,-1\n", "1024,+1\n", "1024,4294967296\n", "18446744073709551616,1\n",
    "2048,1\n1024,1\n", "1024,1\n1024,1\n", "1024,33\n\n", "\n",
  };
  char problem[128];
  struct trace trace;

  (void)state;
  for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
    *problem = '\0';
    if (!parse(bad[i], &trace, problem, sizeof(problem)))
      fail_msg("accepted as a trace: %s", bad[i]);
    assert_true(*problem);
    assert_null(trace.rows);
  }
  assert_int_not_equal(trace_open("/nonexistent", &trace, problem, sizeof(problem)), 0);
}

static int set_up(void **state)
{
  static struct corpus corpus;
  char path[512], problem[600];

  *state = &corpus;
  if (corpus_open(corpus_folder(path, sizeof(path)), &corpus, problem, sizeof(problem)))
    return print_error("%s\n", problem), -1;
  return 0;
}

static int tear_down(void **state)
{
  corpus_free(*state);
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(rows_are_read),
    cmocka_unit_test(malformed_traces_are_refused),
    cmocka_unit_test(a_step_is_found_in_spite_of_outliers),
    cmocka_unit_test(a_gradual_transition_counts_from_its_first_misses),
    cmocka_unit_test(flat_cold_and_noisy_traces_give_no_capacity),
    cmocka_unit_test(every_answer_is_a_size_that_hits),
    cmocka_unit_test(known_capacities_are_found),
    cmocka_unit_test(line_size_files_give_lines_and_capacities),
    cmocka_unit_test(scalar_l1_holds_a_little_less_than_kfd_states),
    cmocka_unit_test(nothing_is_made_up),
    cmocka_unit_test(some_answers_of_mt4g_are_refuted),
  };

  return cmocka_run_group_tests_name("replay", tests, set_up, tear_down);
}
