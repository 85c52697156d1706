/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tables of the kernel driver (sysfs, struct gc_gpu) state about the caches of this GPU,
 * as far as measurements need it: the number of L2 caches, whether there is an L3, and their sizes.
 */
#ifndef GC_MEASURE_CORE_DRIVER_TABLES_H
#define GC_MEASURE_CORE_DRIVER_TABLES_H

#include "device/device.h"
#include "record/record.h"

/* The number that the tables (may be NULL) state for an element under this key; 0: none. */
uint64_t gc_table_u64(const struct gc_record *tables, enum gc_kind kind, const char *key);

/* Sets what the vendor's interface does not report: l2_bytes, l2_count (at least 1) and
 * l3_bytes. */
void gc_complete_properties(struct gc_properties *properties, const struct gc_record *tables);

#endif
