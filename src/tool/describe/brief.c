/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What matters most beside the tables, one line each, the most urgent first.
 */
#include "tool/describe/brief.h"

#include "record/lists.h"
#include "tool/describe/absent.h"
#include "tool/describe/notes.h"
#include "tool/describe/sharing.h"
#include "tool/describe/table.h"
#include "tool/gpus/earlier_record.h"
#include "tool/print/format.h"
#include "tool/print/terminal.h"

#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In fewer columns, little of a line would be left, so they wrap. */
#define LEAST_WIDTH 80

static size_t line_width(void)
{
  const size_t width = gc_terminal_text_width();

  return width < LEAST_WIDTH ? LEAST_WIDTH : width;
}

/* --- carve-outs ------------------------------------------------------------------------------- */

/* "0:222208,15:189440,default:222208": "  carve-out 0 %: L1 217 KiB, 15: 185". False: no table. */
static bool write_carveouts(const struct gc_element *element, FILE *out)
{
  const char *list = gc_infos_get(&element->infos, HWLOC_GPUCACHE_CARVEOUT_TABLE);
  char left[32], unit[32] = "", *blank;
  struct gc_carveout_entry entry;
  bool any = false;

  while (gc_carveout_next(&list, &entry)) {
    if (entry.is_default)
      continue;
    gc_format_bytes(entry.bytes, left, sizeof left);
    blank = strchr(left, ' ');
    if (blank && !strcmp(blank, unit))
      *blank = '\0'; /* only the first one has the unit */
    else if (blank)
      strcpy(unit, blank);
    if (any)
      fprintf(out, ", %u: %s", entry.percent, left);
    else
      fprintf(out, "  carve-out %u %%: %s %s", entry.percent, gc_kinds[element->kind].label, left);
    any = true;
  }
  if (any)
    putc('\n', out);
  return any;
}

/* The capacity at each carve-out; or else the carve-out for which the capacities hold. */
static void write_carveout(const struct gc_record *record, unsigned only, FILE *out)
{
  for (size_t i = 0; i < record->count; i++)
    if (gc_show_has(only, record->elements[i].kind) && write_carveouts(&record->elements[i], out))
      return;
  for (size_t i = 0; i < record->count; i++)
    if (gc_show_has(only, record->elements[i].kind) &&
        gc_infos_get(&record->elements[i].infos, HWLOC_GPUCACHE_CARVEOUT_PERCENT)) {
      gc_show_carveout(record, i, only, out);
      return;
    }
}

static void write_partitions(const struct gc_record *record, unsigned only, FILE *out)
{
  for (size_t i = 0; i < record->count; i++) {
    const struct gc_element *element = &record->elements[i];
    const char *count = gc_infos_get(&element->infos, HWLOC_GPUCACHE_PARTITIONS);

    if (gc_show_has(only, element->kind) && count && strcmp(count, "1"))
      gc_show_partitions(element, out);
  }
}

/* --- what is missing -------------------------------------------------------------------------- */

/* Writes the properties of an element that its row in the tables lacks: "Capacity, Line of
 * L2Cache". The census is a second opinion about the capacity, not a value of its own there. False:
 * none. */
static bool write_missing_of(const struct gc_record *record, size_t which, const char *before,
                             FILE *out)
{
  const struct gc_infos *infos = &record->elements[which].infos;
  char text[GC_ABSENT_LIST] = "";
  size_t length;

  for (size_t i = 0; i < infos->count; i++) {
    const char *name = infos->array[i].name;

    if (gc_absent_reason(infos, i, &length) && gc_show_tables_have(name, length) &&
        strncmp(name, HWLOC_GPUCACHE_CENSUS, length))
      gc_absent_append(record, name, length, text);
  }
  if (*text)
    fprintf(out, "%s%s of %s", before, text, gc_kinds[record->elements[which].kind].subtype);
  return *text;
}

