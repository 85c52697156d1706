/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the files of --raw: heading, columns, rows.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "measure/raw/files.h"

#include "measure/raw/earlier.h"
#include "util/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const forms[GC_RAW_FORMS] = {"curve", "trace", "repeats", "table", "list"};

/* The attribute that a step finds. If it finds several, the columns of a file decide which
 * attribute belongs to the file. The headings of other files contain all attributes. */
static const struct {
  const char *step, *columns, *key, *property, *unit; /* NULL: no number */
} found_by[] = {
    {"capacity", "", HWLOC_GPUCACHE_CAPACITY_BYTES, HWLOC_GPUCACHE_CAPACITY, "bytes"},
    {"latency", "", HWLOC_GPUCACHE_LATENCY_CYCLES, HWLOC_GPUCACHE_LATENCY, "cycles"},
    {"line", "", HWLOC_GPUCACHE_LINE_BYTES, HWLOC_GPUCACHE_LINE, "bytes"},
    {"fetch", "", HWLOC_GPUCACHE_FETCH_BYTES, HWLOC_GPUCACHE_FETCH, "bytes"},
    {"miss penalty", "", HWLOC_GPUCACHE_MISS_PENALTY_CYCLES, HWLOC_GPUCACHE_MISS_PENALTY, "cycles"},
    {"bandwidth", "read, GB/s", HWLOC_GPUCACHE_READ_GBPS, HWLOC_GPUCACHE_READ, "GB/s"},
    {"bandwidth", "write, GB/s", HWLOC_GPUCACHE_WRITE_GBPS, HWLOC_GPUCACHE_WRITE, "GB/s"},
    {"bandwidth", "read, bytes per cycle", HWLOC_GPUCACHE_READ_BYTES_PER_CYCLE, HWLOC_GPUCACHE_READ,
     "bytes per cycle and SM"},
    {"bandwidth", "write, bytes per cycle", HWLOC_GPUCACHE_WRITE_BYTES_PER_CYCLE,
     HWLOC_GPUCACHE_WRITE, "bytes per cycle and SM"},
    {"carve-outs", "", HWLOC_GPUCACHE_CARVEOUT_TABLE, HWLOC_GPUCACHE_CARVEOUT_TABLE, NULL},
    {"sharing", "", HWLOC_GPUCACHE_SHARED_WITH, HWLOC_GPUCACHE_SHARED_WITH, NULL},
    {"instances", "", HWLOC_GPUCACHE_INSTANCES, HWLOC_GPUCACHE_INSTANCES, "on the GPU"},
    {"CUs that share it", "", HWLOC_GPUCACHE_INSTANCES, HWLOC_GPUCACHE_INSTANCES, "on the GPU"},
};

/* Writes "# name: value" on one line; control characters in the value become blanks. */
static void write_line(FILE *file, const char *name, const char *value)
{
  fprintf(file, "# %s: ", name);
  for (; *value; value++)
    putc((unsigned char)*value < ' ' || *value == 127 ? ' ' : *value, file);
  putc('\n', file);
}

static void write_found(FILE *file, const struct gc_infos *infos, const struct gc_raw_set *set)
{
  const size_t prefix = strlen(HWLOC_GPUCACHE_SOURCE_ABSENT);

  for (size_t i = 0; i < sizeof(found_by) / sizeof(*found_by); i++) {
    const char *value = gc_infos_get(infos, found_by[i].key), *source, *confidence;
    char name[64];

    if (strcmp(set->property, found_by[i].step) || !strstr(set->columns, found_by[i].columns))
      continue;
    snprintf(name, sizeof(name), "%s" HWLOC_GPUCACHE_SOURCE_SUFFIX, found_by[i].property);
    source = gc_infos_get(infos, name);
    snprintf(name, sizeof(name), "%s" HWLOC_GPUCACHE_CONFIDENCE_SUFFIX, found_by[i].property);
    confidence = gc_infos_get(infos, name);
    if (found_by[i].unit)
      write_line(file, "unit", found_by[i].unit);
    if (value)
      write_line(file, "found", value);
    if (value && confidence)
      write_line(file, "confidence", confidence);
    if (source && !strncmp(source, HWLOC_GPUCACHE_SOURCE_ABSENT, prefix))
      write_line(file, "absent", source + prefix);
  }
}

static void write_notes(FILE *file, const struct gc_raw_notes *notes)
{
  for (size_t i = 0; i < notes->count; i++)
    fprintf(file, "# %s: %.6g\n", notes->array[i].name, notes->array[i].value);
}

/* The threshold of the last run that had one. */
static uint32_t threshold_of(const struct gc_raw_set *set)
{
  for (size_t i = set->count; i > 0; i--)
    if (set->runs[i - 1].binning.threshold != UINT32_MAX)
      return set->runs[i - 1].binning.threshold;
  return UINT32_MAX;
}

