/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A cache of the same bytes with other lines or ways: what a sweep varies.
 */
#ifndef GC_PREDICT_PARAMETERS_CHANGE_H
#define GC_PREDICT_PARAMETERS_CHANGE_H

#include "predict/model/gpu.h"
#include "util/error.h"

/* Multiplies the bytes of a line, or the ways, by a factor; the sets follow. A sector is at most as
 * large as the line. The hash stays of the same kind:
 * - Half the sets by twice the ways: the mask with the highest of the lowest bits goes.
 * - Half the sets by lines twice as long: the mask that begins with the address bit inside of the
 *   line goes, and no other mask has this bit.
 * - Twice the sets: a mask begins with the address bit above the others, or with that outside of
 *   the line. If the other masks have bits above those with which they begin, half of these bits,
 *   which are always the same, belong to it.
 * 0; or -ERANGE with a sentence: there is no such cache. */
int gc_change_line(struct gc_cache_geometry *cache, double factor, struct gc_error *err);
int gc_change_ways(struct gc_cache_geometry *cache, double factor, struct gc_error *err);

#endif
