/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/doctor/print.h"

#include "tool/print/json.h"
#include "tool/print/terminal.h"

#include <stdio.h>
#include <string.h>

#define INDENT 37 /* the width of the columns before the last one */
#define LEAST 40  /* the least width of the last column; if there is less, it is below the others */
#define NARROW 11 /* where it begins then: behind "to do: " */

static const char *const words[] = {
    [GC_LINK_OK] = "ok", [GC_LINK_NOT_OK] = "not ok", [GC_LINK_NOT_APPLICABLE] = "not applicable"};

/* Prints "before" so that it ends in the column `indent`, and a text from there on. */
static void print_wrapped(const char *before, const char *text, size_t indent)
{
  printf("%*s", (int)indent, before);
  gc_terminal_print_from(text, indent);
}

static void print_finding(const struct gc_link_finding *finding)
{
  const bool wide = gc_terminal_text_width() >= INDENT + LEAST;
  const size_t indent = wide ? INDENT : NARROW;
  char columns[64];

  snprintf(columns, sizeof columns, wide ? "%-14s  %-19s  " : "%-14s  %s", words[finding->status],
           finding->link);
  if (!wide)
    puts(columns);
  print_wrapped(wide ? columns : "", finding->found, indent);
  if (*finding->remedy)
    print_wrapped("to do: ", finding->remedy, indent);
}

void gc_doctor_print(const struct gc_doctor *doctor)
{
  const struct gc_tool *tool = doctor->tool;
  const char *shows = tool->python ? "python3 with pyhwloc" : "lstopo";
  char not_ok[32] = "";
  unsigned broken = 0;

  for (size_t i = 0; i < doctor->count; i++) {
    broken += doctor->findings[i].status == GC_LINK_NOT_OK;
    print_finding(&doctor->findings[i]);
  }
  if (broken || !doctor->is_shown)
    snprintf(not_ok, sizeof not_ok, "; not ok: %u", broken);
  if (doctor->is_shown && tool->sims) /* one line, because it has a command to copy */
    printf("HWLOC_GPUCACHE_SIM=%s %s will show the caches%s.\n", tool->sims, shows, not_ok);
  else
    gc_terminal_say("%s will %sshow the caches of your GPUs%s.", shows,
                    doctor->is_shown ? "" : "not ", not_ok);
}

static json_t *text_or_null(const char *text)
{
  return *text ? gc_json_text(text) : json_null();
}

int gc_doctor_print_json(const struct gc_doctor *doctor)
{
  json_t *array = json_array();

  for (size_t i = 0; i < doctor->count; i++) {
    const struct gc_link_finding *finding = &doctor->findings[i];
    json_t *object = json_object();

    gc_json_set_text(&object, "link", finding->link);
    gc_json_set_text(&object, "status", words[finding->status]);
    gc_json_set(&object, "found", text_or_null(finding->found));
    gc_json_set(&object, "remedy", text_or_null(finding->remedy));
    gc_json_add(&array, object);
  }
  return gc_json_print(array, 15);
}
