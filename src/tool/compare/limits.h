/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How much two measurements of a property may differ. limits.c has the table, with the reasons.
 */
#ifndef GC_TOOL_COMPARE_LIMITS_H
#define GC_TOOL_COMPARE_LIMITS_H

#include "record/record.h"

#include <stdbool.h>

enum gc_alike {
  GC_NEVER_COMPARED,
  GC_IDENTICAL, /* discrete: the texts must be the same */
  GC_WITHIN,    /* a number: the difference is at most percent, or `least` where that is more */
};

struct gc_difference_limit {
  enum gc_alike alike;
  double percent, least; /* least: in the unit of the key */
  bool by_board;         /* GPUs of one model can have other values: which SMs are enabled */
};

/* The limit of this key (without prefix) of an element of this kind, or of GC_WHOLE_GPU. */
struct gc_difference_limit gc_limit_find(enum gc_kind kind, const char *key);

/* By how much a value may differ from this one. tolerance: per cent that replace the limit of a
 * GC_WITHIN property; negative: none. 0 for other properties. */
double gc_limit_of(const struct gc_difference_limit *limit, double value, double tolerance);

/* The limit in words: "2 %", "1", "3 %, at least 2", "identical". */
void gc_limit_text(const struct gc_difference_limit *limit, double tolerance, char *text,
                   size_t size);

#endif
