/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The latency of loads from memory outside of the GPU, what the SMs read and store there, and what
 * the copy engines move.
 */
#include "measure/host/outside.h"

#include "measure/core/step_memory.h"
#include "measure/walk/chase.h"
#include "measure/walk/cold_pages.h"
#include "measure/walk/sweep.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

/* Other programs use the connection, too, so single repetitions differ by several percent. */
#define REPEATS 9
#define LATENCY_REPEATS 11
/* Copies in the two directions do not begin together, so they are longer: several in a row. */
#define BOTH_REPEATS 7
#define BOTH_AGAIN 2
#define MOST_REPEATS 11
#define PART_REPEATS 5 /* of the shorter copy, whose median counts */
#define TOLERANCE 0.03
#define SURE_ENOUGH 0.8
#define TRIES 2 /* if repetitions disagree, because others used the connection for a moment */
/* Several SMs load at the same time. So the way is not idle, as it is not in programs: an idle one
 * may save power, and then answers late. On an H100 it makes no difference. */
#define CHAINS 8
#define LOADS 39 /* of each chain, in one repetition */
/* Parts of a chain. SMs begin and end at different times, so fewer of them load in the first part
 * and in the last one. These two do not count. */
#define PARTS (LATENCY_REPEATS + 2)
/* Both chains go through all pages. Each atomic operation is so many bytes behind a load that
 * no fetch brings in the lines of both. */
#define PAGES (GC_OUTSIDE_LEAST / GC_PAGE - 1)
#define CHAIN_PAGES ((PARTS * LOADS + GC_OF_PAGE - 1) / GC_OF_PAGE)
#define ATOMICS_BEHIND (GC_PAGE / GC_OF_PAGE / 2)

static const struct {
  const char *raw;
  uint32_t repeats;
} whats[GC_OUTSIDE_WHATS] = {
    [GC_OUTSIDE_READ] = {"read, GB/s", REPEATS},
    [GC_OUTSIDE_WRITE] = {"write, GB/s", REPEATS},
    [GC_OUTSIDE_COPY_TO] = {"copy to, GB/s", REPEATS},
    [GC_OUTSIDE_COPY_FROM] = {"copy from, GB/s", REPEATS},
    [GC_OUTSIDE_COPY_BOTH] = {"copy both ways, GB/s", BOTH_REPEATS},
    [GC_OUTSIDE_LATENCY] = {"latency, ns", LATENCY_REPEATS},
    [GC_OUTSIDE_ATOMIC] = {"atomic latency, ns", LATENCY_REPEATS},
};

/* Atomic operations that the CPU sees as atomic, too. */
static const struct gc_path system_path = {.space = GC_ADDRESS_GLOBAL,
                                           .chase = GC_KERNEL_chase_system};

static bool is_latency(enum gc_outside_what what)
{
  return what == GC_OUTSIDE_LATENCY || what == GC_OUTSIDE_ATOMIC;
}

/* Where the chain of loads begins, or that of atomic operations. */
static uint64_t chain_of(const struct gc_outside *o, bool atomic)
{
  return o->address + (atomic ? ATOMICS_BEHIND : 0);
}

static int lay_chains(struct gc_outside *o)
{
  int status = gc_page_chain_lay(&o->m->bench, chain_of(o, false), PAGES);

  if (!status && o->values[GC_OUTSIDE_ATOMIC].property != GC_PROPERTY_COUNT && !o->no_atomics)
    status = gc_page_chain_lay(&o->m->bench, chain_of(o, true), PAGES);
  return status;
}

/* The chains lead through lines that nothing has loaded before: all repetitions of all SMs are
 * parts of one. The first load of a page may wait for its translation, which the GPU has to ask the
 * host for, so it does not count. Lines can be near or far there, too, so the value is the mean of
 * the quartiles. */
