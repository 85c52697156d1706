/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All values of each element, with their confidences and how they were found. Keys that this
 * version does not know are shown as they are.
 */
#include "tool/print/html.h"
#include "tool/report/methods.h"
#include "tool/report/page.h"

#include "tool/print/format.h"

#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include <stdbool.h>
#include <string.h>

static bool ends_with(const char *name, const char *tail)
{
  const size_t length = strlen(name), end = strlen(tail);

  return length > end && !strcmp(name + length - end, tail);
}

/* The source of this value: of all <Property>Source, the longest property that the key begins with.
 * NULL: none. */
static const struct gc_info *source_of(const struct gc_infos *infos, const char *key)
{
  const struct gc_info *best = NULL;
  const size_t tail = strlen(HWLOC_GPUCACHE_SOURCE_SUFFIX);

  for (size_t i = 0; i < infos->count; i++) {
    const struct gc_info *info = &infos->array[i];

    if (ends_with(info->name, HWLOC_GPUCACHE_SOURCE_SUFFIX) &&
        !strncmp(key, info->name, strlen(info->name) - tail) &&
        (!best || strlen(info->name) > strlen(best->name)))
      best = info;
  }
  return best;
}

/* The property that a source belongs to. */
static void property_of(const struct gc_info *source, char property[GC_RECORD_MAX_NAME])
{
  snprintf(property, GC_RECORD_MAX_NAME, "%.*s",
           (int)(strlen(source->name) - strlen(HWLOC_GPUCACHE_SOURCE_SUFFIX)), source->name);
}

static void write_how(FILE *out, const struct gc_element *element, const struct gc_info *source)
{
  char property[GC_RECORD_MAX_NAME];
  const struct gc_method *method;

  property_of(source, property);
  method = gc_method_of(property, element->kind);
  if (!strcmp(source->value, HWLOC_GPUCACHE_SOURCE_API))
    fputs("Stated by the vendor’s interface (CUDA or HIP).", out);
  else if (!strcmp(source->value, HWLOC_GPUCACHE_SOURCE_SYSFS))
    fputs("Stated by the kernel driver’s tables (sysfs).", out);
  else if (!strcmp(source->value, HWLOC_GPUCACHE_SOURCE_TABLE))
    fputs("From a table in this program.", out);
  else if (strcmp(source->value, HWLOC_GPUCACHE_SOURCE_MEASURED))
    gc_html(out, "$", source->value);
  else if (!method)
    fputs("Measured.", out);
  else
    gc_html(out, "Measured. $ <span class='side'>[methods, “$”]</span>", method->sentence,
            method->section);
}

/* The description of a value that has no source: it is a setting of the measurement, or belongs to
 * another value. */
static const char *without_source(const char *key)
{
  if (!strcmp(key, HWLOC_GPUCACHE_CAPACITY_AT_LEAST_BYTES))
    return "The largest array that was tried; it still fits.";
  if (!strcmp(key, HWLOC_GPUCACHE_OUTSTANDING_PER_SM_AT_LEAST) ||
      !strcmp(key, HWLOC_GPUCACHE_OUTSTANDING_PER_WARP_AT_LEAST))
    return "So many were outstanding at the same time; no limit was reached.";
  if (!strcmp(key, HWLOC_GPUCACHE_CARVEOUT_PERCENT) || !strcmp(key, HWLOC_GPUCACHE_CARVEOUT_BLOCKS))
    return "A setting of the measurement, on which the capacity depends.";
  if (ends_with(key, HWLOC_GPUCACHE_DIFFERS_SUFFIX))
    return "The kernel driver’s tables contradict the measured value.";
  if (!strcmp(key, HWLOC_GPUCACHE_CENSUS_ERROR_BYTES))
    return "The census probes a sample; this is its sampling error.";
  return "";
}

/* Whether this value is the same one in another unit: LatencyNs after LatencyCycles. */
static bool is_again(const struct gc_element *element, size_t k)
{
  static const char cycles[] = "Cycles", ns[] = "Ns";
  const char *before = k ? element->infos.array[k - 1].name : "",
             *now = element->infos.array[k].name;
  const size_t length = strlen(now) - strlen(ns);

  return ends_with(now, ns) && ends_with(before, cycles) &&
         length == strlen(before) - strlen(cycles) && !strncmp(now, before, length);
}

