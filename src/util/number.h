/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Decimal numbers as text, the same in every locale: strtod and printf ask the application's what a point is.
 */
#ifndef GC_UTIL_NUMBER_H
#define GC_UTIL_NUMBER_H

#include <stdbool.h>

/* Digits, with or without a '.' in front of, among or behind them, and nothing else: no sign, no blank, no
 * exponent. False: text (or NULL) is none. */
bool gc_number_read(const char *text, double *number);

/* Seconds as digits, and behind a '.' up to six more, for gc_number_read; never 0. */
void gc_number_seconds(double seconds, char text[32]);

#endif
