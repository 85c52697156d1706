/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The confidence is tested in every bin of every property: with n values and a mean confidence p,
 * so many or more wrong ones must not be too improbable if each value is wrong with probability
 * 1 - p (exact binomial test). If the confidences in a bin differ, the number of wrong values
 * scatters less than that, so the test is on the safe side. The three groups of GPUs are tested
 * separately, because a GPU that is measured with other noise or pages is no new GPU. Many bins are
 * many tests: Holm's method corrects them together.
 */
#include "gate.h"

#include "stats/stats.h"

#include <stdio.h>

#define LEVEL 0.05 /* probability that a perfect tool fails in any bin */
#define TESTS_MAX (DRAWN_GROUPS * GC_PROPERTY_COUNT * BINS)
/* From so many GPUs on, every property must be reported. Latencies of near and far lines are found
 * on one in ten or fewer, because most drawn L2s are too small. */
#define ALL_PROPERTIES 200

static int expect(bool good, const char *what)
{
  static int n;

  printf("%sok %d - %s\n", good ? "" : "not ", ++n, what);
  return !good;
}

/* The probability of so many wrong values or more, if the confidence is right. */
static double improbability(const struct count *c)
{
  const unsigned long wrong = c->values - c->right;
  const double rate = 1 - c->confidence / (double)c->values;

  return wrong ? 1 - gc_binomial_cdf(wrong - 1, c->values, rate) : 1;
}

/* One line for each property; bins that are too often wrong are named. p: of all bins, adjusted. */
static int judge_bins(const struct tally *t, const double *p)
{
  int failed = 0;

  for (int property = 0; property < GC_PROPERTY_COUNT; property++) {
    bool good = true;
    char what[96];

    if (!is_judged(property))
      continue;

    for (int group = 0; group < DRAWN_GROUPS; group++)
      for (size_t b = 0; b < BINS; b++) {
        const struct count *c = &t->bin[group][property][b];
        const double adjusted = p[(group * GC_PROPERTY_COUNT + property) * BINS + (int)b];

        if (adjusted > LEVEL)
          continue;
        good = false;
        printf("# %s from %.4g on, group %d: %lu of %lu are wrong, stated %.4f; p = %.2g\n",
               gc_properties_names[property], gc_earned_bins[b], group, c->values - c->right,
               c->values, c->confidence / (double)c->values, adjusted);
      }
    snprintf(what, sizeof(what), "%s is right as often as its confidence says, in every bin",
             gc_properties_names[property]);
    failed += expect(good, what);
  }
  return failed;
}

static int judge_confidence(const struct tally *t)
{
  double p[TESTS_MAX], tested[TESTS_MAX];
  size_t at[TESTS_MAX], n = 0;

  for (size_t i = 0; i < TESTS_MAX; i++) {
    const struct count *c = &(&t->bin[0][0][0])[i];

    p[i] = 1;
    if (c->values) {
      tested[n] = improbability(c);
      at[n++] = i;
    }
  }
  gc_holm(tested, n);
  for (size_t i = 0; i < n; i++)
    p[at[i]] = tested[i];
  return judge_bins(t, p);
}

/* One in twenty may be absent (or reported). In a small run chance adds some. */
static bool few(unsigned long absent, unsigned long of)
{
  return !absent || 1 - gc_binomial_cdf(absent - 1, of, 0.05) > LEVEL;
}

/* Few are absent among elements inside the SM, on quiet GPUs. Two kinds do not count: an L2 with
 * random replacement has no capacity to report, and a constant L1.5 often has none if SMs are few
 * or share it. */
static bool found_inside(const struct tally *t, enum gc_property property)
{
  unsigned long asked = 0, absent = 0;

  for (int kind = GC_L2 + 1; kind < GC_KIND_COUNT; kind++) {
    if (kind == GC_CONSTANT_L15)
      continue;
    asked += t->asked[DRAWN_QUIET][kind][property];
    absent += t->absent[DRAWN_QUIET][kind][property];
  }
  return few(absent, asked);
}

/* Every property is reported somewhere, and none with too little confidence. */
static int judge_presence(const struct tally *t, unsigned long gpus)
{
  bool all = true, doubtful = false;

  for (int property = 0; property < GC_PROPERTY_COUNT; property++) {
    unsigned long values = 0;

    if (!is_judged(property))
      continue;
    for (size_t b = 0; b < BINS; b++)
      values += tally_bin(t, property, b).values;
    if (!values)
      printf("# no value of %s\n", gc_properties_names[property]);
    all &= values > 0;
    doubtful |= t->doubtful[property].values > 0;
  }
  return expect(all || gpus < ALL_PROPERTIES, "of many GPUs, every property is reported on some") +
         expect(!doubtful, "no value has a confidence below 0.5");
}

int gate(const struct tally *t, unsigned long gpus, bool complete)
{
  const enum gc_property c = GC_CAPACITY, l = GC_LATENCY;
  bool invented = false;

  for (int property = 0; property < GC_PROPERTY_COUNT; property++)
    invented |= !few(t->invented[property], t->nothing_there[property]);
  return expect(complete, "every drawn GPU could be measured") + judge_confidence(t) +
         judge_presence(t, gpus) +
         expect(t->nothing_there[c] && !t->invented[c], "noise and flat curves yield no capacity") +
         expect(!invented, "where there is nothing to find, 95 % are absent") +
         expect(found_inside(t, c), "capacities inside quiet SMs: 95 % are found") +
         expect(found_inside(t, l), "latencies inside quiet SMs: 95 % are found") +
         expect(!t->false_reasons, "reasons that speak of hits and misses are true") +
         expect((t->bound.values || gpus < ALL_PROPERTIES) &&
                    few(t->bound.values - t->bound.right, t->bound.values),
                "\"at least\": 95 % are right");
}
