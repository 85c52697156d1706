/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Many untimed loads at once. gc_model_touch_run (model.h) makes a run of loads at equal distances.
 */
#ifndef GC_MODEL_RUN_H
#define GC_MODEL_RUN_H

#include "model/chip.h"
#include "model/model.h"

/* Makes the loads of adjacent rows together, if that does the same to the caches as one row after
 * the other: the beginnings of all rows miss in the first cache, which is outside of the SMs, or
 * all of them hit. level[i]: where that of row i hits, of rows->more + 1. False: it has done
 * nothing. */
bool gc_run_rows(struct gc_model *model, const struct gc_rows *rows, uint8_t *level);

#endif
