/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A memo is what a step keeps for later steps because it takes long to find. It belongs to the file
 * that defines its struct gc_memo_type; no other file reads it. If interference disturbs a step,
 * the runner drops all memos, because they may contain what the disturbed step found.
 */
#ifndef GC_MEASURE_CORE_MEMO_H
#define GC_MEASURE_CORE_MEMO_H

#include "util/error.h"

#include <stddef.h>

struct gc_memo_type {
  size_t bytes;
  void (*release)(void *memo); /* frees what it points to, not itself; may be NULL */
};

struct gc_memo; /* a list; NULL is an empty one */

/* The memo of this type; NULL: there is none. */
void *gc_memo_find(struct gc_memo *list, const struct gc_memo_type *type);
/* Zeroed memory for a memo, which replaces an earlier one of this type. NULL: out of memory, with a
 * sentence. */
void *gc_memo_keep(struct gc_memo **list, const struct gc_memo_type *type, struct gc_error *err);
/* Releases the memo of this type, if there is one; or all memos. */
void gc_memo_drop(struct gc_memo **list, const struct gc_memo_type *type);
void gc_memo_drop_all(struct gc_memo **list);

#endif
