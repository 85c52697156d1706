/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether a provisional record is to be measured again.
 */
#ifndef GC_STORE_DUE_H
#define GC_STORE_DUE_H

#include "record/record.h"

/* Whether this GPU, which has this valid record, is to be measured again now: the record is
 * provisional, its back-off has passed (record/provisional.h), and there is no valid note of a
 * failure. Takes almost no time if the record is not provisional. */
bool gc_store_is_due(const struct gc_identity *identity, const struct gc_record *record);

#endif
