/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The library, as a program sees it: options of another version, numbers, sentences.
 */
#include "config.h"

#include <hwloc/gpucache-predict.h>

#include "binary_trace.h"
#include "trace_text.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Eight blocks load the same sector at the same time, each in its SM, and then again from L1. */
static const char *write_trace(void)
{
  FILE *file = fopen("trace", "w");

  assert_non_null(file);
  fputs("blockdim: 32 1 1\n", file);
  for (int block = 0; block < 8; block++)
    for (int i = 0; i < 2; i++)
      fprintf(file, "%d 0 1048576 4\n", 32 * block);
  assert_int_equal(fclose(file), 0);
  return "trace";
}

static int predict_on(const char *name, const char *trace,
                      struct hwloc_gpucache_prediction **prediction)
{
  char record[4200];

  snprintf(record, sizeof record, "%s/%s", getenv("top_srcdir"), name);
  return hwloc_gpucache_predict(record, &trace, 1, NULL, prediction, NULL, 0);
}

static int predict(const char *trace, const struct hwloc_gpucache_predict_options *options,
                   struct hwloc_gpucache_prediction **prediction, char *message, size_t size)
{
  char record[4200];

  snprintf(record, sizeof record, "%s/doc/results/h200/record.xml", getenv("top_srcdir"));
  return hwloc_gpucache_predict(record, &trace, 1, options, prediction, message, size);
}

/* The options of a later version, which has one more. */
static void options_of_another_version(void **state)
{
  struct {
    struct hwloc_gpucache_predict_options known;
    unsigned char unknown[16];
  } later = {.known = {.size = sizeof later, .seeds = 1, .threads = 1}};
  struct hwloc_gpucache_prediction *prediction;
  const char *trace = write_trace();
  char message[256] = "";

  (void)state;
  assert_int_equal(predict(trace, &later.known, &prediction, message, sizeof message), 0);
  hwloc_gpucache_prediction_free(prediction);
  for (size_t i = 0; i < sizeof later.unknown; i += sizeof later.unknown - 1) {
    later.unknown[i] = 1;
    assert_int_equal(predict(trace, &later.known, &prediction, message, sizeof message), -EINVAL);
    assert_null(prediction);
    assert_non_null(strstr(message, "does not know"));
    later.unknown[i] = 0;
  }
  later.known.size = sizeof later.known - 1;
  assert_int_equal(predict(trace, &later.known, &prediction, message, sizeof message), -EINVAL);
}

/* Two lines of 128 bytes, in turn, by one warp; and one of the first version of the options. */
static void reuse_distances(void **state)
{
  struct hwloc_gpucache_predict_options options = {.size = sizeof options, .seeds = 1};
  struct hwloc_gpucache_prediction *p;
  FILE *file = fopen("trace", "w");

  (void)state;
  assert_non_null(file);
  fputs("blockdim: 32 1 1\n", file);
  for (int i = 0; i < 7; i++)
    fprintf(file, "0 0 %d 4\n", 1048576 + (i % 2 ? 128 : 0) + (i == 6 ? 128 : 0));
  assert_int_equal(fclose(file), 0);

  assert_int_equal(predict("trace", &options, &p, NULL, 0), 0);
  assert_int_equal(hwloc_gpucache_prediction_reuse_bins(p, 0), 0);
  assert_int_equal(hwloc_gpucache_prediction_reuse_first(p, 0), 0);
  hwloc_gpucache_prediction_free(p);

  /* lines 0 1 0 1 0 1 1 */
  options.reuse_distances = 1;
  assert_int_equal(predict("trace", &options, &p, NULL, 0), 0);
  assert_int_equal(hwloc_gpucache_prediction_reuse_bins(p, 0), 2);
  assert_int_equal(hwloc_gpucache_prediction_reuse_loads(p, 0, 0), 1);
  assert_int_equal(hwloc_gpucache_prediction_reuse_loads(p, 0, 1), 4);
  assert_int_equal(hwloc_gpucache_prediction_reuse_loads(p, 0, 2), 0);
  assert_int_equal(hwloc_gpucache_prediction_reuse_loads(p, 0, 1000), 0);
  assert_int_equal(hwloc_gpucache_prediction_reuse_first(p, 0), 2);
  hwloc_gpucache_prediction_free(p);
}

