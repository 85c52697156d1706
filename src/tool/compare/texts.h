/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A set of texts that stores each text once: equal texts have equal pointers. Ten thousand records
 * have a few thousand different texts.
 */
#ifndef GC_TOOL_COMPARE_TEXTS_H
#define GC_TOOL_COMPARE_TEXTS_H

#include <stddef.h>

/* Zero-initialized: empty. */
struct gc_texts {
  const char **slots; /* a hash table, at most half full */
  size_t size, used;
};

/* The stored copy of a text, valid as long as the set. NULL: out of memory. */
const char *gc_texts_keep(struct gc_texts *texts, const char *text);

void gc_texts_free(struct gc_texts *texts);

#endif
