/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/memsets.h"

#include <inttypes.h>
#include <string.h>

static void add(struct gc_trace_touched *touched, uint64_t address, uint64_t bytes, bool stored)
{
  if (!touched || !address || !bytes)
    return;
  if (touched->count == GC_TRACE_MOST_TOUCHED)
    memmove(touched->ranges, touched->ranges + 1, --touched->count * sizeof *touched->ranges);
  touched->ranges[touched->count++] = (struct gc_trace_range){address, bytes, stored};
}

/* bytes: of all rows; the result is with what is between them. The slices of a copy follow each
 * other like rows. */
static uint64_t extent(uint64_t bytes, uint64_t height, uint64_t depth, uint64_t pitch)
{
  const uint64_t rows = (height ? height : 1) * (depth ? depth : 1);

  return rows > 1 ? bytes / rows + (rows - 1) * pitch : bytes;
}

void gc_touched_by_memset(struct gc_trace_touched *touched, const Sanitizer_MemsetData *data)
{
  const uint64_t bytes = data->width * (data->height ? data->height : 1) * data->elementSize;

  add(touched, data->address, extent(bytes, data->height, 1, data->pitch), true);
}

void gc_touched_by_copy(struct gc_trace_touched *from, struct gc_trace_touched *to,
                        const Sanitizer_MemcpyData *data)
{
  if (data->direction != SANITIZER_MEMCPY_DIRECTION_DEVICE_TO_DEVICE)
    return;
  add(from, data->srcAddress, extent(data->size, data->height, data->depth, data->srcPitch), false);
  add(to, data->dstAddress, extent(data->size, data->height, data->depth, data->dstPitch), true);
}

void gc_touched_write(const struct gc_trace_touched *touched, FILE *file)
{
  for (unsigned i = 0; i < touched->count; i++)
    fprintf(file, "%s %" PRIx64 " %" PRIu64 "\n",
            touched->ranges[i].stored ? "driver-store" : "driver-load", touched->ranges[i].address,
            touched->ranges[i].bytes);
}
