/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tool/report/page.h"

#include "tool/gpus/earlier_record.h"
#include "tool/plot/chart.h"
#include "tool/print/html.h"
#include "util/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *fact(const struct gc_report *report, const char *key)
{
  return gc_infos_get(&report->record->infos, key);
}

static const char *title(const struct gc_report *report)
{
  const struct gc_identity *gpu = &report->record->identity;

  return gpu->model[0] ? gpu->model : gpu->id;
}

/* The policy forbids scripts and all other files, also for a page that somebody has changed. */
static void write_head(FILE *out, const struct gc_report *report)
{
  gc_html(out,
          "<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'/>\n"
          "<meta http-equiv='Content-Security-Policy' "
          "content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n"
          "<meta name='viewport' content='width=device-width, initial-scale=1'/>\n"
          "<meta name='generator' content='hwloc-gpucache $'/>\n"
          "<title>$: GPU memory hierarchy</title>\n<style>\n",
          PACKAGE_VERSION, title(report));
  fprintf(out, "%s%s</style>\n</head>\n<body>\n", gc_chart_style, gc_report_style);
}

static void item(FILE *out, const char *name, const char *value)
{
  if (value && *value)
    gc_html(out, "<dt>$</dt><dd>$</dd>\n", name, value);
}

/* Everything that a reader must know before he trusts the values. */
static void write_warnings(FILE *out, const struct gc_report *report)
{
  const struct gc_record *record = report->record;
  const char *failures = fact(report, "MeasuringFailures"),
             *repeats = fact(report, "MeasuringRepeats");
  char text[400];

  gc_keep_describe(record, text, sizeof text);
  if (*text)
    gc_html(out, "<p class='note'>Warning: this record is $.</p>\n", text);
  if (!fact(report, "Measured"))
    fputs("<p class='note'>Warning: nothing was measured on this GPU. The values are those of the "
          "kernel driver’s tables.</p>\n",
          out);
  else if (!strcmp(gc_record_unit(record), "CU") && strcmp(record->identity.driver, "simulated"))
    fputs("<p class='note'>Warning: the developers have never checked the methods on an AMD "
          "GPU.</p>\n",
          out);
  if (!strcmp(record->identity.driver, "simulated"))
    fputs("<p class='note'>Note: this is a simulated GPU.</p>\n", out);
  if (failures)
    gc_html(out, "<p class='note'>Warning: steps of the measurement that failed: $.</p>\n",
            failures);
  if (repeats && strcmp(repeats, "0"))
    gc_html(
        out,
        "<p class='note'>Note: steps that were repeated because another program used the GPU or "
        "its clock changed: $.</p>\n",
        repeats);
  if (strcmp(record->format, GC_RECORD_FORMAT) || strcmp(record->method, GC_RECORD_METHOD))
    gc_html(
        out,
        "<p class='note'>Note: the record has format $ and methods $; this program has format $ "
        "and methods $. Sentences about methods may not fit.</p>\n",
        record->format, record->method, GC_RECORD_FORMAT, GC_RECORD_METHOD);
}

static void write_header(FILE *out, const struct gc_report *report)
{
  const struct gc_identity *gpu = &report->record->identity;
  char date[GC_DATE];

  gc_date_write(time(NULL), date);
  gc_html(out,
          "<header>\n<h1>$</h1>\n<p>Memory hierarchy of this GPU, as hwloc-gpucache found it.</p>\n"
          "<dl>\n",
          title(report));
  item(out, "Id", gpu->id);
  item(out, "Driver", gpu->driver);
  item(out, "VBIOS", gpu->vbios);
  item(out, "MIG or partition mode", gpu->mig);
  item(out, "Measured", fact(report, "Measured"));
  item(out, "Measured by version", fact(report, "Version"));
  item(out, "Record", report->source);
  item(out, "Page written", date);
  item(out, "By", "hwloc-gpucache " PACKAGE_VERSION);
  item(out, "Command", report->command);
  fputs("</dl>\n", out);
  write_warnings(out, report);
  fputs("</header>\n", out);
}

/* Links only to sections that the page has. */
static void write_contents(FILE *out, const char *page)
{
  static const char *const sections[][2] = {
      {"hierarchy", "Memory hierarchy"},
      {"tables", "Tables"},
      {"carveouts", "Carve-outs"},
      {"partitions", "L2 partitions"},
      {"elements", "All values"},
      {"facts", "Facts of the GPU"},
      {"curves", "Curves"},
  };
  char id[48];

  fputs("<nav aria-label='Contents'><ul>\n", out);
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
    snprintf(id, sizeof id, "<section id='%s'>", sections[i][0]);
    if (strstr(page, id))
      gc_html(out, "<li><a href='#$'>$</a></li>\n", sections[i][0], sections[i][1]);
  }
  fputs("</ul></nav>\n", out);
}

int gc_report_page(FILE *out, const struct gc_report *report, struct gc_error *err)
{
  char *sections = NULL;
  size_t size;
  FILE *memory = open_memstream(&sections, &size);
  int status;

  if (!memory)
    return gc_fail(err, -ENOMEM, "out of memory");
  gc_report_hierarchy(memory, report);
  status = gc_report_summary(memory, report);
  if (status)
    gc_fail(err, status, "out of memory");
  gc_report_partitions(memory, report);
  gc_report_carveouts(memory, report);
  gc_report_values(memory, report);
  gc_report_facts(memory, report);
  if (!status)
    status = gc_report_curves(memory, report, err);
  if (fclose(memory) && status >= 0)
    status = gc_fail(err, -ENOMEM, "out of memory");
  if (status >= 0) {
    write_head(out, report);
    write_header(out, report);
    write_contents(out, sections);
    fprintf(out, "<main>\n%s</main>\n</body>\n</html>\n", sections);
  }
  free(sections);
  return status;
}
