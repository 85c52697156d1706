/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of properties and facts for people, and how each property is found.
 */
#ifndef GC_TOOL_REPORT_METHODS_H
#define GC_TOOL_REPORT_METHODS_H

#include "record/record.h"

struct gc_method {
  const char *property; /* "Capacity": the key without the unit; NULL in some rows of methods.c */
  enum gc_kind kind;    /* of which element; GC_KIND_COUNT: any other */
  const char *section;  /* of doc/methods.md */
  const char *sentence; /* how a measured value is found */
};

/* How this program measures that property of an element. NULL: it never does, or does not know the
 * property. */
const struct gc_method *gc_method_of(const char *property, enum gc_kind kind);

/* A key or a property in words: "LatencyCycles" is "latency". An unknown key stays as it is. The
 * key is without the prefix GPUCache; sm: "SM" or "CU". */
void gc_key_in_words(const char *key, const char *sm, char *text, size_t size);

/* A value with its unit, which the key ends with: "280.0 cycles", "217 KiB (222208 B)". Twice
 * GC_RECORD_MAX_VALUE bytes and the unit are enough for text. */
void gc_value_in_words(const char *key, const char *value, char *text, size_t size);

#endif
