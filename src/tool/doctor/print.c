/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/doctor/print.h"

#include "tool/print/json.h"

#include <stdio.h>
#include <string.h>

#define INDENT 37 /* the width of the columns before the last one */
#define WIDTH 100

static const char *const words[] = {
    [GC_LINK_OK] = "ok", [GC_LINK_NOT_OK] = "not ok", [GC_LINK_NOT_APPLICABLE] = "not applicable"};

/* Prints a text from the column INDENT on, in lines that end at a blank before WIDTH if possible.
 */
static void print_wrapped(const char *text)
{
  const size_t most = WIDTH - INDENT;

  while (strlen(text) > most) {
    size_t length = most;

    while (length > 0 && text[length] != ' ')
      length--;
    if (!length) /* a long path: it is not cut */
      length = strcspn(text, " ");
    printf("%.*s\n", (int)length, text);
    text += length;
    text += strspn(text, " ");
    if (!*text)
      return;
    printf("%*s", INDENT, "");
  }
  puts(text);
}

void gc_doctor_print(const struct gc_doctor *doctor)
{
  const char *shows = doctor->tool->python ? "python3 with pyhwloc" : "lstopo";
  unsigned broken = 0;

  for (size_t i = 0; i < doctor->count; i++) {
    const struct gc_link_finding *finding = &doctor->findings[i];

    broken += finding->status == GC_LINK_NOT_OK;
    printf("%-14s  %-19s  ", words[finding->status], finding->link);
    print_wrapped(finding->found);
    if (*finding->remedy) {
      printf("%*s", INDENT, "to do: ");
      print_wrapped(finding->remedy);
    }
  }
  if (doctor->is_shown && doctor->tool->sims)
    printf("HWLOC_GPUCACHE_SIM=%s %s will show the caches", doctor->tool->sims, shows);
  else
    printf("%s will %sshow the caches of your GPUs", shows, doctor->is_shown ? "" : "not ");
  if (broken || !doctor->is_shown)
    printf("; not ok: %u", broken);
  puts(".");
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
