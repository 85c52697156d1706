/* SPDX-License-Identifier: BSD-3-Clause */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "measure/raw_files.h"

#include "util/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const forms[GC_RAW_FORMS] = {"curve", "trace", "repeats", "table", "list"};

/* Which attribute is what a step looked for; where there are several, in data whose columns are called so.
 * Of other steps all attributes are told, and none is singled out. */
static const struct {
  const char *step, *columns, *key, *property, *unit; /* NULL: no number */
} sought[] = {
  {"capacity", "", HWLOC_GPUCACHE_CAPACITY_BYTES, HWLOC_GPUCACHE_CAPACITY, "bytes"},
  {"latency", "", HWLOC_GPUCACHE_LATENCY_CYCLES, HWLOC_GPUCACHE_LATENCY, "cycles"},
  {"line", "", HWLOC_GPUCACHE_LINE_BYTES, HWLOC_GPUCACHE_LINE, "bytes"},
  {"fetch", "", HWLOC_GPUCACHE_FETCH_BYTES, HWLOC_GPUCACHE_FETCH, "bytes"},
  {"miss penalty", "", HWLOC_GPUCACHE_MISS_PENALTY_CYCLES, HWLOC_GPUCACHE_MISS_PENALTY, "cycles"},
  {"bandwidth", "read, GB/s", HWLOC_GPUCACHE_READ_GBPS, HWLOC_GPUCACHE_READ, "GB/s"},
  {"bandwidth", "write, GB/s", HWLOC_GPUCACHE_WRITE_GBPS, HWLOC_GPUCACHE_WRITE, "GB/s"},
  {"bandwidth", "read, bytes per cycle", HWLOC_GPUCACHE_READ_BYTES_PER_CYCLE, HWLOC_GPUCACHE_READ,
   "bytes per cycle and SM"},
  {"bandwidth", "write, bytes per cycle", HWLOC_GPUCACHE_WRITE_BYTES_PER_CYCLE, HWLOC_GPUCACHE_WRITE,
   "bytes per cycle and SM"},
  {"carve-outs", "", HWLOC_GPUCACHE_CARVEOUT_TABLE, HWLOC_GPUCACHE_CARVEOUT_TABLE, NULL},
  {"sharing", "", HWLOC_GPUCACHE_SHARED_WITH, HWLOC_GPUCACHE_SHARED_WITH, NULL},
  {"instances", "", HWLOC_GPUCACHE_INSTANCES, HWLOC_GPUCACHE_INSTANCES, "on the GPU"},
  {"CUs that share it", "", HWLOC_GPUCACHE_INSTANCES, HWLOC_GPUCACHE_INSTANCES, "on the GPU"},
};

/* "# name: value" on one line, whatever is in the value. */
static void say(FILE *file, const char *name, const char *value)
{
  fprintf(file, "# %s: ", name);
  for (; *value; value++)
    putc((unsigned char)*value < ' ' || *value == 127 ? ' ' : *value, file);
  putc('\n', file);
}

static void say_found(FILE *file, const struct gc_infos *infos, const struct gc_raw_set *set)
{
  const size_t prefix = strlen(HWLOC_GPUCACHE_SOURCE_ABSENT);

  for (size_t i = 0; i < sizeof(sought) / sizeof(*sought); i++) {
    const char *value = gc_infos_get(infos, sought[i].key), *source, *confidence;
    char name[64];

    if (strcmp(set->property, sought[i].step) || !strstr(set->columns, sought[i].columns))
      continue;
    snprintf(name, sizeof(name), "%s" HWLOC_GPUCACHE_SOURCE_SUFFIX, sought[i].property);
    source = gc_infos_get(infos, name);
    snprintf(name, sizeof(name), "%s" HWLOC_GPUCACHE_CONFIDENCE_SUFFIX, sought[i].property);
    confidence = gc_infos_get(infos, name);
    if (sought[i].unit)
      say(file, "unit", sought[i].unit);
    if (value)
      say(file, "found", value);
    if (value && confidence)
      say(file, "confidence", confidence);
    if (source && !strncmp(source, HWLOC_GPUCACHE_SOURCE_ABSENT, prefix))
      say(file, "absent", source + prefix);
  }
}

static void say_notes(FILE *file, const struct gc_raw_notes *notes)
{
  for (size_t i = 0; i < notes->count; i++)
    fprintf(file, "# %s: %.6g\n", notes->array[i].name, notes->array[i].value);
}

/* The threshold of the last run that had one. */
static uint32_t threshold_of(const struct gc_raw_set *set)
{
  for (size_t i = set->count; i > 0; i--)
    if (set->runs[i - 1].window.threshold != UINT32_MAX)
      return set->runs[i - 1].window.threshold;
  return UINT32_MAX;
}

static void say_heading(FILE *file, const struct gc_raw *raw, const struct gc_raw_set *set,
                        const struct gc_record *record)
{
  const struct gc_element *element = record ? gc_record_find(record, set->kind) : NULL;
  const uint32_t threshold = threshold_of(set);
  const time_t now = time(NULL);
  struct tm utc;
  char date[32];

  strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
  fprintf(file, "# " PACKAGE_NAME " " PACKAGE_VERSION " raw data\n");
  say(file, "form", forms[set->form]);
  say(file, "gpu", raw->gpu);
  say(file, "id", raw->id);
  say(file, "model", raw->model);
  say(file, "element", gc_kinds[set->kind].subtype);
  say(file, "property", set->property);
  if (element)
    say_found(file, &element->infos, set);
  if (threshold != UINT32_MAX)
    fprintf(file, "# threshold: %" PRIu32 "\n", threshold);
  say_notes(file, &raw->notes);
  say_notes(file, &set->notes);
  say(file, "date", date);
  say(file, "command", raw->command);
  for (size_t i = 0; element && i < element->infos.count; i++)
    say(file, element->infos.array[i].name, element->infos.array[i].value);
}

