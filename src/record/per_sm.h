/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Elements that several SMs share have no number of instances per SM: the record gives that as
 * reason.
 */
#ifndef GC_RECORD_PER_SM_H
#define GC_RECORD_PER_SM_H

#include "record/elements.h"

/* The vendor's name of a core: "CU" if the record shows that the GPU is AMD's, else "SM". Static.
 */
const char *gc_record_unit(const struct gc_record *record);

/* Sets PerSMSource to a reason for every element that SMs share and that has neither PerSM nor
 * PerSMSource. 0, or -ENOMEM after a part of them. */
int gc_record_explain_per_sm(struct gc_record *record);

#endif
