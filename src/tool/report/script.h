/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The numbers of a picture. plot_script.c makes them from a file of measure --raw, as a script for
 * gnuplot: variables and a block of numbers. The page draws the same numbers without gnuplot, so it
 * reads that script.
 */
#ifndef GC_TOOL_REPORT_SCRIPT_H
#define GC_TOOL_REPORT_SCRIPT_H

#include "record/infos.h"
#include "util/error.h"

#include <stdbool.h>
#include <stddef.h>

#define GC_SCRIPT_BLOCKS 110

struct gc_script {
  struct gc_infos variables;
  double *values; /* rows of width; NAN for what is not a number */
  size_t width, rows;
  size_t starts[GC_SCRIPT_BLOCKS + 1]; /* the first row of each block; where the last one ends */
  size_t blocks;
};

/* Reads a script and changes its text. 0, and the caller calls gc_script_free; -ENOMEM with a
 * sentence. */
int gc_script_read(char *text, struct gc_script *script, struct gc_error *err);
void gc_script_free(struct gc_script *script);

/* A variable as a number (NAN: there is none), or as text (""); index > 0: of an array. */
double gc_script_number(const struct gc_script *script, const char *name, size_t index);
const char *gc_script_text(const struct gc_script *script, const char *name, size_t index);

/* The number in this row and column; NAN beyond the last column. */
double gc_script_at(const struct gc_script *script, size_t row, size_t column);

#endif
