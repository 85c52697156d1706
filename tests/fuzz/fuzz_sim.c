/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzz target: what the plugin itself reads of a profile, the driver tables of a simulated GPU.
 */
#include "fuzz.h"

#include "gpus/sim_tables.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct gc_gpu gpu = {.vendor = GC_VENDOR_SIM, .identity = {.id = "sim-one"}};
  char *text = strndup((const char *)data, size);

  PROMISE(text && !gc_gpus_read_sim_tables(&gpu, text));
  PROMISE(!gpu.problem[0] || !gpu.tables);
  PROMISE(memchr(gpu.problem, '\0', sizeof(gpu.problem)));
  PROMISE(is_one_line(gpu.gfx));
  gc_record_free(gpu.tables);
  free(text);
  return 0;
}
