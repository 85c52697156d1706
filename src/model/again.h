/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Groups of lines that are accessed again and again, as kernels that measure bandwidth do. While no
 * line comes into a cache, all lines of a group that was found stay there, and only the last access
 * to each group matters for their order. So accesses are noted, as a list of groups in the order of
 * their last ones, and made when something else needs the order. Only for wide_cache.c.
 */
#ifndef GC_MODEL_AGAIN_H
#define GC_MODEL_AGAIN_H

#include <stdbool.h>
#include <stdint.h>

/* The first sectors of `count` lines, `apart` bytes apart. */
struct gc_again_group {
  uint64_t address;
  uint64_t epoch;          /* when all were found in the cache */
  uint32_t apart, count;   /* count 0: the entry is free */
  uint32_t older, younger; /* in the list */
};

#define GC_AGAIN_ENTRIES (1u << 14)
#define GC_AGAIN_NONE UINT32_MAX

struct gc_again {
  uint64_t period, news; /* of the cache, when it was used last; another one begins a new epoch */
  uint64_t epoch;
  uint32_t used, oldest, youngest;
  struct gc_again_group group[GC_AGAIN_ENTRIES]; /* hashed by address */
};

struct gc_again *gc_again_new(void); /* NULL: out of memory. free() releases it */

/* Forgets what was noted. */
void gc_again_drop(struct gc_again *again);
/* Forgets the groups, too. */
void gc_again_clear(struct gc_again *again);

/* The entry of this group, or a free one for it. There must be one: gc_again_full. */
uint32_t gc_again_find(const struct gc_again *again, const struct gc_again_group *group);
/* Whether the next group needs gc_again_clear before. */
bool gc_again_full(const struct gc_again *again);

/* Accesses to the group of this entry are noted: it becomes the youngest one. */
void gc_again_note(struct gc_again *again, uint32_t entry);

#endif
