/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/memsets.h"

#include <inttypes.h>
#include <string.h>

static void add(struct gc_trace_touched *touched, uint64_t address, uint64_t bytes, bool stored)
{
  if (!address || !bytes)
    return;
  if (touched->count == GC_TRACE_MOST_TOUCHED)
    memmove(touched->ranges, touched->ranges + 1, --touched->count * sizeof *touched->ranges);
  touched->ranges[touched->count++] = (struct gc_trace_range){address, bytes, stored};
}

void gc_touched_by_memset(struct gc_trace_touched *touched, const Sanitizer_MemsetData *data)
{
  const uint64_t row = data->width * data->elementSize;

  /* with what is between the rows, if there are several */
  add(touched, data->address, row + (data->height > 1 ? (data->height - 1) * data->pitch : 0), true);
}

void gc_touched_by_copy(struct gc_trace_touched *touched, const Sanitizer_MemcpyData *data)
{
  if (data->direction != SANITIZER_MEMCPY_DIRECTION_DEVICE_TO_DEVICE)
    return;
  add(touched, data->srcAddress, data->size, false);
  add(touched, data->dstAddress, data->size, true);
}

void gc_touched_write(const struct gc_trace_touched *touched, FILE *file)
{
  for (unsigned i = 0; i < touched->count; i++)
    fprintf(file, "%s %" PRIx64 " %" PRIu64 "\n",
            touched->ranges[i].stored ? "driver-store" : "driver-load", touched->ranges[i].address,
            touched->ranges[i].bytes);
}
