/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Decides whether a tally is good enough.
 */
#ifndef GC_TESTS_GATE_H
#define GC_TESTS_GATE_H

#include "tally.h"

/* Prints "ok" or "not ok" for each condition. gpus: the number of GPUs; complete: every one could
 * be measured. Returns the number of failed conditions. */
int gate(const struct tally *t, unsigned long gpus, bool complete);

#endif
