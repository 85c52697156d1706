/* SPDX-License-Identifier: BSD-3-Clause */
#include "many.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

static int by_tree(const void *a, const void *b)
{
  const uint64_t x = ((const struct seen *)a)->tree, y = ((const struct seen *)b)->tree;

  return (x > y) - (x < y);
}

static int by_status(const void *a, const void *b)
{
  return strcmp(((const struct seen *)a)->status, ((const struct seen *)b)->status);
}

static size_t count_trees(struct seen *seen, size_t count)
{
  size_t trees = 1;

  qsort(seen, count, sizeof(*seen), by_tree);
  for (size_t i = 1; i < count; i++)
    trees += seen[i].tree != seen[i - 1].tree;
  return trees;
}

static void print_statuses(struct seen *seen, size_t count)
{
  size_t same = 1;

  qsort(seen, count, sizeof(*seen), by_status);
  for (size_t i = 1; i <= count; i++, same++)
    if (i == count || strcmp(seen[i].status, seen[i - 1].status)) {
      printf("status %zu %s\n", same, seen[i - 1].status);
      same = 0;
    }
}

/* Prints median and maximum of the double at this offset in each. */
static void print_times(const char *name, const struct seen *seen, size_t count, size_t offset)
{
  double *values = calloc(count, sizeof(*values));

  for (size_t i = 0; values && i < count; i++)
    memcpy(&values[i], (const char *)&seen[i] + offset, sizeof(*values));
  if (values) {
    qsort(values, count, sizeof(*values), ascending);
    printf("%s %.0f %.0f\n", name, values[count / 2], values[count - 1]);
  }
  free(values);
}

void report(struct seen *seen, size_t count, bool paired, unsigned written)
{
  printf("loads %zu\ntrees %zu\nwritten %u\n", count, count_trees(seen, count), written);
  print_times("took", seen, count, offsetof(struct seen, with.took));
  print_times("waited", seen, count, offsetof(struct seen, with.waited));
  if (paired) {
    print_times("without", seen, count, offsetof(struct seen, without.took));
    print_times("without-waited", seen, count, offsetof(struct seen, without.waited));
  }
  print_statuses(seen, count);
}