/* The second kernel needs more shared memory than an SM has. */
static void a_kernel_that_cannot_run(void **state)
{
  static const char kernel[] = "kernel k\nblocks 1\nthreads 32\nwarp 32\nshared %d\n"
                               "0 0 10 load - 4 1 100000\n";
  struct hwloc_gpucache_prediction *p;
  char message[256] = "";
  FILE *file;

  (void)state;
  for (int able = 1; able >= 0; able--) {
    file = fopen("large", "w");
    assert_non_null(file);
    fputs("hwloc-gpucache-trace 1\n", file);
    for (int i = 0; i < able; i++)
      fprintf(file, kernel, 0);
    fprintf(file, kernel, 1000000);
    fputs("end\n", file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(predict("large", NULL, &p, message, sizeof message), able ? 0 : -ERANGE);
    if (!able)
      break;
    assert_int_equal(hwloc_gpucache_prediction_kernels(p), 2);
    assert_null(hwloc_gpucache_prediction_cannot_run(p, 0));
    assert_true(hwloc_gpucache_prediction_value(p, 0, HWLOC_GPUCACHE_L1_SECTORS) == 1);
    assert_non_null(strstr(hwloc_gpucache_prediction_cannot_run(p, 1), "shared memory"));
    assert_true(isnan(hwloc_gpucache_prediction_value(p, 1, HWLOC_GPUCACHE_L1_SECTORS)));
    assert_int_equal(hwloc_gpucache_prediction_loads(p, 1), 0);
    hwloc_gpucache_prediction_free(p);
  }
  assert_non_null(strstr(message, "kernel 1 cannot run: a block needs"));
  assert_null(p);
}

/* Each sector is in one of the three: what is on its way to L2 is not a hit. */
static void sectors_of_l2(void **state)
{
  struct hwloc_gpucache_prediction *p;
  double hits, on_miss, misses, sectors, rate;

  (void)state;
  assert_int_equal(predict(write_trace(), NULL, &p, NULL, 0), 0);
  assert_int_equal(hwloc_gpucache_prediction_kernels(p), 1);
  hits = hwloc_gpucache_prediction_value(p, 0, HWLOC_GPUCACHE_L2_HITS);
  on_miss = hwloc_gpucache_prediction_value(p, 0, HWLOC_GPUCACHE_L2_HITS_ON_MISS);
  misses = hwloc_gpucache_prediction_value(p, 0, HWLOC_GPUCACHE_L2_MISSES);
  sectors = hwloc_gpucache_prediction_value(p, 0, HWLOC_GPUCACHE_L2_SECTORS);
  rate = hwloc_gpucache_prediction_value(p, 0, HWLOC_GPUCACHE_L2_HIT_RATE);
  assert_true(sectors == 8);
  assert_true(on_miss > 0);
  assert_true(hits + on_miss + misses == sectors);
  assert_true(fabs((hits + on_miss) / sectors - rate) < 1e-9);
  hwloc_gpucache_prediction_free(p);
}

/* Blocks 0 and 66 are on SMs of different partitions. Both load 64 lines, one after another: what
 * is at home in the other partition is far for block 66, which comes later. */
static void hits_of_the_far_partition(void **state)
{
  FILE *file = fopen("far", "w");
  struct hwloc_gpucache_prediction *p;
  double far, hits, sectors;

  (void)state;
  assert_non_null(file);
  fputs("hwloc-gpucache-trace 1\nkernel\tk\nblocks\t67\nthreads\t32\nwarp\t32\n", file);
  for (unsigned block = 0; block <= 66; block++) {
    fprintf(file, "%u\t0\t1\tother\t%u\n", block, block == 66 ? 90000 : 1);
    for (unsigned line = 0; line < 64 && block % 66 == 0; line++)
      fprintf(file, "%u\t0\t0\tload\t-\t4\t1\t%x\n", block, 1048576 + 128 * line);
  }
  fputs("end\n", file);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(predict_on("doc/results/h200/record.xml", "far", &p), 0);
  far = hwloc_gpucache_prediction_value(p, 0, HWLOC_GPUCACHE_L2_HITS_FAR);
  hits = hwloc_gpucache_prediction_value(p, 0, HWLOC_GPUCACHE_L2_HITS);
  sectors = hwloc_gpucache_prediction_value(p, 0, HWLOC_GPUCACHE_L2_SECTORS);
  assert_true(sectors == 128);
  assert_true(hits == 64);           /* all of block 66 */
  assert_true(far > 16 && far < 48); /* the hash gives about half of the lines to each partition */
  for (int i = 0; i < 3; i++) {
    const double rate = hwloc_gpucache_prediction_value(
        p, 0, (enum hwloc_gpucache_predicted)(HWLOC_GPUCACHE_L2_NEAR_HIT_RATE + i));

    assert_true(fabs(rate - (hits - far) / sectors) < 1e-9);
  }
  hwloc_gpucache_prediction_free(p);
}

/* The eight blocks are on the first SMs of a GPC, 0, 1, 16, 17, 32, 33, 48 and 49, which translate
 * the same page; 0, 1, 48 and 49 share a second TLB, 16 and 17 another one, and 32 and 33. NaN: the
 * record does not have TLBs. */
static void misses_of_tlbs(void **state)
{
  static const struct {
    enum hwloc_gpucache_predicted what;
    double expected;
  } values[] = {
      {HWLOC_GPUCACHE_L1_TLB_LOOKUPS, 8},
      {HWLOC_GPUCACHE_L1_TLB_MISSES, 8},
      {HWLOC_GPUCACHE_L2_TLB_LOOKUPS, 8},
      {HWLOC_GPUCACHE_L2_TLB_MISSES, 3},
  };
  struct hwloc_gpucache_prediction *with, *without;
  const char *trace = write_trace();

  (void)state;
  assert_int_equal(predict_on("doc/results/structure/h200.xml", trace, &with), 0);
  assert_int_equal(predict_on("doc/results/h200/record.xml", trace, &without), 0);
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    assert_true(hwloc_gpucache_prediction_value(with, 0, values[i].what) == values[i].expected);
    assert_true(isnan(hwloc_gpucache_prediction_value(without, 0, values[i].what)));
    assert_true(isnan(hwloc_gpucache_prediction_load_value(with, 0, 0, values[i].what)));
  }
  hwloc_gpucache_prediction_free(with);
  hwloc_gpucache_prediction_free(without);
}

