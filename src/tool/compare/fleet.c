/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Outliers by median and median absolute deviation, so that they cannot hide themselves or others.
 */
#include "tool/compare/fleet.h"

#include "stats/stats.h"
#include "tool/compare/column.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The probability that a fleet of equal GPUs, with normally distributed values, has any outlier.
 * All numbers of all GPUs are one family: a fleet of 1,000 GPUs has 80,000, and with a limit of
 * three standard deviations 200 of them would be outliers by chance. By Bonferroni's inequality,
 * each of m numbers may be one with the probability ALPHA / m: 5.3 standard deviations for 80,000.
 */
#define ALPHA 0.01

/* The mean range of 20 normally distributed values, in standard deviations. The limits are such
 * ranges, so this makes the standard deviation of repeated measurements. (Tippett 1925) */
#define RANGE_OF_20 3.735

/* More deviating GPUs than this are a part of the group, and no outliers. */
static size_t most_outliers(size_t gpus)
{
  return gpus / 10 > 3 ? gpus / 10 : 3;
}

/* A property of a group, while it is compared. */
struct comparison {
  struct gc_fleet *fleet;
  size_t group;
  double tolerance;
  struct gc_column column;
  size_t *deviating; /* numbers in column.with */
  size_t deviating_count;
  double *scratch;
};

static size_t most_in_group(const struct comparison *now)
{
  return most_outliers(now->fleet->groups[now->group].count);
}

static void *one_more(void *array, size_t count, size_t size)
{
  /* doubled at each power of two */
  return count & (count - 1) ? array : reallocarray(array, count ? 2 * count : 1, size);
}

static int add_outlier(const struct comparison *now, struct gc_outlier outlier)
{
  struct gc_fleet *fleet = now->fleet;
  struct gc_outlier *array =
      one_more(fleet->outliers, fleet->outlier_count, sizeof *fleet->outliers);

  if (!array)
    return -ENOMEM;
  outlier.property = now->column.property;
  fleet->outliers = array;
  array[fleet->outlier_count++] = outlier;
  return 0;
}

static int add_divided(const struct comparison *now, size_t deviating)
{
  const struct gc_column *column = &now->column;
  const size_t n = column->with_count;
  struct gc_fleet *fleet = now->fleet;
  struct gc_divided *array = one_more(fleet->divided, fleet->divided_count, sizeof *fleet->divided);
  struct gc_divided *divided;

  if (!array)
    return -ENOMEM;
  fleet->divided = array;
  divided = &array[fleet->divided_count++];
  *divided = (struct gc_divided){
      .group = now->group, .property = column->property, .with = n, .deviating = deviating};
  if (gc_column_property(column)->limit.alike != GC_WITHIN)
    return 0;
  memcpy(now->scratch, column->numbers, n * sizeof *now->scratch);
  gc_sort(now->scratch, n);
  divided->low = now->scratch[0];
  divided->high = now->scratch[n - 1];
  divided->median = gc_median(now->scratch, n);
  return 0;
}

static int compare_presence(const struct comparison *now)
{
  const struct gc_column *column = &now->column;
  int status = 0;

  if (column->without_count > most_in_group(now) || column->without_count >= column->with_count)
    return column->without_count ? add_divided(now, column->without_count) : 0;
  for (size_t i = 0; !status && i < column->without_count; i++)
    status = add_outlier(
        now,
        (struct gc_outlier){.subject = column->without[i], .usual = "present", .sigmas = INFINITY});
  return status;
}

/* Values that must be identical. */
static int compare_texts(struct comparison *now)
{
  const struct gc_column *column = &now->column;
  const struct gc_subject *array = column->subjects->array;
  const char *usual = gc_column_majority(column);
  int status = 0;

  for (size_t i = 0; i < column->with_count; i++)
    if (gc_subject_value(&array[column->with[i]], column->property)->text != usual)
      now->deviating[now->deviating_count++] = i;
  if (!now->deviating_count)
    return 0;
  if (gc_column_property(column)->limit.by_board || now->deviating_count > most_in_group(now) ||
      2 * now->deviating_count >= column->with_count)
    return add_divided(now, now->deviating_count);
  for (size_t i = 0; !status && i < now->deviating_count; i++)
    status = add_outlier(now, (struct gc_outlier){.subject = column->with[now->deviating[i]],
                                                  .usual = usual,
                                                  .sigmas = INFINITY});
  return status;
}

static int add_number(const struct comparison *now, size_t i, double median, double sigma)
{
  const double by = now->column.numbers[i] - median;

  return add_outlier(now, (struct gc_outlier){
                              .subject = now->column.with[i],
                              .median = median,
                              .percent = median > 0 ? by / median * 100 : INFINITY,
                              .sigmas = sigma > 0 ? by / sigma : copysign(INFINITY, by),
                          });
}

