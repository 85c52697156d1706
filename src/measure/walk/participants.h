/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The participants: SMs that share no constant cache with each other, one for each instance of the
 * constant L1.5. They are found once and kept until the runner drops all memos.
 * gc_find_participants (banks.h) finds them, because that takes a trial walk.
 */
#ifndef GC_MEASURE_WALK_PARTICIPANTS_H
#define GC_MEASURE_WALK_PARTICIPANTS_H

#include "measure/core/measurement.h"

/* SMs that share no constant cache with each other. They are kept until the runner drops all
 * memos. */
struct gc_participants {
  size_t count;
  uint32_t sm[GC_SMS_MAX]; /* [count] their numbers */
  uint32_t sms;            /* larger than every SM number */
  uint32_t threshold;      /* raw cycles, between a hit and a miss of the cache */
  uint32_t flush; /* bytes that one miss brings in: loads at this distance are enough to evict */
};

/* Chooses the SMs that came first in a first-touch test. flush is the least that a miss can bring
 * in, because a trial walk has not measured it yet. A count of 0: the test failed. */
int gc_participants_choose(struct gc_measurement *m, struct gc_participants *participants);

/* Keeps a copy for later steps. 0 or -ENOMEM with a sentence. */
int gc_participants_keep(struct gc_measurement *m, const struct gc_participants *participants);

/* The participants that were kept; NULL: none. Valid until memos are dropped. */
const struct gc_participants *gc_participants_kept(const struct gc_measurement *m);

/* Drops what was kept, so that the next search begins anew. */
void gc_forget_participants(struct gc_measurement *m);

#endif
