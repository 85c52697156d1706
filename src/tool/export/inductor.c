/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An entry for the table of GPUs in PyTorch's torch/_inductor/analysis/device_info.py: Python code.
 * That table has the bandwidth and the size of device memory, and peaks, which no vendor's
 * interface states. Clock and shared memory, which it does not have, are comments.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "tool/export/formats.h"
#include "tool/export/look_up.h"

#include <hwloc/gpucache.h>

#include <inttypes.h>
#include <limits.h>

#define GIB 1073741824.

/* A string of Python. The text has no control characters. */
static void put_string(const char *text, FILE *out)
{
  fputc('"', out);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\')
      fputc('\\', out);
    fputc(*text, out);
  }
  fputc('"', out);
}

static void put_comments(const struct gc_record *record, FILE *out)
{
  const struct gc_element *shared = gc_record_find(record, GC_SHARED_MEMORY);
  const uint64_t mhz = gc_fact(record, "MeasuredSMClockMHz", INT_MAX, NULL);
  const uint64_t of_block = gc_fact(record, "SharedBytesPerBlock", INT_MAX, NULL);
  uint64_t of_sm;

  if (!shared)
    shared = gc_record_find(record, GC_LDS);
  if (mhz)
    fprintf(out, "# SM clock: %" PRIu64 " MHz during the measurement\n", mhz);
  if (gc_whole(shared, HWLOC_GPUCACHE_CAPACITY_BYTES, &of_sm))
    fprintf(out, "# shared memory: %" PRIu64 " bytes of an SM\n", of_sm);
  if (of_block)
    fprintf(out, "# shared memory: %" PRIu64 " bytes of a block at most\n", of_block);
}

int gc_format_inductor(const struct gc_record *record, const char *gpu, FILE *out,
                       struct gc_error *err)
{
  const struct gc_element *memory = gc_record_find(record, GC_DEVICE_MEMORY);
  const char *gbps = gc_number_text(memory, HWLOC_GPUCACHE_READ_GBPS);
  struct gc_missing missing = {""};
  uint64_t bytes = 0;
  int status;

  (void)gpu;
  if (!record->identity.model[0])
    gc_missing_add(&missing, "GPUCacheModel");
  if (!gbps)
    gc_missing_add(&missing, "ReadGBps of DeviceMemory");
  if (!gc_whole(memory, HWLOC_GPUCACHE_CAPACITY_BYTES, &bytes))
    gc_missing_add(&missing, "CapacityBytes of DeviceMemory");
  status = gc_missing_status(&missing, "inductor", err);
  if (status)
    return status;

  fputs(
      "# An entry for _device_mapping in torch/_inductor/analysis/device_info.py, written by\n"
      "# hwloc-gpucache export. tops is empty, because no interface of a driver states them: add\n"
      "# those of the vendor's data sheet.\n",
      out);
  put_comments(record, out);
  put_string(record->identity.model, out);
  fprintf(out, ": DeviceInfo(\n    tops={},\n    dram_bw_gbs=%s,  # ", gbps);
  gc_put_origin(memory, HWLOC_GPUCACHE_DEVICE_MEMORY, HWLOC_GPUCACHE_READ_GBPS, "Read", out);
  fprintf(out, "\n    dram_gb=%.1f,  # GiB; ", (double)bytes / GIB);
  gc_put_origin(memory, HWLOC_GPUCACHE_DEVICE_MEMORY, HWLOC_GPUCACHE_CAPACITY_BYTES, "Capacity",
                out);
  fputs("\n),\n", out);
  return 0;
}