static void predict_kernels(unsigned kernels)
{
  const struct hwloc_gpucache_predict_options options = {
      .size = sizeof options, .seeds = 1, .threads = 1};
  struct hwloc_gpucache_prediction *p;
  FILE *file = fopen("many", "w");

  assert_non_null(file);
  fputs("hwloc-gpucache-trace 1\n", file);
  for (unsigned i = 0; i < kernels; i++)
    fputs("kernel\tk\nblocks\t1\nthreads\t32\nwarp\t32\n0\t0\t0\tload\t-\t4\t1\t1000\n", file);
  fputs("end\n", file);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(predict("many", &options, &p, NULL, 0), 0);
  assert_int_equal(hwloc_gpucache_prediction_kernels(p), kernels);
  hwloc_gpucache_prediction_free(p);
}

/* KiB: the most memory of a child that predicts so many kernels. */
static long memory_for(unsigned kernels)
{
  struct rusage usage;
  pid_t child = fork();
  int status;

  if (!child) {
    predict_kernels(kernels);
    _exit(0);
  }
  assert_true(child > 0);
  assert_int_equal(wait4(child, &status, 0, &usage), child);
  assert_int_equal(status, 0);
  return usage.ru_maxrss;
}

/* The results of a kernel are small, and do not prevent that the next kernel gets the memory of the
 * caches of this one again. */
static void memory_of_many_kernels(void **state)
{
  long few, many;

  (void)state;
#ifdef GC_SANITIZED
  skip(); /* AddressSanitizer keeps freed memory */
#endif
  few = memory_for(20);
  many = memory_for(1020);
  if (many - few > 1000 * 16)
    fail_msg("1000 kernels more: %ld KiB more than %ld", many - few, few);
}

/* A sentence with what errno says. */
static void files_that_are_missing(void **state)
{
  struct hwloc_gpucache_prediction *p;
  const char *trace = write_trace();
  char message[256];

  (void)state;
  assert_int_equal(predict("none", NULL, &p, message, sizeof message), -ENOENT);
  assert_string_equal(message, "none: No such file or directory");
  assert_int_equal(hwloc_gpucache_predict("none", &trace, 1, NULL, &p, message, sizeof message),
                   -ENOENT);
  assert_string_equal(message, "none: No such file or directory");
}

/* A kernel that is broken is counted; the one before it is there. */
static void kernels_that_are_left_out(void **state)
{
  struct hwloc_gpucache_prediction *p;
  FILE *file = fopen("half", "w");

  (void)state;
  assert_non_null(file);
  fputs("hwloc-gpucache-trace 1\n", file);
  for (unsigned i = 0; i < 2; i++)
    fprintf(file, "kernel\tk%u\nblocks\t1\nthreads\t32\nwarp\t32\n0\t0\t0\tload\t-\t4\t1\t%s\n", i,
            i ? "x" : "1000");
  fputs("end\n", file);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(predict("half", NULL, &p, NULL, 0), 0);
  assert_int_equal(hwloc_gpucache_prediction_kernels(p), 1);
  assert_string_equal(hwloc_gpucache_prediction_name(p, 0), "k0");
  assert_int_equal(hwloc_gpucache_prediction_left_out(p), 1);
  assert_non_null(strstr(hwloc_gpucache_prediction_why(p, 0), "half:11: the addresses"));
  assert_null(hwloc_gpucache_prediction_why(p, 1));
  hwloc_gpucache_prediction_free(p);
  assert_int_equal(predict(write_trace(), NULL, &p, NULL, 0), 0);
  assert_int_equal(hwloc_gpucache_prediction_left_out(p), 0);
  assert_null(hwloc_gpucache_prediction_why(p, 0));
  hwloc_gpucache_prediction_free(p);
}

static void launches_that_were_not_recorded(void **state)
{
  struct hwloc_gpucache_prediction *p;
  FILE *file = fopen("sample", "w");

  (void)state;
  assert_non_null(file);
  fputs("hwloc-gpucache-trace 2\nkernel k\nblocks 1\nthreads 32\nwarp 32\nlaunches 5\n"
        "kernel k\nblocks 1\nthreads 32\nwarp 32\nend\n",
        file);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(predict("sample", NULL, &p, NULL, 0), 0);
  assert_true(hwloc_gpucache_prediction_value(p, 0, HWLOC_GPUCACHE_LAUNCHES) == 5);
  assert_true(hwloc_gpucache_prediction_value(p, 1, HWLOC_GPUCACHE_LAUNCHES) == 1);
  hwloc_gpucache_prediction_free(p);
}