static int compare_numbers(struct comparison *now)
{
  const struct gc_column *column = &now->column;
  const size_t n = column->with_count;
  double median, limit, sigma;
  int status = 0;

  memcpy(now->scratch, column->numbers, n * sizeof *now->scratch);
  median = gc_median(now->scratch, n);
  limit = gc_limit_of(&gc_column_property(column)->limit, median, now->tolerance);
  sigma = fmax(gc_robust_sigma(now->scratch, n, median), limit / RANGE_OF_20);
  for (size_t i = 0; i < n; i++) {
    const double deviation = fabs(column->numbers[i] - median);

    if (deviation > limit * (1 + 1e-9) && deviation > now->fleet->sigmas * sigma)
      now->deviating[now->deviating_count++] = i;
  }
  if (now->deviating_count > most_in_group(now))
    return add_divided(now, now->deviating_count);
  for (size_t i = 0; !status && i < now->deviating_count; i++)
    status = add_number(now, now->deviating[i], median, sigma);
  return status;
}

/* Calls compare for each property of each group that is large enough. */
static int for_columns(struct comparison *now, int (*compare)(struct comparison *now))
{
  const struct gc_fleet *fleet = now->fleet;
  int status = 0;

  for (now->group = 0; now->group < fleet->group_count; now->group++) {
    const struct gc_group *group = &fleet->groups[now->group];

    for (size_t i = 0;
         !status && group->count >= GC_FLEET_LEAST && i < fleet->subjects->property_count; i++) {
      gc_column_fill(&now->column, i, fleet->order + group->first, group->count);
      now->deviating_count = 0;
      if (now->column.with_count)
        status = compare(now);
    }
  }
  return status;
}

static bool has_numbers(const struct gc_column *column)
{
  return gc_column_property(column)->limit.alike == GC_WITHIN;
}

static int count_numbers(struct comparison *now)
{
  if (has_numbers(&now->column) && now->column.with_count >= GC_FLEET_LEAST)
    now->fleet->comparisons += (double)now->column.with_count;
  return 0;
}

static int compare_column(struct comparison *now)
{
  int status = compare_presence(now);

  if (status || now->column.with_count < GC_FLEET_LEAST)
    return status;
  return has_numbers(&now->column) ? compare_numbers(now) : compare_texts(now);
}

/* The worst outlier and the number of outliers of a GPU, for sorting. */
struct severity {
  double sigmas;
  size_t count;
};

static int by_severity(const void *x, const void *y, void *data)
{
  const struct gc_outlier *a = x, *b = y;
  const struct severity *severities = data, *s = &severities[a->subject],
                        *t = &severities[b->subject];

  if (s->sigmas != t->sigmas)
    return s->sigmas > t->sigmas ? -1 : 1;
  if (s->count != t->count)
    return s->count > t->count ? -1 : 1;
  if (a->subject != b->subject)
    return a->subject < b->subject ? -1 : 1;
  if (fabs(a->sigmas) != fabs(b->sigmas))
    return fabs(a->sigmas) > fabs(b->sigmas) ? -1 : 1;
  return a->property < b->property ? -1 : a->property > b->property;
}

static int sort_outliers(struct gc_fleet *fleet)
{
  struct severity *severities = calloc(fleet->subjects->count + 1, sizeof *severities);

  if (!severities)
    return -ENOMEM;
  for (size_t i = 0; i < fleet->outlier_count; i++) {
    const struct gc_outlier *outlier = &fleet->outliers[i];
    struct severity *severity = &severities[outlier->subject];

    fleet->outlier_gpus += !severity->count++;
    severity->sigmas = fmax(severity->sigmas, fabs(outlier->sigmas));
  }
  if (fleet->outlier_count)
    qsort_r(fleet->outliers, fleet->outlier_count, sizeof *fleet->outliers, by_severity,
            severities);
  free(severities);
  return 0;
}

/* Compares everything: first the numbers are counted, because their count decides on the limit. */
static int compare_groups(struct comparison *now)
{
  const size_t n = now->fleet->subjects->count + 1;
  int status = gc_column_init(&now->column, now->fleet->subjects);

  now->deviating = calloc(n, sizeof *now->deviating);
  now->scratch = calloc(n, sizeof *now->scratch);
  if (!status && (!now->deviating || !now->scratch))
    status = -ENOMEM;
  if (!status)
    status = for_columns(now, count_numbers);
  now->fleet->sigmas = gc_outlier_sigmas(ALPHA, fmax(now->fleet->comparisons, 1));
  if (!status)
    status = for_columns(now, compare_column);
  free(now->scratch);
  free(now->deviating);
  gc_column_free(&now->column);
  return status;
}

int gc_fleet_compare(const struct gc_subjects *subjects, double tolerance, struct gc_fleet *fleet)
{
  struct comparison now = {.fleet = fleet, .tolerance = tolerance};
  int status;

  *fleet = (struct gc_fleet){.subjects = subjects};
  status = gc_groups_find(subjects, &fleet->order, &fleet->groups, &fleet->group_count);
  if (status)
    return status;
  status = compare_groups(&now);
  if (!status)
    status = sort_outliers(fleet);
  if (status)
    gc_fleet_free(fleet);
  return status;
}

void gc_fleet_free(struct gc_fleet *fleet)
{
  free(fleet->order);
  free(fleet->groups);
  free(fleet->outliers);
  free(fleet->divided);
  memset(fleet, 0, sizeof *fleet);
}
