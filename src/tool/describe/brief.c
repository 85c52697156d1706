/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What matters most beside the tables, one line each, the most urgent first.
 */
#include "tool/describe/brief.h"

#include "record/lists.h"
#include "tool/describe/absent.h"
#include "tool/describe/notes.h"
#include "tool/describe/table.h"
#include "tool/gpus/earlier_record.h"
#include "tool/print/format.h"
#include "tool/print/terminal.h"

#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* A line that is being written. What does not fit is left out, and the line ends with " ...". */
struct line {
  char text[1024];
  bool is_full;
};

static void add(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct line *line, const char *format, ...)
{
  const size_t used = strlen(line->text), end = strlen(" ...");
  va_list args;

  if (line->is_full)
    return;
  va_start(args, format);
  vsnprintf(line->text + used, sizeof line->text - used, format, args);
  va_end(args);
  if (gc_terminal_columns(line->text) <= GC_TEXT_WIDTH - end)
    return;
  line->is_full = true;
  /* a part that follows others is left out as a whole, a single long one is divided */
  strcpy(line->text + (used > 2 ? used : gc_terminal_fit(line->text, GC_TEXT_WIDTH - end)), " ...");
}

static void end_line(struct line *line, unsigned *lines, FILE *out)
{
  if (*line->text && *lines < GC_BRIEF_LINES) {
    fprintf(out, "%s\n", line->text);
    ++*lines;
  }
  *line = (struct line){.text = ""};
}

/* --- sharing ---------------------------------------------------------------------------------- */

/* The sizes of the groups in "0,1,16 2,3": 3 and 2. */
static void group_sizes(const char *groups, uint64_t *least, uint64_t *most)
{
  uint64_t size = 1, sm;
  bool is_last;

  *least = *most = 0;
  for (; gc_member_next(&groups, &sm, &is_last); size++)
    if (is_last) {
      *least = !*least || size < *least ? size : *least;
      *most = size > *most ? size : *most;
      size = 0;
    }
}

/* The same for "8x2,4x1". */
static void cu_group_sizes(const char *list, uint64_t *least, uint64_t *most)
{
  uint64_t caches, cus;

  *least = *most = 0;
  while (gc_cu_group_next(&list, &caches, &cus)) {
    *least = !*least || cus < *least ? cus : *least;
    *most = cus > *most ? cus : *most;
  }
}

/* How many SMs share one instance: "2", "4 to 6" or "about 16.5"; empty: each SM has its own, all
 * share one, or it is not known. */
static void sharing(const struct gc_record *record, const struct gc_element *element, char text[64])
{
  const struct gc_infos *infos = &element->infos;
  const char *groups = gc_infos_get(infos, HWLOC_GPUCACHE_SM_GROUPS);
  const char *cus = gc_infos_get(infos, HWLOC_GPUCACHE_SHARED_BY_CUS);
  uint64_t least = 0, most = 0, instances, sms;

  *text = '\0';
  if (gc_infos_get_u64(&record->infos, "SMs", &sms) ||
      gc_infos_get_u64(infos, HWLOC_GPUCACHE_INSTANCES, &instances) || instances < 2 ||
      instances >= sms)
    return;
  if (groups)
    group_sizes(groups, &least, &most);
  else if (cus)
    cu_group_sizes(cus, &least, &most);
  if (most && least != most)
    snprintf(text, 64, "%" PRIu64 " to %" PRIu64, least, most);
  else if (most || sms % instances == 0)
    snprintf(text, 64, "%" PRIu64, most ? most : sms / instances);
  else
    snprintf(text, 64, "about %.1f", (double)sms / (double)instances);
}

/* "  SMs that share one: ConstantL15Cache about 16.5, InstructionCache 2, L2TLB 4 to 6" */
static void add_sharing(const struct gc_record *record, unsigned only, struct line *line)
{
  char text[64];

  for (size_t i = 0; i < record->count; i++) {
    const struct gc_element *element = &record->elements[i];

    sharing(record, element, text);
    if (!*text || !gc_show_has(only, element->kind))
      continue;
    if (!*line->text)
      add(line, "  %ss that share one:", gc_record_unit(record));
    add(line, "%s %s %s", line->text[strlen(line->text) - 1] == ':' ? "" : ",",
        gc_kinds[element->kind].subtype, text);
  }
}

/* --- carve-outs ------------------------------------------------------------------------------- */

/* "0:222208,15:189440,default:222208": "  L1 by carve-out (%): 0: 217 KiB, 15: 185" */
static void add_carveouts(const struct gc_element *element, struct line *line)
{
  const char *list = gc_infos_get(&element->infos, HWLOC_GPUCACHE_CARVEOUT_TABLE);
  char left[32], unit[32] = "", *blank;
  const char *before = "";
  struct gc_carveout_entry entry;

  while (gc_carveout_next(&list, &entry)) {
    if (entry.is_default)
      continue;
    gc_format_bytes(entry.bytes, left, sizeof left);
    blank = strchr(left, ' ');
    if (blank && !strcmp(blank, unit))
      *blank = '\0'; /* only the first one has the unit */
    else if (blank)
      strcpy(unit, blank);
    if (!*line->text)
      add(line, "  %s by carve-out (%%):", gc_kinds[element->kind].label);
    add(line, "%s %u: %s", before, entry.percent, left);
    before = ",";
  }
}