/* A kernel of one warp that loads the first sector of so many lines, each of them twice. */
/* of_blocks: launched; the trace has one. */
static void write_launch(FILE *file, const char *name, unsigned shared, unsigned launches,
                         unsigned of_blocks, unsigned lines)
{
  struct chunk chunk;

  fprintf(file,
          "kernel %s\nblocks 1\nlaunched-blocks %u\nthreads 32\nwarp 32\nshared %u\nlaunches %u\n",
          name, of_blocks, shared, launches);
  begin_chunk(&chunk);
  put_warp(chunk.out, 0, 0);
  for (unsigned i = 0; i < 2 * lines; i++)
    put_record(chunk.out, what_of(16, R_LOAD, 2, R_ROW), 1, 0x100000 + i % lines * 128);
  end_chunk(&chunk, file);
}

/* The launches of a name are added up, each as often as it stands for others and its blocks for all
 * that were launched, in the order in which the names occur. Those that cannot run are only
 * counted. */
static void sums_of_launches(void **state)
{
  static const char *const names[] = {"_Z1fi", "g", "never"};
  static const unsigned long long launches[] = {9, 1, 3}, sectors[] = {5 * 4 + 3 * 6, 4 * 2},
                                  misses[] = {5 * 2 + 3 * 3, 4 * 1}, l2_misses[] = {5 * 2 + 3, 0};
  const struct hwloc_gpucache_predict_options options = {
      .size = sizeof options, .seeds = 1, .reuse_distances = 1};
  struct hwloc_gpucache_prediction *p;
  FILE *file = fopen("sums", "w");

  (void)state;
  assert_non_null(file);
  fputs("hwloc-gpucache-trace 2\n", file);
  write_launch(file, "_Z1fi", 1000000, 1, 1, 1);
  write_launch(file, "_Z1fi", 0, 5, 1, 2); /* L2 has none of both lines */
  write_launch(file, "g", 0, 1, 4, 1);
  write_launch(file, "never", 1000000, 3, 1, 1);
  write_launch(file, "_Z1fi", 0, 3, 1, 3); /* L2 lacks one line */
  fputs("end\n", file);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(predict("sums", &options, &p, NULL, 0), 0);
  assert_int_equal(hwloc_gpucache_prediction_kernels(p), 5);
  assert_int_equal(hwloc_gpucache_prediction_sums(p), 3);
  for (size_t i = 0; i < 3; i++) {
    assert_string_equal(hwloc_gpucache_prediction_sum_name(p, i), names[i]);
    assert_int_equal(hwloc_gpucache_prediction_sum_count(p, i, HWLOC_GPUCACHE_LAUNCHES),
                     launches[i]);
  }
  for (size_t i = 0; i < 2; i++) {
    const double rate = hwloc_gpucache_prediction_sum_value(p, i, HWLOC_GPUCACHE_L1_HIT_RATE);

    assert_int_equal(hwloc_gpucache_prediction_sum_count(p, i, HWLOC_GPUCACHE_L1_SECTORS),
                     sectors[i]);
    assert_int_equal(hwloc_gpucache_prediction_sum_count(p, i, HWLOC_GPUCACHE_L1_MISSES),
                     misses[i]);
    assert_int_equal(hwloc_gpucache_prediction_sum_count(p, i, HWLOC_GPUCACHE_L1_MISSES_COMPULSORY),
                     misses[i]);
    assert_int_equal(hwloc_gpucache_prediction_sum_count(p, i, HWLOC_GPUCACHE_L2_MISSES),
                     l2_misses[i]);
    assert_int_equal(hwloc_gpucache_prediction_sum_count(p, i, HWLOC_GPUCACHE_L2_READ_BYTES),
                     32 * misses[i]);
    assert_true(rate == 0.5);
    assert_true(hwloc_gpucache_prediction_sum_value(p, i, HWLOC_GPUCACHE_L1_HIT_RATE_LOW) == rate);
    assert_true(hwloc_gpucache_prediction_sum_value(p, i, HWLOC_GPUCACHE_L1_HIT_RATE_HIGH) == rate);
  }
  assert_true(isnan(hwloc_gpucache_prediction_sum_value(p, 2, HWLOC_GPUCACHE_L1_HIT_RATE)));
  assert_true(hwloc_gpucache_prediction_sum_count(p, 2, HWLOC_GPUCACHE_L1_SECTORS) ==
              HWLOC_GPUCACHE_NO_COUNT);
  hwloc_gpucache_prediction_free(p);
}

static void demangled_names(void **state)
{
  char text[8] = "before";

  (void)state;
  assert_int_equal(hwloc_gpucache_prediction_demangle("_Z1fi", text, sizeof text), 6);
  assert_string_equal(text, "f(int)");
  assert_int_equal(hwloc_gpucache_prediction_demangle("_Z1fi", NULL, 0), 6);
  assert_int_equal(hwloc_gpucache_prediction_demangle("_Z1fii", text, sizeof text), 11);
  assert_string_equal(text, "f(int, ");
  assert_int_equal(hwloc_gpucache_prediction_demangle("a\nb", text, sizeof text), 3);
  assert_string_equal(text, "a?b");
  assert_int_equal(hwloc_gpucache_prediction_demangle("", text, 1), 0);
  assert_string_equal(text, "");
}

