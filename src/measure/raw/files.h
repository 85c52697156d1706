/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the files of --raw.
 */
#ifndef GC_MEASURE_RAW_FILES_H
#define GC_MEASURE_RAW_FILES_H

#include "measure/raw/set.h"

/* Writes the file of raw->sets[i]. Its heading has what record (may be NULL) says about the
 * property. 0, or a negative errno and a sentence. */
int gc_raw_put(const struct gc_raw *raw, size_t i, const struct gc_record *record,
               struct gc_error *err);

#endif