static void write_heading(FILE *file, const struct gc_raw *raw, const struct gc_raw_set *set,
                          const struct gc_record *record)
{
  const struct gc_element *element = record ? gc_record_find(record, set->kind) : NULL;
  const uint32_t threshold = threshold_of(set);

  fprintf(file, "# " PACKAGE_NAME " " PACKAGE_VERSION " raw data\n");
  write_line(file, "form", forms[set->form]);
  write_line(file, "gpu", raw->gpu);
  write_line(file, "id", raw->id);
  write_line(file, "model", raw->model);
  write_line(file, "element", gc_kind_name(set->kind));
  write_line(file, "property", set->property);
  if (element)
    write_found(file, &element->infos, set);
  if (threshold != UINT32_MAX)
    fprintf(file, "# threshold: %" PRIu32 "\n", threshold);
  write_notes(file, &raw->notes);
  write_notes(file, &set->notes);
  write_line(file, "date", raw->date);
  write_line(file, "command", raw->command);
  for (size_t i = 0; element && i < element->infos.count; i++)
    write_line(file, element->infos.array[i].name, element->infos.array[i].value);
}

/* SMs that work together add to one histogram and do not report their fastest and slowest load
 * (kernels/args.h). Then these are the edges of histogram bins. */
static void find_ends(struct gpu_chase_result *seen, const struct gc_binning *binning)
{
  const uint32_t width = UINT32_C(1) << binning->shift;

  for (uint32_t b = 0; b < GPU_HISTOGRAM_BINS && !seen->min; b++)
    if (seen->histogram[b])
      seen->min = binning->low + b * width;
  for (uint32_t b = GPU_HISTOGRAM_BINS; b > 0 && !seen->max; b--)
    if (seen->histogram[b - 1])
      seen->max = binning->low + b * width;
}

/* The q-quantile of a run, interpolated between the edges of its bin. In the bin of the fastest
 * load it is the latency of that load, because in most caches all hits take the same time. */
static double quantile(const struct gpu_chase_result *seen, const struct gc_binning *binning,
                       double q)
{
  const double width = (double)(UINT64_C(1) << binning->shift), wanted = q * seen->loads;
  double before = 0;

  for (size_t b = 0; b < GPU_HISTOGRAM_BINS; b++) {
    const double in = seen->histogram[b], low = binning->low + (double)b * width;
    const double high =
        low + width < seen->max && b + 1 < GPU_HISTOGRAM_BINS ? low + width : seen->max;

    if (in > 0 && before + in >= wanted)
      return low <= seen->min ? seen->min : low + (high - low) * (wanted - before) / in;
    before += in;
  }
  return seen->max;
}

/* Counts the loads in bins that begin at or above the threshold. */
static uint64_t count_slow(const struct gpu_chase_result *seen, const struct gc_binning *binning,
                           uint32_t threshold)
{
  uint64_t slow = 0;

  for (size_t b = 0; b < GPU_HISTOGRAM_BINS; b++)
    if (binning->low + ((uint64_t)b << binning->shift) >= threshold)
      slow += seen->histogram[b];
  return slow;
}

static void write_runs(FILE *file, const struct gc_raw_set *set)
{
  const bool by_carveout = strstr(set->columns, "\tcarve-out");
  const uint32_t threshold = threshold_of(set);

  for (size_t i = 0; i < set->count; i++) {
    const struct gc_raw_run *r = &set->runs[i];
    struct gpu_chase_result ends = r->run.seen;
    const struct gpu_chase_result *seen = &ends;
    const uint64_t slow =
        r->binning.threshold == UINT32_MAX ? count_slow(seen, &r->binning, threshold) : seen->slow;

    if (!ends.max)
      find_ends(&ends, &r->binning);

    fprintf(file, "%" PRIu64 "\t%u\t%" PRIu64 "\t%u\t%.1f\t%.1f\t%.1f\t%u\t%.2f\t%u\t%u\t%s",
            r->run.bytes, seen->loads, slow, seen->min, quantile(seen, &r->binning, 0.01),
            quantile(seen, &r->binning, 0.5), quantile(seen, &r->binning, 0.99), seen->max,
            seen->loads ? (double)seen->cycles / seen->loads : 0, seen->sm, r->repeat, r->phase);
    if (by_carveout)
      fprintf(file, "\t%d", r->carveout);
    putc('\n', file);
  }
}

/* The first file of a step has no form in its name; the others have. */
static void name_file(const struct gc_raw *raw, size_t i, char *name, size_t size)
{
  const struct gc_raw_set *set = raw->sets[i];
  size_t same = 0;

  for (size_t k = 0; k < i; k++)
    same += raw->sets[k]->kind == set->kind && !strcmp(raw->sets[k]->property, set->property);
  if (same == 0)
    snprintf(name, size, "%s-%s-%s.tsv", raw->gpu, gc_kind_name(set->kind), set->property);
  else if (same == 1)
    snprintf(name, size, "%s-%s-%s-%s.tsv", raw->gpu, gc_kind_name(set->kind), set->property,
             forms[set->form]);
  else
    snprintf(name, size, "%s-%s-%s-%s%zu.tsv", raw->gpu, gc_kind_name(set->kind), set->property,
             forms[set->form], same);
  for (char *at = name; *at; at++)
    if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-", *at))
      *at = '-';
}

int gc_raw_put(const struct gc_raw *raw, size_t i, const struct gc_record *record,
               struct gc_error *err)
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
  write_heading(file, raw, set, record);
  fprintf(file, "%s\n", set->columns);
  write_runs(file, set);
  if (set->text)
    fwrite(set->text, 1, set->length, file);
  whole = gc_file_close(file);
  status = whole ? gc_raw_check_name(raw, name, err) : gc_fail(err, -ENOMEM, "out of memory");
  if (!status)
    status = gc_file_put(raw->dir, name, text, length, err);
  free(text);
  return status;
}
