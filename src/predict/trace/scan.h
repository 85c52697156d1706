/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the words and numbers of a line, from left to right. *at moves behind what was read and the
 * blanks that follow. A number is a word: a blank or the end of the text must follow it. All
 * functions return false, and leave *at where it was or inside the word, if the text is something
 * else or the number does not fit. Inline, because these few lines take most of the time.
 */
#ifndef GC_PREDICT_TRACE_SCAN_H
#define GC_PREDICT_TRACE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool scan_is_blank(char c)
{
  return c == ' ' || c == '\t';
}

static inline void scan_blanks(const char **at)
{
  while (scan_is_blank(**at))
    (*at)++;
}

/* After a word. */
static inline bool scan_gap(const char **at)
{
  if (**at && !scan_is_blank(**at))
    return false;
  scan_blanks(at);
  return true;
}

/* The digits only; anything may follow. */
static inline bool scan_digits(const char **at, uint64_t *value)
{
  const char *p = *at;
  uint64_t sum = 0;

  if (*p < '0' || *p > '9')
    return false;
  for (; *p >= '0' && *p <= '9'; p++) {
    const unsigned digit = (unsigned)(*p - '0');

    if (__builtin_mul_overflow(sum, 10, &sum) || __builtin_add_overflow(sum, digit, &sum))
      return false;
  }
  *value = sum;
  *at = p;
  return true;
}

/* Hexadecimal digits, with or without "0x"; anything may follow. */
static inline bool scan_hex_digits(const char **at, uint64_t *value)
{
  const char *p = *at, *first;
  uint64_t sum = 0;

  if (p[0] == '0' && (p[1] | 0x20) == 'x')
    p += 2;
  for (first = p;; p++) {
    const unsigned digit = (unsigned)*p - '0', letter = ((unsigned)*p | 0x20) - 'a';

    if (digit > 9 && letter > 5)
      break;
    if (sum >> 60)
      return false;
    sum = sum << 4 | (digit <= 9 ? digit : letter + 10);
  }
  *value = sum;
  *at = p;
  return p > first;
}

static inline bool scan_decimal(const char **at, uint64_t *value)
{
  return scan_digits(at, value) && scan_gap(at);
}

static inline bool scan_hex(const char **at, uint64_t *value)
{
  return scan_hex_digits(at, value) && scan_gap(at);
}

/* Decimal digits after an optional '-' or '+'. */
static inline bool scan_signed(const char **at, int64_t *value)
{
  const bool negative = **at == '-';
  uint64_t digits;

  if (negative || **at == '+')
    (*at)++;
  if (!scan_decimal(at, &digits) || digits > INT64_MAX)
    return false;
  *value = negative ? -(int64_t)digits : (int64_t)digits;
  return true;
}

static inline bool scan_word(const char **at, const char **word, size_t *length)
{
  const char *p = *at;

  while (*p && !scan_is_blank(*p))
    p++;
  *word = *at;
  *length = (size_t)(p - *at);
  *at = p;
  scan_blanks(at);
  return *length > 0;
}

/* This text, whatever follows. */
static inline bool scan_text(const char **at, const char *text)
{
  const size_t length = strlen(text);

  if (strncmp(*at, text, length))
    return false;
  *at += length;
  return true;
}

#endif
