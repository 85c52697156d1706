/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which keys have numbers as values, and how these are written.
 */
#ifndef GC_RECORD_VALUES_H
#define GC_RECORD_VALUES_H

#include <stdbool.h>

/* Whether the value is written as its key requires: digits for bytes and counts; digits with an
 * optional fraction for other numbers; at most 1 for a confidence. True for all other keys. */
bool gc_value_ok(const char *name, const char *value);

#endif
