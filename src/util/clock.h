/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The clock for waiting and for measuring how long something took.
 */
#ifndef GC_UTIL_CLOCK_H
#define GC_UTIL_CLOCK_H

/* Milliseconds of CLOCK_MONOTONIC, which nobody can set back. Only differences have a meaning. Safe
 * from any thread; cannot fail. */
double gc_now_ms(void);

#endif
