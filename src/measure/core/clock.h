/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The clock of the SMs. An idle GPU runs at a fraction of its clock and takes a while to ramp up.
 * Latencies outside the SM (L2, memory) are counted in SM cycles, so measurements start when the
 * clock is steady.
 */
#ifndef GC_MEASURE_CORE_CLOCK_H
#define GC_MEASURE_CORE_CLOCK_H

#include "measure/core/bench.h"

#define GC_OTHER_CLOCK_SHARE 0.03 /* clocks that differ by a larger share count as different */

/* Keeps all SMs busy until three successive readings differ by less than half a percent, or until
 * the clock no longer rises and stays within 2 %, and sets bench->mhz. An AMD GPU whose clock is
 * lower than the highest one is kept busy for bench->ramp_ns, because it may ramp up late. -EBUSY
 * with a sentence if the clock does not settle; then bench->mhz is the mean of its last readings,
 * and bench->least_mhz and most_mhz are their limits. */
int gc_clock_warm_up(struct gc_bench *bench);

#endif
