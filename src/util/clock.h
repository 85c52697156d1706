/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The clock for waiting and for measuring how long something took; and dates as text.
 */
#ifndef GC_UTIL_CLOCK_H
#define GC_UTIL_CLOCK_H

#include <stdbool.h>
#include <time.h>

/* Milliseconds of CLOCK_MONOTONIC, which nobody can set back. Only differences have a meaning. Safe
 * from any thread; cannot fail. */
double gc_now_ms(void);

/* A date with its time, in UTC: "2025-11-21T09:30:00Z", from 1970 to 9999. These functions are safe
 * from any thread. libc's are not: gmtime_r and timegm read the variable TZ at their first call,
 * and strftime and strptime use the locale. */
#define GC_DATE 32 /* more than the space for it */
#define GC_DATE_END 253402300800 /* the first second after it */

/* A time outside these years becomes 1970-01-01T00:00:00Z. */
void gc_date_write(time_t when, char text[GC_DATE]);

/* False: the text is not such a date; *when is then unchanged. */
bool gc_date_read(const char *text, time_t *when);

#endif
