/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Decimal numbers as text. The result is the same in every locale: strtod and printf would use the
 * decimal point of the application's locale. All functions are safe from any thread.
 */
#ifndef GC_UTIL_NUMBER_H
#define GC_UTIL_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Reads the decimal digits at the start of text into *number. Returns a pointer to the character
 * after the last digit, or NULL when text is NULL, does not start with a digit, or the number does
 * not fit: *number is then unchanged. Signs and blanks are not skipped. */
const char *gc_number_digits(const char *text, uint64_t *number);

/* Reads a text that consists of decimal digits only. False: it does not (NULL does not), or the
 * number does not fit; *number is then unchanged. */
bool gc_number_whole(const char *text, uint64_t *number);

/* Reads a decimal number: digits with at most one '.' before, among or after them, and nothing else
 * (no sign, no blank, no exponent). False: the text is something else, or NULL. */
bool gc_number_read(const char *text, double *number);

/* Writes seconds (0 or more) as digits, with a '.' and up to six more digits where needed, so that
 * gc_number_read can read it. Never writes 0: less than a microsecond becomes one. More than
 * 10^12 s becomes that. */
void gc_number_seconds(double seconds, char text[32]);

#endif