/* What two threads with one record predict. */
static void *predict_twice(void *record)
{
  const struct hwloc_gpucache_predict_options options = {.size = sizeof options, .threads = 2};
  const char *trace = "trace";
  struct hwloc_gpucache_prediction *p;

  for (int i = 0; i < 2; i++) {
    char message[256];

    if (hwloc_gpucache_predict_on(record, &trace, 1, &options, &p, message, sizeof message))
      return strdup(message);
    if (hwloc_gpucache_prediction_count(p, 0, HWLOC_GPUCACHE_L1_SECTORS) != 16 ||
        hwloc_gpucache_prediction_count(p, 0, HWLOC_GPUCACHE_L2_SECTORS) != 8)
      return strdup("other counts");
    hwloc_gpucache_prediction_free(p);
  }
  return NULL;
}

static struct hwloc_gpucache_record *load(const char *name)
{
  struct hwloc_gpucache_record *record;
  char path[4200];

  snprintf(path, sizeof path, "%s/%s", getenv("top_srcdir"), name);
  assert_int_equal(hwloc_gpucache_record_load(path, &record, NULL, 0), 0);
  return record;
}

static void one_record_for_two_threads(void **state)
{
  struct hwloc_gpucache_record *record = load("doc/results/structure/h200.xml");
  pthread_t threads[2];
  char message[256];
  void *wrong;

  (void)state;
  write_trace();
  for (int i = 0; i < 2; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, predict_twice, record), 0);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(pthread_join(threads[i], &wrong), 0);
    if (wrong)
      fail_msg("%s", (char *)wrong);
  }
  hwloc_gpucache_record_free(record);
  hwloc_gpucache_record_free(NULL);
  assert_int_equal(hwloc_gpucache_record_load("none", &record, message, sizeof message), -ENOENT);
  assert_null(record);
  assert_string_equal(message, "none: No such file or directory");
  assert_int_equal(hwloc_gpucache_record_load("trace", &record, message, sizeof message), -EBADMSG);
  assert_null(record);
}

/* Every number is a rate or a count, and both functions have the same counts. The second kernel
 * cannot run. */
static void counts_are_integers(void **state)
{
  static const char kernel[] = "kernel k\nblocks 1\nthreads 32\nwarp 32\nshared %d\n"
                               "0 0 10 load - 4 ffffffff 100000+64\n0 0 20 load - 4 1 100000\n";
  struct hwloc_gpucache_prediction *p;
  unsigned rates = 0, of_loads = 0;
  FILE *file = fopen("counts", "w");

  (void)state;
  assert_non_null(file);
  fputs("hwloc-gpucache-trace 1\n", file);
  fprintf(file, kernel, 0);
  fprintf(file, kernel, 1000000);
  fputs("end\n", file);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(predict_on("doc/results/structure/h200.xml", "counts", &p), 0);
  for (unsigned i = 0; i <= HWLOC_GPUCACHE_LAUNCHES + 1; i++) {
    const enum hwloc_gpucache_predicted what = (enum hwloc_gpucache_predicted)i;
    const unsigned long long count = hwloc_gpucache_prediction_count(p, 0, what);
    const unsigned long long of_load = hwloc_gpucache_prediction_load_count(p, 0, 0, what);
    const double of_load_value = hwloc_gpucache_prediction_load_value(p, 0, 0, what);

    rates += count == HWLOC_GPUCACHE_NO_COUNT;
    if (count != HWLOC_GPUCACHE_NO_COUNT)
      assert_true((double)count == hwloc_gpucache_prediction_value(p, 0, what));
    of_loads += of_load != HWLOC_GPUCACHE_NO_COUNT;
    if (of_load != HWLOC_GPUCACHE_NO_COUNT)
      assert_true((double)of_load == of_load_value);
    else
      assert_true(i <= HWLOC_GPUCACHE_L1_HIT_RATE_HIGH || isnan(of_load_value));
    assert_true(hwloc_gpucache_prediction_count(p, 1, what) ==
                (i == HWLOC_GPUCACHE_LAUNCHES ? 1 : HWLOC_GPUCACHE_NO_COUNT));
    assert_true(i == HWLOC_GPUCACHE_LAUNCHES || isnan(hwloc_gpucache_prediction_value(p, 1, what)));
  }
  assert_int_equal(rates, 10); /* three each of L1, L2 and its near partition; and the last one */
  assert_int_equal(of_loads, 10);
  assert_int_equal(hwloc_gpucache_prediction_count(p, 0, HWLOC_GPUCACHE_L1_SECTORS), 33);
  assert_int_equal(hwloc_gpucache_prediction_load_count(p, 0, 0, HWLOC_GPUCACHE_L1_SECTORS), 32);
  assert_int_equal(
      hwloc_gpucache_prediction_load_count(p, 0, 1, HWLOC_GPUCACHE_L1_LOAD_INSTRUCTIONS), 1);
  hwloc_gpucache_prediction_free(p);
}

