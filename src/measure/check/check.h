/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Steps at the end of the plan. They find nothing, but withhold values that rest on an assumption
 * which does not hold on this GPU.
 */
#ifndef GC_MEASURE_CHECK_CHECK_H
#define GC_MEASURE_CHECK_CHECK_H

#include "measure/core/measurement.h"

/* Each file explains its check. */
gc_step gc_step_l2_translation; /* is it a TLB whose end was taken for that of L2? */

#endif
