/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which sectors have ever been accessed: an access to a new one is a compulsory miss. The memory
 * follows the number of different lines, up to GC_SEEN_LINES. Beyond that, the set keeps a
 * random half of the lines, then a quarter, and so on. Each kept line then counts 2, 4, ... times.
 */
#ifndef GC_PREDICT_MODEL_SECTOR_SET_H
#define GC_PREDICT_MODEL_SECTOR_SET_H

#include <stddef.h>
#include <stdint.h>

#define GC_SEEN_LINES 8192 /* a share estimated from half of these has an error of 1 to 2 % */

struct gc_sector_set {
  struct gc_seen_line {
    uint64_t tag; /* line + 1; 0: empty */
    uint32_t sectors;
  } * slots;          /* NULL: none yet */
  size_t count, used; /* slots; count is a power of two */
  unsigned halved;    /* times */
};

/* A set of zero bytes is empty. */
void gc_sector_set_clear(struct gc_sector_set *set);
void gc_sector_set_fini(struct gc_sector_set *set);

/* Adds sectors of a line. *added is the estimated number of new sectors: those that are new, times
 * 2^halved; 0 if the line is not in the sample. 0 or -ENOMEM. */
int gc_sector_set_add(struct gc_sector_set *set, uint64_t line, uint32_t sectors, uint64_t *added);

#endif
