/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * On which SMs the first blocks of a kernel run.
 */
#ifndef GC_PREDICT_MODEL_PLACEMENT_H
#define GC_PREDICT_MODEL_PLACEMENT_H

#include "predict/model/gpu.h"

/* order[i] is the SM that gets block i, for the first block of each SM. Without GPCs, the order of
 * their numbers. With GPCs, as on an H100 and an H200 (but there, the first 8 blocks go to a group
 * of SMs of their own): the GPCs get equally many blocks, one after another, beginning with GPC
 * first. In a GPC, a block goes to one SM of each pair (a TPC) if those are enough; else the SMs
 * come in their order. blocks: of the grid; 0: many.
 */
void gc_place_blocks(const struct gc_gpu_model *gpu, unsigned first, uint64_t blocks,
                     uint16_t order[GC_PREDICT_SMS_MAX]);

#endif
