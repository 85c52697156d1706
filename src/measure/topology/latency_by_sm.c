/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The latency of L2 on each SM. The search for partitions lets every SM time lines that an SM of
 * its own group has read, so that they are near. The median of these loads differs between SMs
 * because SMs are at different distances from the slices, but also by chance: each SM times other
 * lines. How much chance explains follows from the loads of single SMs. doc/methods.md, "L2
 * partitions"; own method.
 */
#include "measure/topology/latency_by_sm.h"

#include "stats/stats.h"

#include <math.h>
#include <stdio.h>

#define TOLERANCE 0.02 /* as for the latency of L2 */
#define CERTAIN 3      /* standard deviations by which SMs differ more than chance explains */
/* Standard deviation of what counting whole cycles cuts off: sqrt(1 / 12). */
#define ROUNDING 0.289

static bool is_near(const struct gc_partition_groups *s, size_t reader, uint32_t sm)
{
  return s->groups == 1 || s->group[sm] == s->group[s->r.readers[reader]];
}

/* The number of n values below the true median has a standard deviation of sqrt(n) / 2. So the
 * values so far from the middle are a standard error away, whatever the distribution. */
static double error_of_median(const double *sorted, size_t n)
{
  const size_t away = (size_t)(sqrt((double)n) / 2 + 0.5), middle = n / 2;
  const size_t low = middle > away ? middle - away : 0;
  const size_t high = middle + away < n ? middle + away : n - 1;

  return fmax((sorted[high] - sorted[low]) / 2, ROUNDING);
}

double gc_latency_of_sm(const struct gc_partition_groups *s, uint32_t sm, double *error)
{
  double *loads = s->scratch + s->r.sms;
  size_t n = 0;

  for (size_t r = 0; r < s->r.count; r++)
    for (uint32_t k = 0; k < s->r.loads && is_near(s, r, sm); k++)
      loads[n++] = gc_readers_loads(&s->r, r, sm)[k];
  gc_sort(loads, n);
  if (error)
    *error = error_of_median(loads, n);
  return (loads[(n - 1) / 2] + loads[n / 2]) / 2;
}

/* The variance between SMs of the same group. SMs of different groups are not compared, because
 * their lines were timed in different launches. freely: its degrees of freedom. */
static double variance_of(const struct gc_partition_groups *s, const double *of, double *freely)
{
  double squares = 0;

  for (int group = 0; group < s->groups; group++) {
    double sum = 0, n = 0;

    for (uint32_t sm = 0; sm < s->r.sms; sm++)
      if (s->groups == 1 || s->group[sm] == group) {
        sum += of[sm];
        n++;
      }
    for (uint32_t sm = 0; sm < s->r.sms; sm++)
      if (s->groups == 1 || s->group[sm] == group)
        squares += (of[sm] - sum / n) * (of[sm] - sum / n);
  }
  *freely = (double)s->r.sms - s->groups;
  return *freely > 0 ? squares / *freely : 0;
}

/* Do SMs differ by more than chance explains? error: standard error of the latency of an SM. Each
 * SM times lines of at least two readers, which may lie in the same slices; so twice the variance
 * is left to chance. The standard deviation of a variance with n degrees of freedom is sqrt(2 / n)
 * of it. */
static bool differ(const struct gc_partition_groups *s, const double *of, double error)
{
  double freely;
  const double seen = variance_of(s, of, &freely);

  return freely > 0 && seen > 2 * error * error * (1 + CERTAIN * sqrt(2 / freely));
}

/* The probability that the largest of these latencies (sign 1; -1: the smallest), each of which has
 * this standard error, is right within the tolerance. */
static double confidence_of(const double *of, uint32_t sms, double extreme, int sign, double error)
{
  const double within = TOLERANCE * extreme;
  double below_end = 1, below_begin = 1; /* that all latencies are */

  for (uint32_t sm = 0; sm < sms; sm++) {
    const double distance = sign * (extreme - of[sm]);

    below_end *= 1 - erfc((distance + within) / error / sqrt(2)) / 2;
    below_begin *= 1 - erfc((distance - within) / error / sqrt(2)) / 2;
  }
  return below_end - below_begin;
}

static int put_alike(const struct gc_partition_groups *s, const struct gc_by_sm *by,
                     struct gc_measured *element)
{
  const double most = fmax(by->middle - by->least, by->most - by->middle) / by->middle;
  char why[80];

  snprintf(why, sizeof(why), "all %s see the same latency within %.0f %%",
           s->r.m->bench.properties.l2_per_xcd ? "CUs" : "SMs", fmax(1, ceil(100 * most)));
  return gc_set_absent(element, GC_LATENCY_BY_SM, why);
}

int gc_put_latency_by_sm(const struct gc_partition_groups *s, struct gc_measured *element)
{
  const uint32_t sms = s->r.sms;
  double *of = s->scratch, squares = 0, error;
  bool apart;
  struct gc_by_sm by;

  for (uint32_t sm = 0; sm < sms; sm++) {
    of[sm] = gc_latency_of_sm(s, sm, &error);
    squares += error * error;
  }
  error = sqrt(squares / sms);
  apart = differ(s, of, error);
  gc_sort(of, sms);
  by = (struct gc_by_sm){of[0], (of[(sms - 1) / 2] + of[sms / 2]) / 2, of[sms - 1]};
  if (!apart)
    return put_alike(s, &by, element);
  return gc_set_latency_by_sm(element, &by,
                              s->confidence * s->r.m->results->overhead.confidence *
                                  confidence_of(of, sms, by.least, -1, error) *
                                  confidence_of(of, sms, by.most, 1, error));
}
