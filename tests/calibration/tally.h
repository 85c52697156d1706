/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Counts verdicts: by property and bin of confidence, by element, by class of GPU.
 */
#ifndef GC_TESTS_TALLY_H
#define GC_TESTS_TALLY_H

#include "judge.h"
#include "measure/results/earned.h"

#define BINS GC_EARNED_BINS
#define SURE 0.95

struct count {
  unsigned long values, right;
  double confidence; /* sum */
};

struct tally {
  struct count bin[DRAWN_GROUPS][GC_PROPERTY_COUNT][BINS];
  struct count doubtful[GC_PROPERTY_COUNT]; /* below the first bin; should not be published */
  struct count sure[DRAWN_GROUPS][GC_PROPERTY_COUNT];   /* at SURE or more */
  struct count kinds[GC_KIND_COUNT + 1][GC_PROPERTY_COUNT]; /* the same by element */
  struct count classes[DRAWN_CLASSES];       /* the same by class */
  unsigned long asked[DRAWN_CLASSES][GC_KIND_COUNT + 1][GC_PROPERTY_COUNT];
  unsigned long absent[DRAWN_CLASSES][GC_KIND_COUNT + 1][GC_PROPERTY_COUNT];
  unsigned long false_reasons;         /* for an absent value; see judge.h */
  struct count bound;                  /* "at least so many bytes" */
  unsigned long nothing_there[GC_PROPERTY_COUNT]; /* cases where no value exists */
  unsigned long invented[GC_PROPERTY_COUNT]; /* of these, the ones where a value was reported */
};

void tally_add(struct tally *t, const struct verdict *v);

/* Values in this bin, of all groups. */
struct count tally_bin(const struct tally *t, int property, size_t bin);

double percent(unsigned long part, unsigned long whole);

#endif
