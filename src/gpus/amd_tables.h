/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The driver tables of an AMD GPU, as a record.
 */
#ifndef GC_GPUS_AMD_TABLES_H
#define GC_GPUS_AMD_TABLES_H

#include "gpus/list.h"

/* Makes a record (elements and infos with the source "sysfs") of what KFD states about this GPU;
 * the caller owns it. *tables is NULL when KFD states nothing. 0 or -ENOMEM. */
int gc_gpus_read_amd_tables(const char *root, const struct gc_gpu *gpu, struct gc_record **tables);

#endif