/* A warp loads 3000 lines of 128 bytes twice: more than the 256 KiB of an SM, and less than twice
 * as much. */
static void sweeps(void **state)
{
  struct hwloc_gpucache_predict_options options = {.size = sizeof options, .seeds = 1};
  double *const factors[] = {&options.capacity, &options.ways, &options.line, &options.outstanding};
  static const double wrong[] = {-1, 65, 0.01, NAN, INFINITY};
  struct hwloc_gpucache_record *record = load("doc/results/structure/h200.xml");
  unsigned long long misses[2], unchanged;
  const char *trace = "lines";
  struct hwloc_gpucache_prediction *p;
  FILE *file = fopen(trace, "w");
  char message[256];

  (void)state;
  assert_non_null(file);
  fputs("hwloc-gpucache-trace 1\nkernel k\nblocks 1\nthreads 32\nwarp 32\n", file);
  for (int i = 0; i < 6000; i++)
    fprintf(file, "0 0 0 load - 4 1 %x\n", 1048576 + i % 3000 * 128);
  fputs("end\n", file);
  assert_int_equal(fclose(file), 0);
  for (int i = 0; i < 2; i++) {
    options.capacity = i ? 2 : 0;
    assert_int_equal(
        hwloc_gpucache_predict_on(record, &trace, 1, &options, &p, message, sizeof message), 0);
    misses[i] = hwloc_gpucache_prediction_count(p, 0, HWLOC_GPUCACHE_L1_MISSES);
    hwloc_gpucache_prediction_free(p);
  }
  assert_true(misses[0] > 4000);
  assert_int_equal(misses[1], 3000);
  unchanged = misses[0];
  options.capacity = 0;

  /* L1 has more lines of half the length, so that more of them stay; other sets keep little more */
  for (int i = 0; i < 2; i++) {
    options.line = i ? 0 : 0.5;
    options.ways = i ? 0.5 : 0;
    assert_int_equal(
        hwloc_gpucache_predict_on(record, &trace, 1, &options, &p, message, sizeof message), 0);
    misses[i] = hwloc_gpucache_prediction_count(p, 0, HWLOC_GPUCACHE_L1_MISSES);
    hwloc_gpucache_prediction_free(p);
  }
  assert_int_equal(misses[0], 3000);
  assert_true(misses[1] < 6000 && misses[1] != unchanged);
  options.ways = 0;
  options.outstanding = 1;
  assert_int_equal(
      hwloc_gpucache_predict_on(record, &trace, 1, &options, &p, message, sizeof message), -ERANGE);
  assert_non_null(strstr(message, "the number of outstanding loads"));
  options.outstanding = 0;
  options.line = 64;
  assert_int_equal(
      hwloc_gpucache_predict_on(record, &trace, 1, &options, &p, message, sizeof message), -ERANGE);
  assert_null(p);
  assert_non_null(strstr(message, "a cache line of 8192 bytes"));
  options.line = 0;

  for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
      *factors[i] = wrong[k];
      assert_int_equal(
          hwloc_gpucache_predict_on(record, &trace, 1, &options, &p, message, sizeof message),
          -EINVAL);
      assert_null(p);
      assert_non_null(strstr(message, "from 1/64 to 64"));
    }
    *factors[i] = 0;
  }

  file = fopen(trace, "w");
  assert_non_null(file);
  fputs("hwloc-gpucache-trace 1\nkernel k\nblocks 2\nthreads 32\nwarp 32\n"
        "0 0 0 load - 4 1 1000\n1 0 0 load - 4 1 2000\nend\n",
        file);
  assert_int_equal(fclose(file), 0);
  for (unsigned i = 0; i < 2; i++) {
    options.sms = i;
    assert_int_equal(
        hwloc_gpucache_predict_on(record, &trace, 1, &options, &p, message, sizeof message), 0);
    assert_int_equal(hwloc_gpucache_prediction_count(p, 0, HWLOC_GPUCACHE_L1_SECTORS), 2 - i);
    hwloc_gpucache_prediction_free(p);
  }
  hwloc_gpucache_record_free(record);
}

/* Each of two kernels executes these. The text is the same trace. */
struct handed {
  unsigned kernels, accesses, warp_threads;
  int kernel_status, access_status;      /* at the end of the kernels, or of their accesses */
  struct hwloc_gpucache_access *changed; /* instead of the first one */
};