static void print_partitions(const struct gc_record *record, unsigned only, unsigned *lines,
                             FILE *out)
{
  for (size_t i = 0; i < record->count && *lines < GC_BRIEF_LINES; i++) {
    const struct gc_element *element = &record->elements[i];
    const char *count = gc_infos_get(&element->infos, HWLOC_GPUCACHE_PARTITIONS);

    if (!gc_show_has(only, element->kind) || !count || !strcmp(count, "1"))
      continue;
    gc_show_partitions(element, out);
    ++*lines;
  }
}

/* The capacity at each carve-out; or else the carve-out for which the capacities hold. */
static void print_carveouts(const struct gc_record *record, unsigned only, unsigned *lines,
                            FILE *out)
{
  struct line line = {.text = ""};
  bool any = false;

  for (size_t i = 0; i < record->count && !any; i++)
    if (gc_show_has(only, record->elements[i].kind)) {
      add_carveouts(&record->elements[i], &line);
      any = *line.text;
    }
  for (size_t i = 0; i < record->count && !any && *lines < GC_BRIEF_LINES; i++)
    if (gc_show_has(only, record->elements[i].kind) &&
        gc_infos_get(&record->elements[i].infos, HWLOC_GPUCACHE_CARVEOUT_PERCENT)) {
      gc_show_carveout(record, i, only, out);
      ++*lines;
      any = true;
    }
  end_line(&line, lines, out);
}

/* --- what is missing -------------------------------------------------------------------------- */

/* Adds the properties of an element that its row in the tables lacks: "Capacity, Line of L2Cache".
 * The census is a second opinion about the capacity, not a value of its own there. */
static void add_missing(const struct gc_element *element, const char **before, struct line *line)
{
  const struct gc_infos *infos = &element->infos;
  char text[256] = "";
  size_t length;

  for (size_t i = 0; i < infos->count; i++) {
    const char *name = infos->array[i].name;
    const size_t used = strlen(text);

    if (gc_absent_reason(infos, i, &length) && gc_show_tables_have(name, length) &&
        strncmp(name, HWLOC_GPUCACHE_CENSUS, length))
      snprintf(text + used, sizeof text - used, "%s%.*s", used ? ", " : "", (int)length, name);
  }
  if (!*text)
    return;
  add(line, "%s%s of %s", *before, text, gc_kinds[element->kind].subtype);
  *before = "; ";
}

/* "  absent: all of L1TLB, L2TLB; Line of L2Cache" */
static void print_missing(const struct gc_record *record, unsigned only, unsigned *lines, FILE *out)
{
  const char *before = "  absent: all of ";
  struct line line = {.text = ""};

  for (size_t i = 0; i < record->count; i++)
    if (gc_show_has(only, record->elements[i].kind) && !gc_record_has_values(record, i)) {
      add(&line, "%s%s", before, gc_kinds[record->elements[i].kind].subtype);
      before = ", ";
    }
  before = *line.text ? "; " : "  absent: ";
  for (size_t i = 0; i < record->count; i++)
    if (gc_show_has(only, record->elements[i].kind) && gc_record_has_values(record, i))
      add_missing(&record->elements[i], &before, &line);
  end_line(&line, lines, out);
}

/* Values of the kernel driver's tables that differ. */
static void print_differing(const struct gc_record *record, unsigned only, unsigned *lines,
                            FILE *out)
{
  const size_t tail = strlen(HWLOC_GPUCACHE_DIFFERS_SUFFIX);
  const char *before = "  not as in the kernel driver's tables: ";
  struct line line = {.text = ""};

  for (size_t i = 0; i < record->count; i++) {
    const struct gc_infos *infos = &record->elements[i].infos;

    for (size_t k = 0; gc_show_has(only, record->elements[i].kind) && k < infos->count; k++) {
      const char *name = infos->array[k].name;
      const size_t length = strlen(name);

      if (length <= tail || strcmp(name + length - tail, HWLOC_GPUCACHE_DIFFERS_SUFFIX))
        continue;
      add(&line, "%s%.*s of %s", before, (int)(length - tail), name,
          gc_kinds[record->elements[i].kind].subtype);
      before = ", ";
    }
  }
  end_line(&line, lines, out);
}

static void print_more(const struct gc_record *record, unsigned only, FILE *out)
{
  const unsigned absent = gc_show_count_absent(record, only);

  fputs("  show --all: sets, replacement, stores, groups, limits, and more", out);
  if (absent)
    fprintf(out, "; why %u value%s absent", absent, absent == 1 ? " is" : "s are");
  putc('\n', out);
}

/* --- all ----------------------------------------------------------------------------------------
 */

void gc_show_brief(const struct gc_record *record, unsigned only, FILE *out)
{
  char provisional[170]; /* two lines, also if the first one ends with a long word */
  struct line line = {.text = ""};
  unsigned lines = 1; /* the last one */

  gc_keep_describe(record, provisional, sizeof provisional);
  if (*provisional) {
    fprintf(out, "  %s\n", provisional); /* the caller wraps it */
    lines += gc_terminal_columns(provisional) + 2 > GC_TEXT_WIDTH ? 2 : 1;
  }
  print_missing(record, only, &lines, out);
  print_differing(record, only, &lines, out);
  print_partitions(record, only, &lines, out);
  print_carveouts(record, only, &lines, out);
  add_sharing(record, only, &line);
  end_line(&line, &lines, out);
  print_more(record, only, out);
}
