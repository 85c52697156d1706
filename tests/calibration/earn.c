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

/* The name in the source. */
static const char *const ids[GC_PROPERTY_COUNT] = {
#define PROPERTY(id, name, judge, section, sentence) [GC_##id] = "GC_" #id,
#include "record/property_table.h"
};

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
  for (int property = 0; property < GC_PROPERTY_COUNT; property++) {
    if (!is_judged(property))
      continue;
    fprintf(out, "  [%s] =\n    {", ids[property]);
    for (size_t b = 0; b < BINS; b++) {
      const struct count count = tally_bin(t, property, b);

      fprintf(out, "%s{%lu, %lu, %.4g}",
              !b       ? ""
              : b == 4 ? ",\n     "
                       : ", ",
              count.values, count.values - count.right, best_bound(t, property, b));
    }
    fprintf(out, "},\n");
  }
  fprintf(out, "};\n");
}

/* Reads the bins of one row from behind its name. */
static bool read_row(const char *text, struct tally *t, int property)
{
  for (size_t b = 0; b < BINS; b++) {
    struct count *count = &t->bin[DRAWN_ONCE][property][b];
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

/* The GPUs that the command in the head of the table measured, and their seeds. 0: there is none.
 */
static unsigned long read_head(const char *text, struct draw_seeds *seeds)
{
  const char *command = strstr(text, " -n ");
  unsigned long gpus;
  char kind[16];

  if (!command || sscanf(command, " -n %lu --kind %15s -s %" SCNu64 " * -t %" SCNu64, &gpus, kind,
                         &seeds->gpus, &seeds->noise) != 4)
    return 0;
  for (int k = 0; k < DRAWN_KINDS; k++)
    if (!strcmp(kind, drawn_kind_names[k])) {
      seeds->kind = (enum drawn_kind)k;
      return gpus;
    }
  return 0;
}

/* `wanted`: only a table with these seeds counts; NULL: any. */
static unsigned long read_table(FILE *in, struct tally *t, const struct draw_seeds *wanted,
                                struct draw_seeds *seeds)
{
  static char text[TABLE_MAX];
  unsigned long gpus;

  text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
  gpus = read_head(text, seeds);
  if (wanted &&
      (seeds->gpus != wanted->gpus || seeds->noise != wanted->noise || seeds->kind != wanted->kind))
    gpus = 0;
  for (int property = 0; property < GC_PROPERTY_COUNT && gpus; property++) {
    char name[48];
    const char *row;

    if (!is_judged(property))
      continue;
    snprintf(name, sizeof(name), "[%s] =", ids[property]);
    row = strstr(text, name);
    if (!row || !read_row(row + strlen(name), t, property))
      return 0;
  }
  return gpus;
}

unsigned long earn_read(FILE *in, struct tally *t, const struct draw_seeds *seeds)
{
  struct draw_seeds of = {0};

  return read_table(in, t, seeds, &of);
}

unsigned long earn_load(FILE *in, struct draw_seeds *seeds,
                        struct gc_earned table[GC_PROPERTY_COUNT][BINS])
{
  static struct tally tally;
  unsigned long gpus;

  memset(&tally, 0, sizeof(tally));
  gpus = read_table(in, &tally, NULL, seeds);
  for (int property = 0; property < GC_PROPERTY_COUNT; property++)
    for (size_t b = 0; b < BINS; b++) {
      const struct count count = tally_bin(&tally, property, b);

      table[property][b] =
          (struct gc_earned){(uint32_t)count.values, (uint32_t)(count.values - count.right),
                             best_bound(&tally, property, b)};
    }
  return gpus;
}
