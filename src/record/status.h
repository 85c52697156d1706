/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * GPUCacheStatus of a GPU with a record.
 */
#ifndef GC_RECORD_STATUS_H
#define GC_RECORD_STATUS_H

#include "record/elements.h"

#include <stddef.h>

/* The status of a GPU whose record is complete. The status of a provisional one begins with it. */
#define GC_STATUS_MEASURED "measured"

/* Writes the status. why_not: why a wanted measurement failed; NULL: none was wanted, or it has
 * succeeded. Cut to size. */
void gc_record_status(const struct gc_record *record, const char *why_not, char *text,
                      size_t size);

#endif
