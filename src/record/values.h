/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How keys and their values are written.
 */
#ifndef GC_RECORD_VALUES_H
#define GC_RECORD_VALUES_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the value has the form that property_table.h states for its key (of a fact: without the
 * prefix GPUCache). A confidence is a number of at most 1. True for all other keys. */
bool gc_value_ok(const char *name, const char *value);

/* The length of the property in a key, which is the key without its unit: 4 of
 * "ReadBytesPerCycle". */
size_t gc_property_length(const char *key);

#endif
