/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether a GPU with a valid record is to be measured again.
 */
#ifndef GC_STORE_DUE_H
#define GC_STORE_DUE_H

#include "record/record.h"

/* Whether this GPU, which has this valid record, is to be measured again now: the record is
 * provisional and its back-off has passed (record/provisional.h), or the GPU has moved
 * (gc_gpus_drop_host); and there is no valid note of a failure. Takes almost no time if neither is
 * true. */
bool gc_store_is_due(const struct gc_identity *identity, const struct gc_record *record,
                     bool moved);

#endif
