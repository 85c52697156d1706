/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * hwloc-gpucache report: one page for each GPU. One GPU: FILE.html. Several: FILE-ID.html, with the
 * id of each GPU.
 */
#include "tool/commands.h"

#include "tool/page/place.h"
#include "tool/print/messages.h"
#include "tool/report/page.h"
#include "tool/sources/sources.h"
#include "util/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The name of the page in its directory; malloc'ed. id: NULL if there is only one page. */
static char *page_name(const struct gc_page_place *place, const char *id)
{
  const char *base = place->file + place->folder, *dot = strrchr(base, '.');
  char *name;

  if (asprintf(&name, "%.*s%s%s%s", (int)(dot - base), base, id ? "-" : "", id ? id : "", dot) < 0)
    return NULL;
  return name;
}

/* 0; 1 if the page lacks curves, after messages; or a negative errno with a sentence. */
static int write_page(const struct gc_page_place *place, const struct gc_report *report, bool only,
                      struct gc_error *err)
{
  char *name = page_name(place, only ? NULL : report->record->identity.id), *page = NULL;
  size_t size = 0;
  FILE *out = name ? open_memstream(&page, &size) : NULL;
  int status = out ? gc_report_page(out, report, err) : gc_fail(err, -ENOMEM, "out of memory");

  if (out && !gc_file_close(out) && status >= 0)
    status = gc_fail(err, -ENOMEM, "out of memory");
  if (status >= 0 && gc_page_place_put(place, name, page, size, err))
    status = -EIO;
  free(page);
  free(name);
  return status;
}

/* The names of several pages come from the ids, so each id may be there once. */
static bool ids_differ(const struct gc_sources *sources)
{
  for (size_t i = 0; i < sources->count; i++)
    for (size_t k = 0; k < i; k++)
      if (!strcmp(sources->array[i].record->identity.id, sources->array[k].record->identity.id)) {
        gc_say(NULL, "%s and %s are records of the same GPU: write a page for each on its own",
               sources->array[k].name, sources->array[i].name);
        return false;
      }
  return true;
}

static int write_pages(const struct gc_tool *tool, const struct gc_page_place *place,
                       const struct gc_sources *sources)
{
  int status = GC_EXIT_DONE;

  if (!ids_differ(sources))
    return GC_EXIT_USAGE;
  for (size_t i = 0; i < sources->count; i++) {
    const struct gc_source *source = &sources->array[i];
    const struct gc_report report = {.record = source->record,
                                     .source = source->name,
                                     .command = tool->command,
                                     .raw = tool->raw};
    struct gc_error err = {""};
    const int failed = write_page(place, &report, sources->count == 1, &err);

    if (failed < 0)
      gc_say(sources->count > 1 ? source->name : NULL, "%s", err.text);
    if (failed)
      status = GC_EXIT_FAILED;
  }
  return status;
}

int gc_tool_report(const struct gc_tool *tool)
{
  struct gc_tool others = *tool;
  struct gc_sources sources;
  struct gc_error err = {""};
  struct gc_page_place place = {0};
  int status;

  others.words++;
  others.count--;
  others.raw = NULL; /* a directory to read, not to write */
  if (gc_page_place_open(tool->words[0], &place, &err)) {
    gc_say(NULL, "%s", err.text);
    return GC_EXIT_FAILED;
  }
  status = gc_sources_of_words(&others, &sources);
  if (sources.count)
    status = gc_worse(status, write_pages(tool, &place, &sources));
  gc_sources_free(&sources);
  gc_page_place_close(&place);
  return status;
}
