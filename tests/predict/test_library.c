/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The library, as a program sees it: options of another version, numbers, sentences.
 */
#include "config.h"

#include <hwloc/gpucache-predict.h>

#include "trace_text.h"

#include <errno.h>
#include <math.h>
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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(launches_that_were_not_recorded),
      cmocka_unit_test(reuse_distances),
      cmocka_unit_test(options_of_another_version),
      cmocka_unit_test(a_kernel_that_cannot_run),
      cmocka_unit_test(sectors_of_l2),
      cmocka_unit_test(hits_of_the_far_partition),
      cmocka_unit_test(misses_of_tlbs),
      cmocka_unit_test(kernels_that_are_left_out),
      cmocka_unit_test(memory_of_many_kernels),
      cmocka_unit_test(files_that_are_missing),
  };

  return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