static const struct {
  const char *text;
  struct hwloc_gpucache_access access; /* with the first address, and the distance as the second */
} instructions[] = {
    {"0 0 8 other 7", {.pc = 8, .operation = HWLOC_GPUCACHE_OP_OTHER, .count = 7}},
    {"0 0 10 load - 4 ffffffff 100000+64",
     {.pc = 16, .bytes = 4, .mask = 0xffffffff, .addresses = {0x100000, 64}}},
    {"0 0 18 load read-only 8 f0 207000-1024",
     {.pc = 24,
      .hint = HWLOC_GPUCACHE_HINT_READ_ONLY,
      .bytes = 8,
      .mask = 0xf0,
      .addresses = {0x207000, -1024ull}}},
    {"0 1 20 load no-l1 16 7 300000,340000,300010",
     {.warp = 1,
      .pc = 32,
      .hint = HWLOC_GPUCACHE_HINT_NO_L1,
      .bytes = 16,
      .mask = 7,
      .addresses = {0x300000, 0x40000}}},
    {"0 1 28 barrier", {.warp = 1, .pc = 40, .operation = HWLOC_GPUCACHE_OP_BARRIER}},
    {"0 1 30 store - 4 80000001 400000+256",
     {.warp = 1,
      .pc = 48,
      .operation = HWLOC_GPUCACHE_OP_STORE,
      .bytes = 4,
      .mask = 0x80000001,
      .addresses = {0x400000, 256}}},
    {"2 0 38 atomic - 4 7 500000+32",
     {.block = 2,
      .pc = 56,
      .operation = HWLOC_GPUCACHE_OP_ATOMIC,
      .bytes = 4,
      .mask = 7,
      .addresses = {0x500000, 32}}},
    {"2 0 40 load - 4 0 -", {.block = 2, .pc = 64, .bytes = 4}},
};
#define INSTRUCTIONS (sizeof instructions / sizeof *instructions)

static int hand_over_kernel(void *data, struct hwloc_gpucache_launch *launch)
{
  struct handed *handed = data;

  assert_true(!launch->name && !launch->blocks && !launch->carveout);
  if (handed->kernels == 2)
    return handed->kernel_status;
  launch->name = handed->kernels++ ? NULL : "first\nkernel";
  launch->blocks = 3;
  launch->threads_per_block = 64;
  launch->warp_threads = handed->warp_threads;
  launch->registers_per_thread = 64;
  launch->shared_bytes = 1024;
  launch->loads_at_once = 2;
  launch->has_carveout = 1;
  launch->carveout = 50;
  handed->accesses = 0;
  return 1;
}

static int hand_over_access(void *data, struct hwloc_gpucache_access *access)
{
  struct handed *handed = data;

  assert_true(!access->mask && !access->addresses[63]);
  if (handed->accesses == INSTRUCTIONS)
    return handed->access_status;
  *access = instructions[handed->accesses].access;
  for (unsigned i = 2; i < 64; i++)
    access->addresses[i] = access->addresses[0] + i * access->addresses[1];
  access->addresses[1] += access->addresses[0];
  if (access->pc == 32)
    access->addresses[2] = 0x300010; /* in a sector of the other two */
  if (handed->accesses++ == 0 && handed->changed)
    *access = *handed->changed;
  return 1;
}

static int predict_handed(struct handed handed, struct hwloc_gpucache_prediction **prediction,
                          char message[256])
{
  const struct hwloc_gpucache_source source = {sizeof source, &handed, hand_over_kernel,
                                               hand_over_access};
  struct hwloc_gpucache_record *record = load("doc/results/structure/h200.xml");
  const int status =
      hwloc_gpucache_predict_accesses(record, &source, NULL, prediction, message, 256);

  hwloc_gpucache_record_free(record);
  return status;
}

/* The same as with a file. */
static void accesses_of_callbacks(void **state)
{
  struct hwloc_gpucache_prediction *handed, *read;
  FILE *file = fopen("same", "w");
  char message[256] = "";

  (void)state;
  assert_non_null(file);
  fputs("hwloc-gpucache-trace 1\n", file);
  for (int i = 0; i < 2; i++) {
    fprintf(file, "kernel k\nblocks 3\nthreads 64\nwarp 32\nregisters 64\nshared 1024\n"
                  "loads-at-once 2\ncarve-out 50\n");
    for (size_t k = 0; k < INSTRUCTIONS; k++)
      fprintf(file, "%s\n", instructions[k].text);
  }
  fputs("end\n", file);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(setenv("TMPDIR", "temporary", 1), 0);
  assert_int_equal(mkdir("temporary", 0700), 0);
  assert_int_equal(predict_on("doc/results/structure/h200.xml", "same", &read), 0);
  if (predict_handed((struct handed){0}, &handed, message))
    fail_msg("%s", message);
  assert_int_equal(rmdir("temporary"), 0); /* it is empty */
  assert_int_equal(hwloc_gpucache_prediction_kernels(handed), 2);
  assert_int_equal(hwloc_gpucache_prediction_left_out(handed), 0);
  assert_string_equal(hwloc_gpucache_prediction_name(handed, 0), "first?kernel");
  assert_string_equal(hwloc_gpucache_prediction_name(handed, 1), "kernel");
  for (size_t k = 0; k < 2; k++) {
    assert_int_equal(hwloc_gpucache_prediction_loads(handed, k), 2); /* one passes L1 */
    assert_int_equal(hwloc_gpucache_prediction_load_pc(handed, k, 1), 24);
    for (unsigned i = 0; i <= HWLOC_GPUCACHE_LAUNCHES; i++) {
      const enum hwloc_gpucache_predicted what = (enum hwloc_gpucache_predicted)i;

      assert_true(hwloc_gpucache_prediction_value(handed, k, what) ==
                  hwloc_gpucache_prediction_value(read, k, what));
    }
  }
  assert_int_equal(hwloc_gpucache_prediction_count(handed, 0, HWLOC_GPUCACHE_L1_SECTORS), 36);
  assert_int_equal(hwloc_gpucache_prediction_count(handed, 0, HWLOC_GPUCACHE_L2_SECTORS), 38);
  assert_int_equal(hwloc_gpucache_prediction_count(handed, 0, HWLOC_GPUCACHE_STORE_SECTORS), 2);
  assert_int_equal(hwloc_gpucache_prediction_count(handed, 0, HWLOC_GPUCACHE_ATOMIC_SECTORS), 3);
  hwloc_gpucache_prediction_free(handed);
  hwloc_gpucache_prediction_free(read);

  assert_int_equal(predict_handed((struct handed){0}, &handed, message), -ENOENT);
  assert_null(handed);
  assert_string_equal(
      message, "cannot write the accesses to a file in temporary: No such file or directory");
  unsetenv("TMPDIR");
}