static int measure_latency(struct gc_outside *o, enum gc_outside_what what, uint32_t again,
                           double values[MOST_REPEATS])
{
  struct gc_bench *bench = &o->m->bench;
  const bool atomic = what == GC_OUTSIDE_ATOMIC;
  const struct gc_path *path = atomic ? &system_path : gc_path_of(GC_L2);
  const struct gc_traced traced = {.starts = o->starts, .n = o->chains, .loads = PARTS * LOADS};
  int status;

  _Static_assert(TRIES * CHAINS * CHAIN_PAGES <= PAGES, "no line is in two chains");
  for (uint64_t i = 0; i < o->chains; i++)
    o->starts[i] =
        gc_page_chain_at(chain_of(o, atomic), PAGES, (again * o->chains + i) * CHAIN_PAGES);
  status = gc_chase_trace(bench, path, &traced, o->trace);
  for (uint32_t r = 0; r < LATENCY_REPEATS && !status; r++) {
    size_t n = 0;

    for (uint32_t i = 0; i < o->chains; i++)
      for (uint32_t k = (r + 1) * LOADS; k < (r + 2) * LOADS; k++)
        if (k % GC_OF_PAGE)
          o->cycles[n++] = o->trace[i * PARTS * LOADS + k];
    values[r] = (gc_midhinge(o->cycles, n) - o->m->results->overhead.cycles) * 1e3 / bench->mhz;
  }
  return status;
}

static int measure_sweep(struct gc_outside *o, enum gc_outside_what what,
                         double values[MOST_REPEATS])
{
  int status = 0;

  for (uint32_t r = 0; r < whats[what].repeats && !status; r++) {
    const struct gc_sweeping sweep = {o->address, o->bytes, what == GC_OUTSIDE_WRITE ? r + 1 : 0,
                                      0};
    double ns;

    status = gc_sweep(&o->m->bench, &sweep, &ns);
    values[r] = !status && ns > 0 ? (double)o->bytes / ns : 0;
  }
  return status;
}

/* How much one timed copy moves. */
struct amount {
  uint64_t bytes;
  uint32_t again;
};

/* If in both directions, each has its own half of the memory. */
static int copy(struct gc_outside *o, enum gc_outside_what what, struct amount amount, double *ns)
{
  struct gc_bench *bench = &o->m->bench;
  const uint64_t half = what == GC_OUTSIDE_COPY_BOTH ? o->copy_bytes / 2 : 0;
  const struct gc_copy to = {o->device, o->address, amount.bytes, amount.again},
                       from = {o->address + half, o->device + half, amount.bytes, amount.again};
  const struct gc_copy copies[GC_COPIES_AT_ONCE] = {what == GC_OUTSIDE_COPY_FROM ? from : to, from};

  return bench->ops->copy(bench->device, copies, half ? 2 : 1, ns, bench->err);
}

/* The difference of two amounts, because starting a copy takes time. */
static int measure_copies(struct gc_outside *o, enum gc_outside_what what,
                          double values[MOST_REPEATS])
{
  const bool both = what == GC_OUTSIDE_COPY_BOTH;
  const uint32_t n = both ? 2 : 1, repeats = whats[what].repeats;
  const struct amount all = {o->copy_bytes / n, both ? BOTH_AGAIN : 0};
  const struct amount few = {both ? all.bytes : all.bytes / o->copy_share, 0};
  const double moved = (double)n * (double)((1 + all.again) * all.bytes - few.bytes);
  double parts[PART_REPEATS] = {0}, part;
  int status = 0;

  for (uint32_t r = 0; r < repeats && !status; r++) {
    if (r < PART_REPEATS)
      status = copy(o, what, few, &parts[r]);
    if (!status)
      status = copy(o, what, all, &values[r]);
  }
  part = gc_median(parts, PART_REPEATS);
  for (uint32_t r = 0; r < repeats && !status; r++)
    values[r] = values[r] > part ? moved / (values[r] - part) : 0;
  return status;
}

/* again: the number of earlier tries at this place. */
static int measure(struct gc_outside *o, enum gc_outside_what what, uint32_t again,
                   double values[MOST_REPEATS])
{
  switch (what) {
  case GC_OUTSIDE_LATENCY:
  case GC_OUTSIDE_ATOMIC:
    return measure_latency(o, what, again, values);
  case GC_OUTSIDE_READ:
  case GC_OUTSIDE_WRITE:
    return measure_sweep(o, what, values);
  default:
    return measure_copies(o, what, values);
  }
}

