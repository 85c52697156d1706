/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * From counts to the confidence that they support.
 *
 * Many bins have few values, so neighbouring bins count as well, if that supports more. Bins below
 * always may: a value that a method is surer of is no more often wrong. Bins above may only if no
 * value of the bin itself is wrong; no value gets more confidence than its method computed.
 */
#include "earn.h"

#include "stats/stats.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define DOUBT 0.05 /* probability that the true share is lower */
#define TABLE_MAX 65536 /* characters */

double earn_bound(unsigned long values, unsigned long wrong)
{
  double low = 0, high = values ? 1.0 - 3.0 / (double)values : 0;

  if (!(high > 0) || wrong >= values)
    return 0;
  if (gc_binomial_cdf(wrong, values, 1 - high) <= DOUBT)
    return high;
  /* the share of right values for which so few wrong ones are improbable (Clopper and Pearson) */
  for (int i = 0; i < 60; i++) {
    const double middle = (low + high) / 2;

    if (gc_binomial_cdf(wrong, values, 1 - middle) <= DOUBT)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static double best_bound(const struct tally *t, int property, size_t bin)
{
  const struct count own = tally_bin(t, property, bin);
  const size_t end = own.right < own.values ? bin + 1 : BINS;
  double best = 0;

  for (size_t from = 0; from <= bin; from++) {
    unsigned long values = 0, wrong = 0;

    for (size_t b = from; b < end; b++) {
      const struct count count = tally_bin(t, property, b);

      values += count.values;
      wrong += count.values - count.right;
      if (b >= bin)
        best = fmax(best, earn_bound(values, wrong));
    }
  }
  return floor(best * 1e4) / 1e4;
}

/* The name in the source; names of properties are those of judged_names. */
static const struct {
  enum judged judged;
  const char *name;
} rows[] = {
    {JUDGED_CAPACITY, "GC_CAPACITY"},
    {JUDGED_CENSUS, "GC_CENSUS"},
    {JUDGED_TOTAL, "GC_TOTAL"},
    {JUDGED_LATENCY, "GC_LATENCY"},
    {JUDGED_LATENCY_P95, "GC_LATENCY_P95"},
    {JUDGED_WRITE_POLICY, "GC_WRITE_POLICY"},
    {JUDGED_WRITE_ALLOCATE, "GC_WRITE_ALLOCATE"},
    {JUDGED_CARVEOUTS_4, "GC_CARVEOUT_TABLE_4"},
    {JUDGED_CARVEOUTS_32, "GC_CARVEOUT_TABLE_32"},
    {JUDGED_NEAR, "GC_NEAR_LATENCY"},
    {JUDGED_FAR, "GC_FAR_LATENCY"},
    {JUDGED_REMOTE, "GC_REMOTE_LATENCY"},
    {JUDGED_GPCS, "GC_GPCS"},
    {JUDGED_GPC_SMS, "GC_GPC_SMS"},
    {JUDGED_CLUSTER_SMS, "GC_CLUSTER_SMS"},
    {JUDGED_TPC_SMS, "GC_TPC_SMS"},
    {JUDGED_CPC_SMS, "GC_CPC_SMS"},
    {JUDGED_GPC_SIDES, "GC_GPC_SIDES"},
    {JUDGED_PARTITIONS, "GC_PARTITIONS"},
    {JUDGED_PARTITION_SMS, "GC_PARTITION_SMS"},
    {JUDGED_LINE, "GC_LINE"},
    {JUDGED_FETCH, "GC_FETCH"},
    {JUDGED_PENALTY, "GC_MISS_PENALTY"},
    {JUDGED_READ, "GC_READ"},
    {JUDGED_WRITE, "GC_WRITE"},
    {JUDGED_CARVEOUTS, "GC_CARVEOUT_TABLE"},
    {JUDGED_SHARED_WITH, "GC_SHARED_WITH"},
    {JUDGED_PER_SM, "GC_PER_SM"},
    {JUDGED_INSTANCES, "GC_INSTANCES"},
    {JUDGED_SHARED_BY_CUS, "GC_SHARED_BY_CUS"},
    {JUDGED_CU_GROUPS, "GC_CU_GROUPS"},
    {JUDGED_ENTRIES, "GC_ENTRIES"},
    {JUDGED_ENTRY, "GC_ENTRY"},
    {JUDGED_REACH, "GC_REACH"},
    {JUDGED_SM_GROUPS, "GC_SM_GROUPS"},
    {JUDGED_OUTSTANDING_PER_SM, "GC_OUTSTANDING_PER_SM"},
    {JUDGED_OUTSTANDING_PER_WARP, "GC_OUTSTANDING_PER_WARP"},
    {JUDGED_BANKS, "GC_BANKS"},
    {JUDGED_BANK, "GC_BANK"},
    {JUDGED_CONFLICT, "GC_CONFLICT"},
    {JUDGED_ATOMIC_LATENCY, "GC_ATOMIC_LATENCY"},
    {JUDGED_NEAR_ATOMIC_LATENCY, "GC_NEAR_ATOMIC_LATENCY"},
    {JUDGED_FAR_ATOMIC_LATENCY, "GC_FAR_ATOMIC_LATENCY"},
    {JUDGED_ATOMICS, "GC_ATOMICS"},
    {JUDGED_SETS, "GC_SETS"},
    {JUDGED_WAYS, "GC_WAYS"},
    {JUDGED_MASKS, "GC_SET_INDEX_MASKS"},
    {JUDGED_ADDRESS, "GC_SET_INDEX_ADDRESS"},
    {JUDGED_REPLACEMENT, "GC_REPLACEMENT"},
    {JUDGED_SHARES, "GC_VICTIM_SHARES"},
    {JUDGED_CURVE, "GC_SURVIVAL_CURVE"},
    {JUDGED_EXCESS, "GC_EXCESS_MISSES"},
    {JUDGED_SLICES, "GC_SLICES"},
    {JUDGED_SIDE_MASK, "GC_SIDE_MASK"},
    {JUDGED_SIDE_GRANULE, "GC_SIDE_GRANULE"},
    {JUDGED_SLICE_READ, "GC_SLICE_READ"},
};
_Static_assert(sizeof(rows) / sizeof(*rows) == JUDGED, "every judged property can earn confidence");

static void write_head(FILE *out, const struct draw_seeds *seeds, unsigned long gpus)
{
  fprintf(
      out,
      "/*\n * SPDX-License-Identifier: BSD-3-Clause\n *\n"
      " * What the calibration has shown: how many values of each property and bin of confidence "
      "were\n * wrong, and the confidence that these counts support. Do not edit; written by\n *\n"
      " *   tests/calibration/calibrate --earn src/measure/results/earned_table.c -n %lu "
      "--kind %s -s %" PRIu64 "\n *   -t %" PRIu64 "\n *\n"
      " * Run it again when methods, the model or the drawn GPUs change. tests/calibration/earn.c "
      "has the\n * rules; doc/results/calibration.md shows that the table holds on other seeds.\n"
      " */\n#include \"measure/results/earned.h\"\n\n"
      "const uint64_t gc_earned_seed = %" PRIu64 ", gc_earned_noise = %" PRIu64 ";\n\n"
      "/* Columns: confidence of 0.5, 0.8, 0.9, 0.95, 0.99, 0.999 and 0.9999 or more. Each entry: "
      "values,\n * wrong ones, most confidence. */\n"
      "/* clang-format off */\n"
      "const struct gc_earned gc_earned_table[GC_PROPERTY_COUNT][GC_EARNED_BINS] = {\n",
      gpus, drawn_kind_names[seeds->kind], seeds->gpus, seeds->noise, seeds->gpus, seeds->noise);
}

void earn_write(FILE *out, const struct tally *t, const struct draw_seeds *seeds,
                unsigned long gpus)
{
  write_head(out, seeds, gpus);
  for (size_t i = 0; i < JUDGED; i++) {
    fprintf(out, "  [%s] =\n    {", rows[i].name);
    for (size_t b = 0; b < BINS; b++) {
      const struct count count = tally_bin(t, rows[i].judged, b);

      fprintf(out, "%s{%lu, %lu, %.4g}",
              !b       ? ""
              : b == 4 ? ",\n     "
                       : ", ",
              count.values, count.values - count.right, best_bound(t, rows[i].judged, b));
    }
    fprintf(out, "},\n");
  }
  fprintf(out, "};\n");
}

/* Reads the bins of one row from behind its name. */
static bool read_row(const char *text, struct tally *t, enum judged judged)
{
  for (size_t b = 0; b < BINS; b++) {
    struct count *count = &t->bin[DRAWN_ONCE][judged][b];
    unsigned long values, wrong;
    int used = 0;

    text += strcspn(text, "0123456789");
    if (sscanf(text, "%lu, %lu, %*f}%n", &values, &wrong, &used) != 2 || !used || wrong > values)
      return false;
    count->values += values;
    count->right += values - wrong;
    text += used;
  }
  return true;
}

/* The GPUs that the command in the head of the table measured. 0: of other seeds. */
static unsigned long read_head(const char *text, const struct draw_seeds *seeds)
{
  const char *command = strstr(text, " -n ");
  unsigned long gpus;
  uint64_t drawn, noise;
  char kind[16];

  if (!command || sscanf(command, " -n %lu --kind %15s -s %" SCNu64 " * -t %" SCNu64, &gpus, kind,
                         &drawn, &noise) != 4)
    return 0;
  return drawn == seeds->gpus && noise == seeds->noise &&
                 !strcmp(kind, drawn_kind_names[seeds->kind])
             ? gpus
             : 0;
}

unsigned long earn_read(FILE *in, struct tally *t, const struct draw_seeds *seeds)
{
  static char text[TABLE_MAX];
  unsigned long gpus;

  text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
  gpus = read_head(text, seeds);
  for (size_t i = 0; i < JUDGED && gpus; i++) {
    char name[48];
    const char *row;

    snprintf(name, sizeof(name), "[%s] =", rows[i].name);
    row = strstr(text, name);
    if (!row || !read_row(row + strlen(name), t, rows[i].judged))
      return 0;
  }
  return gpus;
}
