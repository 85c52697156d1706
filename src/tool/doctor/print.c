/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/doctor/print.h"

#include <jansson.h>
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
  unsigned broken = 0;

  for (size_t i = 0; i < doctor->count; i++) {
    const struct gc_finding *finding = &doctor->findings[i];

    broken += finding->status == GC_LINK_NOT_OK;
    printf("%-14s  %-19s  ", words[finding->status], finding->link);
    print_wrapped(finding->found);
    if (*finding->remedy) {
      printf("%*s", INDENT, "to do: ");
      print_wrapped(finding->remedy);
    }
  }
  if (doctor->is_shown && doctor->tool->sims)
    printf("HWLOC_GPUCACHE_SIM=%s lstopo will show the caches.\n", doctor->tool->sims);
  else if (doctor->is_shown)
    puts("lstopo will show the caches of your GPUs.");
  else
    printf("lstopo will not show the caches of your GPUs; not ok: %u.\n", broken);
}

static json_t *text_or_null(const char *text)
{
  json_t *value = *text ? json_string(text) : json_null();

  return value ? value : json_string("(not UTF-8)");
}

bool gc_doctor_print_json(const struct gc_doctor *doctor)
{
  json_t *array = json_array();
  bool failed = !array;

  for (size_t i = 0; !failed && i < doctor->count; i++) {
    const struct gc_finding *finding = &doctor->findings[i];

    failed = json_array_append_new(array, json_pack("{s:s, s:s, s:o, s:o}", "link", finding->link,
                                                    "status", words[finding->status], "found",
                                                    text_or_null(finding->found), "remedy",
                                                    text_or_null(finding->remedy)));
  }
  if (!failed) {
    json_dumpf(array, stdout, JSON_INDENT(2));
    putchar('\n');
  }
  json_decref(array);
  return !failed;
}
