/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Provisional records: values are absent for a reason that can pass, for example because other
 * programs used the device memory. Such a record is valid. It is measured again later, with
 * back-off: 10 minutes after the first try, then 20, 40 … up to a day.
 *
 * Pure functions: the caller gives the time.
 */
#ifndef GC_RECORD_PROVISIONAL_H
#define GC_RECORD_PROVISIONAL_H

#include "record/elements.h"

#include <stdint.h>
#include <time.h>

/* Facts of the whole GPU (gc_record.infos): why the record is provisional; how many times a
 * measurement was started since then; the date of the last try (ISO 8601, UTC). */
#define GC_PROVISIONAL "Provisional"
#define GC_PROVISIONAL_TRIES "ProvisionalTries"
#define GC_PROVISIONAL_TRIED "ProvisionalTried"

#define GC_PROVISIONAL_FIRST_SECONDS (10 * 60)
#define GC_PROVISIONAL_MOST_SECONDS (24 * 60 * 60)

/* Why the record is provisional; NULL: it is not. */
const char *gc_provisional_why(const struct gc_record *record);

/* Seconds to wait after that many tries (0 counts as 1). */
time_t gc_provisional_wait(uint64_t tries);

/* The time at which a provisional record is due. 0 if the record has no usable date. */
time_t gc_provisional_next(const struct gc_record *record);

/* Whether the record is provisional and is to be measured again at this time. A date more than a
 * minute in the future does not count, because a clock was wrong. */
bool gc_provisional_is_due(const struct gc_record *record, time_t now);

/* Notes in a provisional record that the GPU is measured now: one try more than `before` (0: this
 * is the first try). 0 (even if the record is not provisional) or -ENOMEM. */
int gc_provisional_note_try(struct gc_record *record, uint64_t before, time_t now);

/* The number of tries of a provisional record, at least 1; 0 if it is not provisional. */
uint64_t gc_provisional_tries(const struct gc_record *record);

#endif
