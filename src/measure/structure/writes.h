/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What L1 and L2 do with stores.
 */
#ifndef GC_MEASURE_STRUCTURE_WRITES_H
#define GC_MEASURE_STRUCTURE_WRITES_H

#include "measure/core/measurement.h"

gc_step gc_step_writes;
gc_step_needs gc_needs_writes;

#endif