/* A row for one value. other: the same value in another unit, or NULL. */
static void write_value(FILE *out, const struct gc_report *report, const struct gc_element *element,
                        const struct gc_info *info, const struct gc_info *other)
{
  const struct gc_info *source = source_of(&element->infos, info->name);
  char key[2 * GC_RECORD_MAX_NAME], value[2 * GC_RECORD_MAX_VALUE + 64],
      name[2 * GC_RECORD_MAX_NAME];
  const char *confidence = NULL;

  if (ends_with(info->name, HWLOC_GPUCACHE_DIFFERS_SUFFIX) ||
      !strcmp(info->name, HWLOC_GPUCACHE_CENSUS_ERROR_BYTES) ||
      (source && gc_is_absent(source->value))) /* a bound of a value that is absent */
    source = NULL;
  gc_key_in_words(info->name, gc_record_unit(report->record), key, sizeof key);
  gc_value_in_words(info->name, info->value, value, sizeof value);
  gc_html(out, "<tr><th scope='row'>$</th><td>$", key, value);
  if (other) {
    gc_value_in_words(other->name, other->value, value, sizeof value);
    gc_html(out, ", $", value);
  }
  if (source) {
    property_of(source, name);
    strcat(name, HWLOC_GPUCACHE_CONFIDENCE_SUFFIX);
    confidence = gc_infos_get(&element->infos, name);
  }
  gc_html(out, "</td><td class='n'>$</td><td>", confidence ? confidence : "–");
  if (source)
    write_how(out, element, source);
  else
    gc_html(out, "$", without_source(info->name));
  fputs("</td></tr>\n", out);
}

/* A row for one property that is absent. */
static void write_absent(FILE *out, const struct gc_report *report, const struct gc_info *source)
{
  char property[GC_RECORD_MAX_NAME], key[2 * GC_RECORD_MAX_NAME];
  const char *why = source->value + strlen(HWLOC_GPUCACHE_SOURCE_ABSENT);

  property_of(source, property);
  gc_key_in_words(property, gc_record_unit(report->record), key, sizeof key);
  gc_html(out,
          "<tr><th scope='row'>$</th><td class='absent'>absent</td><td class='n'>–</td>"
          "<td>No value: $.</td></tr>\n",
          key, why + strspn(why, " "));
}

static void write_table(FILE *out, const struct gc_report *report, const struct gc_element *element,
                        const char *label)
{
  gc_html(
      out,
      "<div class='wide' tabindex='0' role='region' aria-label='$'>"
      "<table class='values'>\n<thead><tr><th scope='col'>Property</th><th scope='col'>Value</th>"
      "<th scope='col' class='n'>Confidence</th><th scope='col'>How it was found</th></tr>"
      "</thead>\n<tbody>\n",
      label);
  for (size_t k = 0; k < element->infos.count; k++) {
    const struct gc_info *info = &element->infos.array[k];

    if (ends_with(info->name, HWLOC_GPUCACHE_SOURCE_SUFFIX) ||
        ends_with(info->name, HWLOC_GPUCACHE_CONFIDENCE_SUFFIX) || is_again(element, k))
      continue;
    write_value(out, report, element, info,
                k + 1 < element->infos.count && is_again(element, k + 1) ? info + 1 : NULL);
  }
  for (size_t k = 0; k < element->infos.count; k++) {
    const struct gc_info *info = &element->infos.array[k];
    char name[GC_RECORD_MAX_NAME];

    if (!ends_with(info->name, HWLOC_GPUCACHE_SOURCE_SUFFIX))
      continue;
    property_of(info, name);
    if (gc_is_absent(info->value))
      write_absent(out, report, info);
    else if (!strcmp(name, HWLOC_GPUCACHE_SHARED_WITH) && !gc_infos_get(&element->infos, name))
      /* measured, and shared with nothing: there is only a source */
      write_value(out, report, element, &(struct gc_info){.name = name, .value = (char[]){"none"}},
                  NULL);
  }
  fputs("</tbody></table></div>\n", out);
}

static void write_element(FILE *out, const struct gc_report *report, size_t i)
{
  const struct gc_element *element = &report->record->elements[i];
  const char *subtype = gc_kinds[element->kind].subtype;
  char label[64];

  if (!element->infos.count)
    return;
  snprintf(label, sizeof label, "Values of %s", subtype);
  gc_html(out, "<h3 id='$'>$</h3>\n", subtype, subtype);
  write_table(out, report, element, label);
}

void gc_report_values(FILE *out, const struct gc_report *report)
{
  fputs(
      "<section id='elements'>\n<h2>All values</h2>\n"
      "<p>The confidence of a measured value is the probability that it is right. It is calibrated "
      "on simulated GPUs, whose true values are known: of the values with confidence p, at least "
      "a share of p is right there. Values that others state have no confidence. Values below 0.5 "
      "are absent. [methods, “…”] names a section of doc/methods.md, which comes with "
      "hwloc-gpucache and explains the method and its limits.</p>\n",
      out);
  for (size_t i = 0; i < report->record->count; i++)
    write_element(out, report, i);
  fputs("</section>\n", out);
}

void gc_report_facts(FILE *out, const struct gc_report *report)
{
  const struct gc_element gpu = {.kind = GC_WHOLE_GPU, .infos = report->record->infos};

  if (!gpu.infos.count)
    return;
  fputs("<section id='facts'>\n<h2>Facts of the GPU</h2>\n"
        "<p>Numbers of SMs, threads, registers, bus and clocks are those of the vendor’s interface "
        "or the kernel driver. Those about measuring are of this program.</p>\n",
        out);
  write_table(out, report, &gpu, "Facts of the GPU");
  fputs("</section>\n", out);
}
