/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which sectors have ever been accessed: an access to a new one is a compulsory miss. The memory
 * follows the number of different lines.
 */
#ifndef GC_PREDICT_MODEL_SECTOR_SET_H
#define GC_PREDICT_MODEL_SECTOR_SET_H

#include <stddef.h>
#include <stdint.h>

struct gc_sector_set {
  struct gc_seen_line {
    uint64_t tag; /* line + 1; 0: empty */
    uint32_t sectors;
  } * slots;          /* NULL: none yet */
  size_t count, used; /* slots; count is a power of two */
};

/* A set of zero bytes is empty. */
void gc_sector_set_clear(struct gc_sector_set *set);
void gc_sector_set_fini(struct gc_sector_set *set);

/* Adds sectors of a line. *added is those of them that are new. 0 or -ENOMEM. */
int gc_sector_set_add(struct gc_sector_set *set, uint64_t line, uint32_t sectors, uint32_t *added);

#endif
