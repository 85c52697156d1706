/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Do loads of another path choose the sets of L1 in the same way? The texture and the read-only
 * path often end in the storage of L1, but the hash of addresses may be another one. Lines that
 * share a set of L1, one more than it has ways, displace each other through the other path, too, if
 * the hash is the same. If it is another one, they are in different sets and all hit.
 * doc/methods.md, "Sets and replacement".
 */
#ifndef GC_MEASURE_STRUCTURE_SAME_SETS_H
#define GC_MEASURE_STRUCTURE_SAME_SETS_H

#include "measure/structure/overfull.h"
#include "measure/walk/vote.h"

/* Keeps the overfull sets of L1 that have so many lines. */
int gc_same_sets_keep(struct gc_measurement *m, const struct gc_overfull *o, uint32_t lines);

/* GC_YES, GC_NO, or GC_UNCLEAR: too few sets are known, or noise hides the answer. o: open, of the
 * other path. */
int gc_same_sets_ask(const struct gc_measurement *m, struct gc_overfull *o, enum gc_answer *same);

#endif
