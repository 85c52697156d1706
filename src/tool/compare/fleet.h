/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Many GPUs: groups of equal ones, and which of them are not like the others of their group.
 */
#ifndef GC_TOOL_COMPARE_FLEET_H
#define GC_TOOL_COMPARE_FLEET_H

#include "tool/compare/groups.h"

/* Groups with fewer GPUs have no median that deserves its name: use gc_pair_compare. */
#define GC_FLEET_LEAST 3

/* A property of a GPU that is not as in the other GPUs of its group. */
struct gc_outlier {
  size_t subject, property;
  const char *usual; /* the value that most GPUs have; NULL: see median */
  double median;
  double percent; /* from the median */
  double sigmas;  /* from the median; INFINITY for discrete properties, and for a value that is
                     absent */
};

/* A property in which a part of a group differs, and not a few outliers. */
struct gc_divided {
  size_t group, property;
  size_t with;              /* GPUs of the group that have a value */
  size_t deviating;         /* GPUs that lack it, or have another one than most */
  double low, median, high; /* GC_WITHIN properties */
};

struct gc_fleet {
  const struct gc_subjects *subjects;
  size_t *order; /* indices of subjects, group by group */
  struct gc_group *groups;
  size_t group_count;
  double comparisons, sigmas;  /* numbers that were compared; what makes an outlier among them */
  struct gc_outlier *outliers; /* GPU by GPU, the worst GPU first */
  size_t outlier_count, outlier_gpus;
  struct gc_divided *divided;
  size_t divided_count;
};

/* Divides the GPUs into groups, and finds the outliers in groups of three and more. 0, and *fleet,
 * which the caller frees; or -ENOMEM.
 *
 * A number is an outlier if it is farther from the median of its group than the limit of its
 * property (limits.h; tolerance: per cent that replace it, or negative), and farther than `sigmas`
 * robust standard deviations. The standard deviation is at least that of repeated measurements. A
 * discrete value is an outlier if most GPUs of the group have another one. If more than a tenth of
 * a group (and more than three) deviate in a property, these are not outliers: the property is in
 * `divided`. A property that depends on the SMs that are enabled has no outliers. */
int gc_fleet_compare(const struct gc_subjects *subjects, double tolerance, struct gc_fleet *fleet);

void gc_fleet_free(struct gc_fleet *fleet);

#endif
