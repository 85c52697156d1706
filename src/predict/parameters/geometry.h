/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Lines, sets, replacement and write policy of a cache, from its element in a record.
 */
#ifndef GC_PREDICT_PARAMETERS_GEOMETRY_H
#define GC_PREDICT_PARAMETERS_GEOMETRY_H

#include "predict/model/gpu.h"
#include "predict/parameters/assumptions.h"
#include "record/record.h"

/* Fills all but ways, which follow from the capacity (gc_geometry_fit). element may be NULL.
 * line_bytes is what is assumed if the record does not state it; so is keeps_stores: a store brings
 * in its sector. */
void gc_geometry_read(struct gc_cache_geometry *geometry, const struct gc_element *element,
                      const char *subtype, uint32_t line_bytes, bool keeps_stores,
                      struct gc_assumptions *assumptions);

/* Sets ways so that the cache holds about this many bytes, at least a line in each set. Where tags
 * are for more lines than data, the limit is set instead: tags stay, or, if data would not fit into
 * them, grow with the data, up to GC_LINES_SCAN ways. The survival curve of a cache of
 * measured bytes (0: the same) is stretched to this size. */
void gc_geometry_fit(struct gc_cache_geometry *geometry, uint64_t bytes, uint64_t measured);

/* Masks that were measured cover the lower address bits only. Unless the set is a plain number in
 * the address, adds the bits above to random masks, which are the same each time for a seed. */
void gc_geometry_draw_masks(struct gc_cache_geometry *geometry, const char *subtype, uint64_t seed,
                            struct gc_assumptions *assumptions);

/* The bytes that the cache holds. */
uint64_t gc_geometry_bytes(const struct gc_cache_geometry *geometry);

#endif
