/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/report/methods.h"

#include "tool/print/format.h"
#include "util/number.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* A row without a property belongs to the one before it. */
static const struct gc_method methods[] = {
#define PROPERTY(id, name, judge, section, sentence) {name, GC_KIND_COUNT, section, sentence},
#define ON(kind, section, sentence) {NULL, kind, section, sentence},
#include "record/property_table.h"
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

const struct gc_method *gc_method_of(const char *property, enum gc_kind kind)
{
  const struct gc_method *method = methods, *end = methods + COUNT(methods);

  while (method < end && (!method->property || strcmp(method->property, property)))
    method++;
  if (method == end || !method->sentence)
    return NULL;
  for (const struct gc_method *on = method + 1; on < end && !on->property; on++)
    if (on->kind == kind)
      return on;
  return method;
}

/* --- units ------------------------------------------------------------------------------------ */

/* The ends of keys. Longer ones come before those that they end with. */
static const struct unit {
  const char *end, *text;
} units[] = {
    {"BytesPerCycle", "B/cycle"},
    {"PerCycle", "per cycle"},
    {"Bytes", "B"},
    {"BytesPerBlock", "B"},
    {"Cycles", "cycles"},
    {"Ns", "ns"},
    {"GBps", "GB/s"},
    {"KHz", "kHz"},
    {"MHz", "MHz"},
    {"Percent", "%"},
    {"Bits", "bits"},
    {"Milliseconds", "ms"},
};

static const struct unit *unit_of(const char *key)
{
  const size_t length = strlen(key);

  for (size_t i = 0; i < COUNT(units); i++) {
    const size_t end = strlen(units[i].end);

    if (length > end && !strcmp(key + length - end, units[i].end))
      return &units[i];
  }
  return NULL;
}

/* A property is followed by its keys, whose first one has its words. */
static const char *const words[][2] = {
#define PROPERTY(id, name, judge, section, sentence) {name, NULL},
#define NUMBER(id, key, format, least, member, words) {key, words},
#define TEXT(id, key, pattern, between, write, words) {key, words},
#define LOOSE(key, least, member, words) {key, words},
#define FACT(key, pattern, least, words) {key, words},
#include "record/property_table.h"
};

void gc_key_in_words(const char *key, const char *sm, char *text, size_t size)
{
  size_t i = 0;
  char *at;

  while (i < COUNT(words) && strcmp(words[i][0], key))
    i++;
  if (i < COUNT(words) && !words[i][1])
    i++;
  snprintf(text, size, "%s", i < COUNT(words) ? words[i][1] : key);
  if (i < COUNT(words) && (at = strstr(text, "SM")))
    memcpy(at, sm, 2);
}

/* "a,b" -> "a, b", so that a long list can be divided. Lists of lists have blanks already. */
static void space_list(const char *value, char *text, size_t size)
{
  const bool plain = !strchr(value, ' ');
  size_t used = 0;

  for (; *value && used + 2 < size; value++) {
    text[used++] = *value;
    if (*value == ',' && plain)
      text[used++] = ' ';
  }
  text[used] = '\0';
}

void gc_value_in_words(const char *key, const char *value, char *text, size_t size)
{
  const struct unit *unit = unit_of(key);
  char bytes[32];
  uint64_t number;

  if (!unit) {
    space_list(value, text, size);
    return;
  }
  snprintf(text, size, "%s %s", value, unit->text);
  if (strcmp(unit->text, "B") || !gc_number_whole(value, &number) || number < 1024)
    return;
  gc_format_bytes(number, bytes, sizeof bytes);
  snprintf(text, size, "%s (%" PRIu64 " B)", bytes, number);
}
