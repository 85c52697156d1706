/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * JSON with the ceilings of a roofline: the bandwidths of all elements for the whole GPU, in GB/s.
 * doc/modelling.md explains them. "peaks" is empty, because no vendor's interface states how much a
 * GPU calculates.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "tool/export/formats.h"
#include "tool/export/look_up.h"
#include "tool/print/json.h"

#include <hwloc/gpucache.h>

#include <errno.h>
#include <limits.h>

/* The bandwidth of an element in both directions. */
static const struct direction {
  const char *gbps, *per_cycle, *source, *confidence;
} directions[] = {
    {"ReadGBps", "ReadBytesPerCycle", "ReadSource", "ReadConfidence"},
    {"WriteGBps", "WriteBytesPerCycle", "WriteSource", "WriteConfidence"},
};

/* Adds the bandwidth of an element, if it has one. per_gpu: 10^9 cycles of all SMs in a second. */
static bool add_bandwidth(const struct gc_element *element, const struct direction *row,
                          double per_gpu, json_t **ceiling)
{
  const char *source = gc_infos_get(&element->infos, row->source);
  double gbps, confidence;

  if (!gc_real(element, row->gbps, &gbps)) {
    if (!gc_real(element, row->per_cycle, &gbps))
      return false;
    gbps *= per_gpu;
  }
  gc_json_set_real(ceiling, row->gbps, gbps);
  if (source)
    gc_json_set_text(ceiling, row->source, source);
  if (gc_real(element, row->confidence, &confidence))
    gc_json_set_real(ceiling, row->confidence, confidence);
  return true;
}

static json_t *ceilings(const struct gc_record *record, double per_gpu)
{
  json_t *array = json_array();

  for (size_t i = 0; i < record->count; i++) {
    json_t *ceiling = json_object();
    bool any = false;

    gc_json_set_text(&ceiling, "element", gc_kinds[record->elements[i].kind].subtype);
    for (size_t k = 0; k < sizeof directions / sizeof *directions; k++)
      any |= add_bandwidth(&record->elements[i], &directions[k], per_gpu, &ceiling);
    if (any)
      gc_json_add(&array, ceiling);
    else
      json_decref(ceiling);
  }
  return array;
}

int gc_format_roofline(const struct gc_record *record, const char *gpu, FILE *out,
                       struct gc_error *err)
{
  struct gc_missing missing = {""};
  const uint64_t sms = gc_fact(record, "SMs", INT_MAX, &missing);
  const uint64_t mhz = gc_fact(record, "MeasuredSMClockMHz", INT_MAX, &missing);
  json_t *root = json_object();
  int status = gc_missing_status(&missing, "roofline", err);

  (void)gpu;
  gc_json_set_text(&root, "model", record->identity.model);
  gc_json_set_text(&root, "id", record->identity.id);
  gc_json_set_whole(&root, "MeasuredSMClockMHz", mhz);
  gc_json_set(&root, "ceilings", ceilings(record, (double)sms * (double)mhz / 1e3));
  gc_json_set(&root, "peaks", json_array());
  if (!status && (!root || json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(6))))
    status = gc_fail(err, -ENOMEM, "out of memory");
  if (!status)
    fputc('\n', out);
  json_decref(root);
  return status;
}
