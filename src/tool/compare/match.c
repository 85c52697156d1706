/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/compare/match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare(const struct gc_subject *a, const struct gc_subject *b, bool names)
{
  const int order = strcmp(a->id, b->id);

  return order || !names ? order : strcmp(a->name, b->name);
}

static int by_name(const void *x, const void *y, void *data)
{
  const struct gc_subject *array = data;

  return compare(&array[*(const size_t *)x], &array[*(const size_t *)y], true);
}

/* The subjects of a side, sorted. */
static void sort_side(const struct gc_subjects *subjects, const struct gc_matched_side *side,
                      size_t *indices)
{
  for (size_t i = 0; i < side->count; i++)
    indices[i] = side->first + i;
  qsort_r(indices, side->count, sizeof *indices, by_name, subjects->array);
}

/* Whether no neighbour in the sorted array is equal. */
static bool is_unique(const struct gc_subjects *subjects, const size_t *indices, size_t count,
                      size_t i, bool names)
{
  const struct gc_subject *array = subjects->array;

  return (!i || compare(&array[indices[i - 1]], &array[indices[i]], names)) &&
         (i + 1 == count || compare(&array[indices[i]], &array[indices[i + 1]], names));
}

/* Gives partners to GPUs without one whose id, or id and name, is unique on both sides. */
static size_t match_unique(const struct gc_subjects *subjects, const struct gc_matched_side *a,
                           const struct gc_matched_side *b, bool names, size_t partner[],
                           size_t *room)
{
  size_t *left = room, *right = room + a->count, found = 0;

  sort_side(subjects, a, left);
  sort_side(subjects, b, right);
  for (size_t i = 0, k = 0; i < a->count && k < b->count;) {
    const int order = compare(&subjects->array[left[i]], &subjects->array[right[k]], names);

    if (!order && partner[left[i]] == GC_NOBODY && partner[right[k]] == GC_NOBODY &&
        is_unique(subjects, left, a->count, i, names) &&
        is_unique(subjects, right, b->count, k, names)) {
      partner[left[i]] = right[k];
      partner[right[k]] = left[i];
      found++;
    }
    i += order <= 0;
    k += order >= 0;
  }
  return found;
}

static void match_in_order(const struct gc_matched_side *a, const struct gc_matched_side *b,
                           size_t partner[])
{
  for (size_t i = 0; i < a->count; i++) {
    partner[a->first + i] = b->first + i;
    partner[b->first + i] = a->first + i;
  }
}

int gc_match_sides(const struct gc_subjects *subjects, const struct gc_matched_side *a,
                   const struct gc_matched_side *b, struct gc_match **matches, size_t *count)
{
  size_t *partner = calloc(subjects->count + 1, sizeof *partner);
  size_t *room = calloc(a->count + b->count + 1, sizeof *room), found;

  *matches = calloc(a->count + b->count + 1, sizeof **matches);
  *count = 0;
  if (!partner || !room || !*matches) {
    free(partner);
    free(room);
    free(*matches);
    return -ENOMEM;
  }
  for (size_t i = 0; i < subjects->count; i++)
    partner[i] = GC_NOBODY;
  found = match_unique(subjects, a, b, true, partner, room);
  found += match_unique(subjects, a, b, false, partner, room);
  if (a->count == b->count && (a->count == 1 || (!found && !a->is_directory && !b->is_directory)))
    match_in_order(a, b, partner);
  for (size_t i = a->first; i < a->first + a->count; i++)
    (*matches)[(*count)++] = (struct gc_match){i, partner[i]};
  for (size_t i = b->first; i < b->first + b->count; i++)
    if (partner[i] == GC_NOBODY)
      (*matches)[(*count)++] = (struct gc_match){GC_NOBODY, i};
  free(partner);
  free(room);
  return 0;
}
