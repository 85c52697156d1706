/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares what two records of the same GPU determine. Pure functions.
 *
 * A property is an element kind, or the whole GPU, and a key: the capacity of L2Cache. <key>Source says how well it is
 * determined: "measured" is best, then what an interface or a driver states ("api", "sysfs"), then
 * nothing ("absent:…", no source, or no such element). The confidence of a measured value does not
 * count: both records determine the value.
 *
 * Both records must be valid. If the methods have changed, the earlier record is not valid, and
 * none of its values can be lost.
 */
#ifndef GC_RECORD_COVERAGE_H
#define GC_RECORD_COVERAGE_H

#include "record/elements.h"

#include <stddef.h>

/* The number of properties that `earlier` determines better than `now`. names (may be NULL) gets
 * the first three: "L2Cache Capacity, L2Cache Line and 4 more"; cut to size. */
unsigned gc_record_lost(const struct gc_record *earlier, const struct gc_record *now, char *names,
                        size_t size);

/* Whether the new record may replace the earlier one. It may if no value is lost. If the earlier
 * record is provisional, the new one may also lose fewer values than it gains, or as many if it is
 * not provisional itself. */
bool gc_record_may_replace(const struct gc_record *earlier, const struct gc_record *now);

#endif
