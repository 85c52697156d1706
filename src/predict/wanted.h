/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which kernels the caller wants, by name and number.
 */
#ifndef GC_PREDICT_WANTED_H
#define GC_PREDICT_WANTED_H

#include "util/error.h"

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>

/* All 0: all kernels. */
struct gc_wanted {
  const char *names;    /* a POSIX extended regular expression that a part of the name matches */
  uint64_t first, last; /* numbers of kernels, from 1; 0: no limit */
};

struct gc_wanted_names {
  struct gc_wanted wanted;
  regex_t expression; /* if there are names */
};

/* Whether this is a regular expression. */
bool gc_wanted_can(const char *names);

/* 0; the caller then calls gc_wanted_free. Or -EINVAL with a sentence. The texts of wanted must
 * remain. */
int gc_wanted_compile(struct gc_wanted_names *names, const struct gc_wanted *wanted,
                      struct gc_error *err);
bool gc_wanted_has(const struct gc_wanted_names *names, const char *name, uint64_t number);
void gc_wanted_free(struct gc_wanted_names *names);

#endif
