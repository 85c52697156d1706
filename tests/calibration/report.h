/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints a tally as the tables of doc/results/calibration.md.
 */
#ifndef GC_TESTS_REPORT_H
#define GC_TESTS_REPORT_H

#include "tally.h"

#include <stdio.h>

void report(const struct tally *t);

/* One line of tab-separated text for each verdict. */
void report_row(FILE *rows, const struct verdict *v);

#endif
