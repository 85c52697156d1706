/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/readers.h"

#include "measure/known.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>

#define LINE 128
#define LOADS 64
#define LOADS_MIN 24

/* Why there can be no such experiment here; NULL: there can. */
static const char *problem(const struct gc_readers *r)
{
  const uint64_t l2 = r->bench->properties.l2_bytes, bytes = r->slots * LINE;

  if (!l2)
    return "the driver does not tell the size of the L2";
  if (bytes > l2 / 4 || r->slots > GC_TRACE_MAX)
    return "there are too many SMs for so small an L2";
  if (r->most * bytes + 2 * l2 > r->bench->arena_bytes)
    return "too little free device memory";
  if (r->bench->sm_count < r->sms)
    return "the blocks of a launch did not spread over all SMs";
  return NULL;
}

/* The lines of each reader are its own, laid as a ring in scattered order; then nothing of them
 * is left in L2. */
static int lay(struct gc_readers *r)
{
  struct gc_bench *bench = r->bench;
  const uint64_t bytes = r->slots * LINE, used = r->most * bytes;
  struct gpu_fill_args ring = {.count = r->slots, .stride = LINE, .multiplier = r->scatter,
                               .step = LINE, .slot_bytes = 8};

  for (size_t reader = 0; reader < r->most; reader++) {
    int status;

    ring.base = ring.first = bench->arena + reader * bytes;
    status = gc_bench_launch(bench, GC_KERNEL_fill, r->sms, 256, 0, &ring, sizeof(ring));
    if (status)
      return status;
  }
  return gc_fill_l2(bench, used, 2 * bench->properties.l2_bytes, LINE, 1);
}

int gc_readers_observe(struct gc_readers *r, uint32_t reader, const char **absent)
{
  struct gc_bench *bench = r->bench;
  const uint64_t bytes = r->slots * LINE, offset = r->count * bytes;
  int status = gc_bench_touch(bench, offset, bytes, 1, bench->sm_numbers[reader]);

  for (uint64_t i = 0; i < r->sms; i++)
    r->starts[i] = bench->arena + offset + i * r->loads * r->scatter % r->slots * LINE;
  if (!status)
    status = gc_bench_trace(bench, gc_path_of(GC_L2), r->starts, r->sms, 0, r->loads, r->trace);
  if (status)
    return status;
  for (uint32_t sm = 0; sm < r->sms; sm++)
    *gc_readers_loads(r, r->count, sm) = -1;
  for (uint32_t i = 0; i < r->sms; i++) {
    const uint32_t sm = gc_sm_index(bench, bench->results[i].sm);

    for (uint32_t k = 0; k < r->loads && sm < r->sms; k++)
      gc_readers_loads(r, r->count, sm)[k] = r->trace[i * r->loads + k] - bench->window_cycles;
  }
  for (uint32_t sm = 0; sm < r->sms; sm++) {
    if (*gc_readers_loads(r, r->count, sm) < 0)
      *absent = "the blocks of a launch did not spread over all SMs";
    gc_sort(gc_readers_loads(r, r->count, sm), r->loads);
  }
  r->readers[r->count++] = reader;
  return 0;
}

int gc_readers_new(struct gc_bench *bench, struct gc_readers *r, size_t most, const char **absent)
{
  const uint64_t l2 = bench->properties.l2_bytes;
  int status = gc_call_sms(bench);

  *r = (struct gc_readers){.bench = bench, .sms = bench->properties.sms, .loads = LOADS, .most = most};
  if (status)
    return status;
  /* a reader's lines take little of a partition, and those of all SMs fit a trace */
  while (r->loads > LOADS_MIN &&
         ((uint64_t)r->sms * r->loads * LINE > l2 / 8 || r->sms * r->loads > GC_TRACE_MAX))
    r->loads--;
  r->slots = (uint64_t)r->sms * r->loads;
  r->scatter = gc_bench_scatter(r->slots);
  if ((*absent = problem(r)))
    return -ENOTSUP;
  r->trace = malloc(r->slots * sizeof(*r->trace));
  r->starts = malloc(r->sms * sizeof(*r->starts));
  r->seen = malloc(most * r->slots * sizeof(*r->seen));
  if (!r->trace || !r->starts || !r->seen)
    return gc_fail(bench->err, -ENOMEM, "out of memory");
  return lay(r);
}

void gc_readers_free(struct gc_readers *r)
{
  free(r->seen);
  free(r->starts);
  free(r->trace);
}
