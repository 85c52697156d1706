/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Converts the words of a profile to values.
 */
#include "model/values.h"

#include "util/number.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int gc_value_wrong(const struct gc_profile_value *value, const char *format, ...)
{
  char text[400];
  va_list args;

  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  return gc_fail(value->err, -EINVAL, "%.200s:%u: %s", value->file, value->line, text);
}

char *gc_value_word(char **rest)
{
  char *word = *rest + strspn(*rest, " \t,"), *end = word + strcspn(word, " \t,");

  if (!*word)
    return NULL;
  *rest = *end ? end + 1 : end;
  *end = '\0';
  return word;
}

static int in_range(const struct gc_profile_value *value, uint64_t number)
{
  if (number >= value->least && number <= value->most)
    return 0;
  return gc_value_wrong(value, "%s = %llu is not between %llu and %llu", value->key,
                        (unsigned long long)number, (unsigned long long)value->least,
                        (unsigned long long)value->most);
}

static int to_number(const struct gc_profile_value *value, const char *word, uint64_t *number)
{
  if (gc_number_whole(word, number))
    return 0;
  return gc_value_wrong(value, "'%s' is not a whole number (%s)", word ? word : "", value->key);
}

int gc_value_number(const struct gc_profile_value *value, const char *word, uint64_t *number)
{
  const int status = to_number(value, word, number);

  return status ? status : in_range(value, *number);
}

int gc_value_fraction(const struct gc_profile_value *value, const char *word, double *number)
{
  if (!gc_number_read(word, number))
    return gc_value_wrong(value, "'%s' is not a number (%s)", word ? word : "", value->key);
  if (*number > (double)value->most)
    return gc_value_wrong(value, "%s is more than %llu (%s)", word, (unsigned long long)value->most,
                          value->key);
  return 0;
}

/* The factor of a unit; 0: there is no such unit. */
static uint64_t unit_of(const char *word)
{
  static const struct { const char *name; uint64_t factor; } units[] = {
    {"B", 1}, {"KiB", 1ull << 10}, {"MiB", 1ull << 20}, {"GiB", 1ull << 30},
  };

  for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
    if (!strcmp(units[i].name, word))
      return units[i].factor;
  return 0;
}

int gc_value_sizes(const struct gc_profile_value *value, char *text, uint64_t *sizes, unsigned most,
                   unsigned *count)
{
  uint64_t unit = 0;
  const char *word;

  *count = 0;
  while ((word = gc_value_word(&text))) {
    if (unit)
      return gc_value_wrong(value, "'%s' follows the unit (%s)", word, value->key);
    unit = unit_of(word);
    if (unit)
      continue;
    if (!isdigit((unsigned char)*word))
      return gc_value_wrong(value, "'%s' is no unit (%s): B, KiB, MiB, GiB", word, value->key);
    if (*count == most)
      return gc_value_wrong(value, "'%s' is one size too many (%s)", word, value->key);
    if (to_number(value, word, &sizes[(*count)++]))
      return -EINVAL;
  }
  if (!*count)
    return gc_value_wrong(value, "%s needs a size", value->key);
  for (unsigned i = 0; i < *count; i++) {
    if (unit && sizes[i] > UINT64_MAX / unit)
      return gc_value_wrong(value, "%llu of that unit is too large (%s)",
                            (unsigned long long)sizes[i], value->key);
    sizes[i] *= unit ? unit : 1;
    if (in_range(value, sizes[i]))
      return -EINVAL;
  }
  return 0;
}

int gc_value_choice(const struct gc_profile_value *value, const char *word, const char *choices)
{
  const size_t length = word ? strlen(word) : 0;
  int index = 0;

  for (const char *at = choices; length; at++, index++) {
    const size_t n = strcspn(at, "|");

    if (n == length && !strncmp(at, word, n))
      return index;
    at += n;
    if (!*at)
      break;
  }
  return gc_value_wrong(value, "'%s' is none of %s (%s)", word ? word : "", choices, value->key);
}
