/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Groups of SMs in a record.
 */
#ifndef GC_PREDICT_PARAMETERS_GROUPS_H
#define GC_PREDICT_PARAMETERS_GROUPS_H

#include <stdint.h>

/* Reads "0,1,4 2,3,5": of_sm[i] is the group of SM i. The numbers are hardware ids, which can have
 * gaps: the SM with the lowest one is SM 0. Returns NULL, or why that is not a division of sms SMs;
 * nothing is changed then. */
const char *gc_groups_read(const char *text, unsigned sms, uint16_t *of_sm, unsigned *groups);

#endif
