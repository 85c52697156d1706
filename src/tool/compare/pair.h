/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Two GPUs, or two records of one GPU: what differs beyond the limits.
 */
#ifndef GC_TOOL_COMPARE_PAIR_H
#define GC_TOOL_COMPARE_PAIR_H

#include "tool/compare/subjects.h"

/* A property that differs. */
struct gc_difference {
  size_t property;
  double percent;  /* GC_WITHIN: of the value of a; the sign says whether b has more */
  const char *why; /* it does not count, because ...; NULL: it counts */
};

struct gc_pair {
  const struct gc_subject *a, *b;
  struct gc_difference *differences; /* those that count come first */
  size_t count, counting;
  size_t compared; /* properties of which both have a value */
};

/* Compares two GPUs. tolerance: per cent, or negative, as in limits.h. 0, and *pair, which the
 * caller frees with gc_pair_free; or -ENOMEM.
 *
 * A property that only one of them has counts as a difference, unless the reason says little about
 * the GPU (then `why` is set): another revision of the methods; a record that is provisional, so
 * that its values can be absent for a passing reason; or a property without any reason in a record
 * of another version of the program, which may not know it. The same holds for a property that was
 * measured in one record and stated by an interface or a driver in the other. */
int gc_pair_compare(const struct gc_subjects *subjects, const struct gc_subject *a,
                    const struct gc_subject *b, double tolerance, struct gc_pair *pair);

void gc_pair_free(struct gc_pair *pair);

/* What two records should have in common and have not, as sentences, before any value is compared:
 * model, MIG state, ECC, method, driver, VBIOS, version, clock; and whether a record is
 * provisional. Calls say for each. */
void gc_pair_notes(const struct gc_subject *a, const struct gc_subject *b,
                   void (*say)(const char *sentence, void *data), void *data);

#endif