/* SMs that work together add to one histogram and tell no fastest and slowest load (kernels/args.h): these are
 * known to a bin then. */
static void find_ends(struct gpu_chase_result *seen, const struct gc_window *window)
{
  const uint32_t width = UINT32_C(1) << window->shift;

  for (uint32_t b = 0; b < GPU_HISTOGRAM_BINS && !seen->min; b++)
    if (seen->histogram[b])
      seen->min = window->low + b * width;
  for (uint32_t b = GPU_HISTOGRAM_BINS; b > 0 && !seen->max; b--)
    if (seen->histogram[b - 1])
      seen->max = window->low + b * width;
}

/* The q-quantile of what a run saw, in proportion between the edges of its bin; in the bin of the fastest
 * load that load, because most caches answer hits in one and the same time. */
static double quantile(const struct gpu_chase_result *seen, const struct gc_window *window, double q)
{
  const double width = (double)(UINT64_C(1) << window->shift), wanted = q * seen->loads;
  double before = 0;

  for (size_t b = 0; b < GPU_HISTOGRAM_BINS; b++) {
    const double in = seen->histogram[b], low = window->low + (double)b * width;
    const double high = low + width < seen->max && b + 1 < GPU_HISTOGRAM_BINS ? low + width : seen->max;

    if (in > 0 && before + in >= wanted)
      return low <= seen->min ? seen->min : low + (high - low) * (wanted - before) / in;
    before += in;
  }
  return seen->max;
}

/* Bins that begin at or above the threshold. */
static uint64_t count_slow(const struct gpu_chase_result *seen, const struct gc_window *window,
                           uint32_t threshold)
{
  uint64_t slow = 0;

  for (size_t b = 0; b < GPU_HISTOGRAM_BINS; b++)
    if (window->low + ((uint64_t)b << window->shift) >= threshold)
      slow += seen->histogram[b];
  return slow;
}

static void say_runs(FILE *file, const struct gc_raw_set *set)
{
  const bool by_carveout = strstr(set->columns, "\tcarve-out");
  const uint32_t threshold = threshold_of(set);

  for (size_t i = 0; i < set->count; i++) {
    const struct gc_raw_run *r = &set->runs[i];
    struct gpu_chase_result ends = r->run.seen;
    const struct gpu_chase_result *seen = &ends;
    const uint64_t slow = r->window.threshold == UINT32_MAX ? count_slow(seen, &r->window, threshold)
                                                            : seen->slow;

    if (!ends.max)
      find_ends(&ends, &r->window);

    fprintf(file, "%" PRIu64 "\t%u\t%" PRIu64 "\t%u\t%.1f\t%.1f\t%.1f\t%u\t%.2f\t%u\t%u\t%s",
            r->run.bytes, seen->loads, slow, seen->min, quantile(seen, &r->window, 0.01),
            quantile(seen, &r->window, 0.5), quantile(seen, &r->window, 0.99), seen->max,
            seen->loads ? (double)seen->cycles / seen->loads : 0, seen->sm, r->repeat, r->phase);
    if (by_carveout)
      fprintf(file, "\t%d", r->carveout);
    putc('\n', file);
  }
}

/* Later files of a step that has several say their form, too. */
static void name_file(const struct gc_raw *raw, size_t i, char *name, size_t size)
{
  const struct gc_raw_set *set = raw->sets[i];
  size_t same = 0;

  for (size_t k = 0; k < i; k++)
    same += raw->sets[k]->kind == set->kind && !strcmp(raw->sets[k]->property, set->property);
  if (same == 0)
    snprintf(name, size, "%s-%s-%s.tsv", raw->gpu, gc_kinds[set->kind].subtype, set->property);
  else if (same == 1)
    snprintf(name, size, "%s-%s-%s-%s.tsv", raw->gpu, gc_kinds[set->kind].subtype, set->property,
             forms[set->form]);
  else
    snprintf(name, size, "%s-%s-%s-%s%zu.tsv", raw->gpu, gc_kinds[set->kind].subtype, set->property,
             forms[set->form], same);
  for (char *at = name; *at; at++)
    if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-", *at))
      *at = '-';
}

int gc_raw_put(const struct gc_raw *raw, size_t i, const struct gc_record *record, struct gc_error *err)
{
  const struct gc_raw_set *set = raw->sets[i];
  char name[160], *text = NULL;
  size_t length;
  FILE *file = open_memstream(&text, &length);
  bool whole;
  int status;

  if (!file)
    return gc_fail(err, -ENOMEM, "out of memory");
  name_file(raw, i, name, sizeof(name));
  say_heading(file, raw, set, record);
  fprintf(file, "%s\n", set->columns);
  say_runs(file, set);
  if (set->text)
    fwrite(set->text, 1, set->length, file);
  whole = gc_file_close(file);
  status = whole ? gc_raw_check_place(raw, name, err) : gc_fail(err, -ENOMEM, "out of memory");
  if (!status)
    status = gc_file_put(raw->dir, name, text, length, err);
  free(text);
  return status;
}
