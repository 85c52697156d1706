/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which GPUs of a fleet are equal: those with the same model, size of the device memory (within
 * 2 %), MIG or partition state, ECC, carve-out that the capacities belong to, and revisions of
 * format and methods.
 */
#ifndef GC_TOOL_COMPARE_GROUPS_H
#define GC_TOOL_COMPARE_GROUPS_H

#include "tool/compare/subjects.h"

struct gc_group {
  size_t first, count; /* in the order that gc_groups_find returns */
};

/* Divides all subjects into groups. *order: their indices, group by group; in a group, by memory,
 * then as they were added. The caller frees both arrays. 0 or -ENOMEM. */
int gc_groups_find(const struct gc_subjects *subjects, size_t **order, struct gc_group **groups,
                   size_t *count);

/* What the group of this subject has in common: "NVIDIA H200, 139.8 GiB, ECC on, method 4". */
void gc_group_text(const struct gc_subjects *subjects, size_t subject, char *text, size_t size);

#endif
