/* SPDX-License-Identifier: BSD-3-Clause */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "record/values.h"

#include "util/number.h"

#include <hwloc/gpucache.h>

#include <string.h>

#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define MAX_DIGITS 20 /* enough for every uint64_t */

static bool ends_with(const char *name, size_t size, const char *suffix, size_t suffix_size)
{
  return size > suffix_size && !memcmp(name + size - suffix_size, suffix, suffix_size);
}

/* How much of the text a character of a pattern stands for. 0: the text is something else. */
static size_t span(char pattern, const char *text)
{
  const size_t digits = strspn(text, DIGITS);
  size_t fraction;

  switch (pattern) {
  case '#':
    return digits > MAX_DIGITS ? 0 : digits;
  case '%':
    fraction = digits && text[digits] == '.' ? strspn(text + digits + 1, DIGITS) : 0;
    if (digits + fraction > MAX_DIGITS)
      return 0;
    return digits + (fraction ? fraction + 1 : 0);
  case '@':
    return strspn(text, DIGITS "abcdef");
  case '$':
    return strspn(text, DIGITS LETTERS);
  case '&':
    return strspn(text, DIGITS LETTERS "._-");
  default:
    return *text == pattern;
  }
}

/* Whether the first `length` characters of text have one of the patterns, which '|' separates. */
static bool has_pattern(const char *text, size_t length, const char *pattern)
{
  const size_t end = strcspn(pattern, "|");
  size_t used = 0, part = 1;

  for (size_t i = 0; i < end && part; i++)
    used += part = span(pattern[i], text + used);
  return (part && used == length) || (pattern[end] && has_pattern(text, length, pattern + end + 1));
}

/* Whether all items have the pattern. There is no item without a character. */
static bool has_items(const char *value, const char *pattern, const char *between)
{
  size_t length = strcspn(value, between);

  while (has_pattern(value, length, pattern)) {
    if (!value[length])
      return true;
    value += length + 1;
    length = strcspn(value, between);
  }
  return false;
}

/* 0 and 0.x, 1 and 1.00: compared as text, so that rounding cannot accept a value above 1. */
static bool is_probability(const char *value)
{
  const size_t whole = strspn(value, DIGITS);

  return has_pattern(value, strlen(value), "%") &&
         (!strncmp(value, "0", whole) ||
          (!strncmp(value, "1", whole) && !value[whole + strspn(value + whole, ".0")]));
}

static bool has_form(const char *value, const char *pattern, const char *between, uint64_t least)
{
  uint64_t number;

  if (!pattern)
    return true;
  if (strcmp(pattern, "#") || *between)
    return has_items(value, pattern, between);
  return gc_number_whole(value, &number) && number >= least;
}

/* Keys of numbers. They are stored in the table itself: pointers to them would be relocated in every
 * process that loads the plugin. */
#define KEY_MAX 32
struct number {
  uint8_t size; /* of the key, with its end */
  char form;    /* '#' or '%' as in a pattern */
  uint8_t least;
  char key[KEY_MAX];
};

#define WHOLE '#'
#define TENTHS '%'
#define RATE '%'
#define ROW(key, form, least) {sizeof(key), form, least, key},
static const struct number numbers[] = {
#define NUMBER(id, key, format, least, member, words) ROW(key, format, least)
#define LOOSE(key, least, member, words) ROW(key, WHOLE, least)
#include "record/property_table.h"
};

static bool number_ok(const struct number *number, const char *value)
{
  const char pattern[] = {number->form, '\0'};

  return has_form(value, pattern, "", number->least);
}

/* In the record of a node, "GPU-1c5a….PeerReadGBps" has the form of PeerReadGBps. */
static const char *key_of(const char *name)
{
  const char *period = strrchr(name, '.');

  return period ? period + 1 : name;
}

bool gc_value_ok(const char *info, const char *value)
{
  const char *name = key_of(info);
  static const char source[] = HWLOC_GPUCACHE_SOURCE_SUFFIX,
                    confidence[] = HWLOC_GPUCACHE_CONFIDENCE_SUFFIX;
  const size_t size = strlen(name) + 1;

  /* most infos of a record are these */
  if (ends_with(name, size, source, sizeof(source)))
    return true;
  if (ends_with(name, size, confidence, sizeof(confidence)))
    return is_probability(value);
  for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
    if (numbers[i].size == size && !memcmp(numbers[i].key, name, size))
      return number_ok(&numbers[i], value);
#define FORM(name_, pattern, between, least)                                                       \
  if (size == sizeof(name_) && !memcmp(name, name_, size))                                         \
    return has_form(value, pattern, between, least);
#define TEXT(id, key, pattern, between, write, words) FORM(key, pattern, between, 0)
#define FACT(key, pattern, least, words) FORM(key, pattern, "", least)
#include "record/property_table.h"
  return true;
}

size_t gc_property_length(const char *key)
{
  static const char *const units[] = {"BytesPerCycle", "PerCycle", "Bytes", "Cycles", "GBps", "Ns"};
  const size_t length = strlen(key);

  for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
    const size_t unit = strlen(units[i]);

    if (length > unit && !strcmp(key + length - unit, units[i]))
      return length - unit;
  }
  return length;
}
