/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How the values of keys are written.
 */
#ifndef GC_RECORD_VALUES_H
#define GC_RECORD_VALUES_H

#include <stdbool.h>

/* Whether the value has the form that property_table.h states for its key (of a fact: without the
 * prefix GPUCache). A confidence is a number of at most 1. True for all other keys. */
bool gc_value_ok(const char *name, const char *value);

#endif