static int endless_access(void *data, struct hwloc_gpucache_access *access)
{
  (void)data;
  access->bytes = 4;
  access->mask = 1;
  return 1;
}

/* A file that cannot grow: the callbacks are not called for ever. */
static void a_full_disk(void **state)
{
  struct handed handed = {0};
  const struct hwloc_gpucache_source source = {sizeof source, &handed, hand_over_kernel,
                                               endless_access};
  struct hwloc_gpucache_record *record = load("doc/results/structure/h200.xml");
  struct hwloc_gpucache_prediction *p;
  struct rlimit before, small;
  char message[256];
  int status;

  (void)state;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  small = before;
  small.rlim_cur = 65536;
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  status = hwloc_gpucache_predict_accesses(record, &source, NULL, &p, message, sizeof message);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  assert_int_equal(status, -EFBIG);
  assert_null(p);
  assert_non_null(strstr(message, "cannot write the accesses"));
  hwloc_gpucache_record_free(record);
}

static void accesses_that_are_wrong(void **state)
{
  struct hwloc_gpucache_access changed = {.warp = 2, .bytes = 4, .mask = 1};
  struct hwloc_gpucache_source later = {.size = sizeof later + 8};
  struct hwloc_gpucache_record *record;
  struct hwloc_gpucache_prediction *p;
  char message[256];

  (void)state;
  assert_int_equal(predict_handed((struct handed){.kernel_status = -ECANCELED}, &p, message),
                   -ECANCELED);
  assert_null(p);
  assert_string_equal(message, "the program could not hand over its accesses: Operation canceled");
  assert_int_equal(predict_handed((struct handed){.access_status = -EPIPE}, &p, message), -EPIPE);
  assert_string_equal(message, "the program could not hand over its accesses: Broken pipe");
  assert_int_equal(predict_handed((struct handed){.warp_threads = 33}, &p, message), -EBADMSG);
  assert_non_null(strstr(message, "32 or 64"));
  assert_int_equal(predict_handed((struct handed){.changed = &changed}, &p, message), -EBADMSG);
  assert_null(p);
  assert_non_null(strstr(message, "there is no warp 2 in a block of 64 threads"));
  changed.operation = (enum hwloc_gpucache_operation)5;
  assert_int_equal(predict_handed((struct handed){.changed = &changed}, &p, message), -EINVAL);
  assert_string_equal(message, "an access has the operation 5 and the hint 0");
  changed.operation = HWLOC_GPUCACHE_OP_LOAD;
  changed.hint = (enum hwloc_gpucache_hint)3;
  assert_int_equal(predict_handed((struct handed){.changed = &changed}, &p, message), -EINVAL);
  record = load("doc/results/structure/h200.xml");
  assert_int_equal(
      hwloc_gpucache_predict_accesses(record, &later, NULL, &p, message, sizeof message), -EINVAL);
  hwloc_gpucache_record_free(record);
  assert_null(p);
  assert_string_equal(message, "the source is of another version of the library");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(launches_that_were_not_recorded),
      cmocka_unit_test(sums_of_launches),
      cmocka_unit_test(demangled_names),
      cmocka_unit_test(reuse_distances),
      cmocka_unit_test(options_of_another_version),
      cmocka_unit_test(a_kernel_that_cannot_run),
      cmocka_unit_test(sectors_of_l2),
      cmocka_unit_test(hits_of_the_far_partition),
      cmocka_unit_test(misses_of_tlbs),
      cmocka_unit_test(kernels_that_are_left_out),
      cmocka_unit_test(memory_of_many_kernels),
      cmocka_unit_test(files_that_are_missing),
      cmocka_unit_test(one_record_for_two_threads),
      cmocka_unit_test(counts_are_integers),
      cmocka_unit_test(sweeps),
      cmocka_unit_test(accesses_of_callbacks),
      cmocka_unit_test(accesses_that_are_wrong),
      cmocka_unit_test(a_full_disk),
  };

  return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
