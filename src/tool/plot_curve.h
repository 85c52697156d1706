/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Curves of latency over the size of an array.
 */
#ifndef GC_TOOL_PLOT_CURVE_H
#define GC_TOOL_PLOT_CURVE_H

#include "tool/plot_read.h"

#include <stdio.h>

/* Writes the numbers of one curve, or of one for each carve-out, to the script. 0 or a negative
 * errno with a sentence. */
int gc_plot_curve(FILE *script, const struct gc_plot *plot, struct gc_error *err);

#endif
