/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * From data to a script for gnuplot.
 */
#ifndef GC_TOOL_PLOT_SCRIPT_H
#define GC_TOOL_PLOT_SCRIPT_H

#include "tool/plot_read.h"

#include <stdio.h>

/* Writes to script what the template needs, and returns the name of the template ("curve.gp",
 * static). NULL with a sentence when the data cannot be drawn. */
const char *gc_plot_script(const struct gc_plot *plot, FILE *script, struct gc_error *err);

#endif
