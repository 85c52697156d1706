/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The TLBs of a record: entries, miss penalty, and which SMs share one.
 */
#ifndef GC_PREDICT_PARAMETERS_TLBS_H
#define GC_PREDICT_PARAMETERS_TLBS_H

#include "predict/parameters/parameters.h"

/* Fills gpu.tlb and tlb_cycles; gpu.sms must be set. A level without a number of entries or bytes
 * of an entry is not modelled. Values that are absent or impossible are noted. */
void gc_tlbs_read(struct gc_parameters *parameters, const struct gc_record *record);

#endif