/* Keeps the value of place `number` if repetitions agree. Returns whether they do. */
static bool conclude(struct gc_outside *o, struct gc_measured *element, enum gc_outside_what what,
                     uint32_t number, double values[MOST_REPEATS])
{
  struct gc_by_node *all = (struct gc_by_node *)((char *)element + o->values[what].at);
  const uint32_t repeats = whats[what].repeats;
  char *why = o->why[what];
  double value, confidence;

  for (uint32_t r = 0; r < repeats; r++)
    gc_raw_row(o->m->bench.raw, o->columns, (double[]){number, what, values[r]});
  gc_raw_note(o->m->bench.raw, whats[what].raw, what);
  gc_sort(values, repeats);
  value = gc_median(values, repeats);
  confidence = gc_median_confidence(values, repeats, value, TOLERANCE * value);
  if (is_latency(what))
    confidence *= o->m->results->overhead.confidence;
  if (!(value > 0)) {
    snprintf(why, sizeof(o->why[what]), "%s: a clock did not advance", o->name);
  } else if (confidence < SURE_ENOUGH) {
    snprintf(why, sizeof(o->why[what]),
             "%s: %u repetitions lie between %.4g and %.4g, too few of them within %g %% of their "
             "median",
             o->name, repeats, values[0], values[repeats - 1], 100 * TOLERANCE);
  } else {
    all->node[all->count] = number;
    all->value[all->count++] = value;
    o->confidence[what] = fmin(o->confidence[what], confidence);
    return true;
  }
  return false;
}

int gc_outside_begin(struct gc_outside *o, struct gc_measurement *m)
{
  struct gc_bench *bench = &m->bench;
  const uint32_t sms = bench->properties.sms;

  o->m = m;
  o->chains = sms < CHAINS ? sms : CHAINS;
  o->starts = gc_step_alloc(bench, o->chains, sizeof(*o->starts));
  o->trace = gc_step_alloc(bench, (size_t)o->chains * PARTS * LOADS, sizeof(*o->trace));
  o->cycles = gc_step_alloc(bench, (size_t)o->chains * LOADS, sizeof(*o->cycles));
  for (int what = 0; what < GC_OUTSIDE_WHATS; what++)
    o->confidence[what] = 1;
  return o->starts && o->trace && o->cycles
             ? bench->ops->alloc(bench->device, o->copy_bytes, &o->device, bench->err)
             : -ENOMEM;
}

void gc_outside_none(struct gc_outside *o, const char *why)
{
  for (int what = 0; what < GC_OUTSIDE_WHATS; what++)
    snprintf(o->why[what], sizeof(o->why[what]), "%.159s", why);
}

int gc_outside_measure(struct gc_outside *o, struct gc_measured *element, uint32_t number,
                       bool by_kernels)
{
  double values[MOST_REPEATS];
  int status = by_kernels ? lay_chains(o) : 0;

  /* latencies first: stores destroy the chains */
  for (int i = 0; i < GC_OUTSIDE_WHATS && !status; i++) {
    const enum gc_outside_what what =
        (enum gc_outside_what)((GC_OUTSIDE_LATENCY + i) % GC_OUTSIDE_WHATS);
    const bool copies = !is_latency(what) && what != GC_OUTSIDE_READ && what != GC_OUTSIDE_WRITE;

    if (o->values[what].property == GC_PROPERTY_COUNT || (!by_kernels && !copies))
      continue;
    if (what == GC_OUTSIDE_ATOMIC && o->no_atomics) {
      snprintf(o->why[what], sizeof(o->why[what]), "%s", o->no_atomics);
      continue;
    }
    for (uint32_t k = 0; k < TRIES && !(status = measure(o, what, k, values)); k++)
      if (conclude(o, element, what, number, values))
        break;
  }
  return status;
}

void gc_outside_end(struct gc_outside *o, struct gc_measured *element, int status)
{
  o->m->bench.ops->release(o->m->bench.device, o->device);
  for (int what = 0; what < GC_OUTSIDE_WHATS && !status; what++) {
    const struct gc_outside_value *value = &o->values[what];
    const struct gc_by_node *all = (struct gc_by_node *)((char *)element + value->at);

    if (value->property == GC_PROPERTY_COUNT)
      continue;
    if (all->count)
      gc_set_measured(element, value->property, o->confidence[what]);
    else
      gc_set_absent(element, value->property, o->why[what]);
  }
}