/* "  absent: all of L1TLB, L2TLB; Line of L2Cache" */
static void write_missing(const struct gc_record *record, unsigned only, FILE *out)
{
  const char *before = "  absent: all of ";

  for (size_t i = 0; i < record->count; i++)
    if (gc_show_has(only, record->elements[i].kind) && !gc_record_has_values(record, i)) {
      fprintf(out, "%s%s", before, gc_kinds[record->elements[i].kind].subtype);
      before = ", ";
    }
  before = *before == ',' ? "; " : "  absent: ";
  for (size_t i = 0; i < record->count; i++)
    if (gc_show_has(only, record->elements[i].kind) && gc_record_has_values(record, i) &&
        write_missing_of(record, i, before, out))
      before = "; ";
  if (*before == ';')
    putc('\n', out);
}

/* Values of the kernel driver's tables that differ. */
static void write_differing(const struct gc_record *record, unsigned only, FILE *out)
{
  const size_t tail = strlen(HWLOC_GPUCACHE_DIFFERS_SUFFIX);
  const char *before = "  not as in the kernel driver's tables: ";

  for (size_t i = 0; i < record->count; i++) {
    const struct gc_infos *infos = &record->elements[i].infos;

    for (size_t k = 0; gc_show_has(only, record->elements[i].kind) && k < infos->count; k++) {
      const char *name = infos->array[k].name;
      const size_t length = strlen(name);

      if (length <= tail || strcmp(name + length - tail, HWLOC_GPUCACHE_DIFFERS_SUFFIX))
        continue;
      fprintf(out, "%s%.*s of %s", before, (int)(length - tail), name,
              gc_kinds[record->elements[i].kind].subtype);
      before = ", ";
    }
  }
  if (*before == ',')
    putc('\n', out);
}

/* --- all ----------------------------------------------------------------------------------------
 */

/* Prints a line. If it is too long, the last items of its list are left out for "...". */
static void print_line(char *line)
{
  const char *const end = " ...";
  size_t length = line_width() - strlen(end);

  if (gc_terminal_columns(line) > line_width()) {
    length = gc_terminal_fit(line, length);
    for (size_t comma = length; comma; comma--)
      if (strchr(",;", line[comma - 1])) {
        length = comma;
        break;
      }
    strcpy(line + length, end);
  }
  gc_terminal_print(line, NULL);
}

static void print_more(const struct gc_record *record, unsigned only, const char *left_out)
{
  const unsigned absent = gc_show_count_absent(record, only);
  char text[512], why[48] = "";

  if (absent)
    snprintf(why, sizeof why, "why %u value%s absent", absent, absent == 1 ? " is" : "s are");
  if (*left_out)
    snprintf(text, sizeof text, "  more: add --all%s%s%s; in a wider terminal: %s",
             absent ? " (" : "", why, absent ? ")" : "", left_out);
  else
    snprintf(text, sizeof text, "  more: add --all (sets, replacement, stores, limits%s%s)",
             absent ? "; " : "", why);
  gc_terminal_print(text, NULL);
}

int gc_show_brief(const struct gc_record *record, unsigned only, const char *left_out)
{
  char provisional[170]; /* two lines, also if the first one ends with a long word */
  const size_t most = 2 * line_width() - 30;
  char *text = NULL, *line, *rest = NULL;
  size_t size, lines = 1; /* the last one */
  FILE *out = open_memstream(&text, &size);

  if (!out)
    return -1;
  write_missing(record, only, out);
  write_differing(record, only, out);
  gc_show_storage(record, only, out);
  write_partitions(record, only, out);
  write_carveout(record, only, out);
  gc_show_instances(record, only, out);
  if (fclose(out)) {
    free(text);
    return -1;
  }
  gc_keep_describe(record, provisional, most < sizeof provisional ? most : sizeof provisional);
  if (*provisional) {
    char sentence[sizeof provisional + 2];

    snprintf(sentence, sizeof sentence, "  %s", provisional);
    gc_terminal_print(sentence, NULL);
    lines += gc_terminal_columns(sentence) > line_width() ? 2 : 1;
  }
  for (line = strtok_r(text, "\n", &rest); line && lines < GC_BRIEF_LINES;
       line = strtok_r(NULL, "\n", &rest), lines++)
    print_line(line);
  free(text);
  print_more(record, only, left_out);
  return 0;
}
