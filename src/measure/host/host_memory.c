/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of the host's NUMA nodes as the GPU reaches it: latency, what the SMs read and store, what
 * the copy engines move. Pages of one node after the other are pinned for that, and released at
 * once. doc/methods.md, "Host memory".
 */
#include "measure/host/host.h"

#include "measure/core/step_memory.h"
#include "measure/walk/chase.h"
#include "measure/walk/ring.h"
#include "measure/walk/sweep.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

/* Pinned at a time. Twice or four times as much gives the same bandwidths within 1 % on an H100
 * behind PCIe 5.0, and pinning takes most of the time. */
#define BYTES (8u << 20)
/* Other programs use the host, too, so single repetitions differ by several percent; stores are
 * not waited for, and differ less. */
#define REPEATS 11
#define WRITE_REPEATS 9
#define COPY_REPEATS 9
#define SHORT                                                                                      \
  4 /* a copy is compared with one of this share, because starting a copy takes time               \
     */
#define TOLERANCE 0.03
#define SURE_ENOUGH 0.8
/* Several SMs load at the same time. So the way to the host is not idle, as it is not in programs:
 * an idle one may save power, and then answers late. On an H100 it makes no difference. */
#define CHAINS 8
#define LOADS 48 /* of each chain, in one repetition */
#define PARTS                                                                                      \
  (REPEATS + 2)     /* of a chain: the first and the last one do not count, because the SMs        \
                       begin and end at different times, and then fewer of them load */
#define STRIDE 512u /* bytes between lines of the chains: no fetch brings in two of them */

enum what { READ, WRITE, COPY_TO, COPY_FROM, COPY_BOTH, LATENCY, WHATS };

static const struct {
  enum gc_property property;
  size_t values; /* in struct gc_measured */
  const char *raw;
  uint32_t repeats;
} whats[WHATS] = {
    [READ] = {GC_HOST_READ, offsetof(struct gc_measured, host_read), "read, GB/s", REPEATS},
    [WRITE] = {GC_HOST_WRITE, offsetof(struct gc_measured, host_write), "write, GB/s",
               WRITE_REPEATS},
    [COPY_TO] = {GC_HOST_COPY_TO, offsetof(struct gc_measured, host_copy_to), "copy to, GB/s",
                 COPY_REPEATS},
    [COPY_FROM] = {GC_HOST_COPY_FROM, offsetof(struct gc_measured, host_copy_from),
                   "copy from, GB/s", COPY_REPEATS},
    [COPY_BOTH] = {GC_HOST_COPY_BOTH, offsetof(struct gc_measured, host_copy_both),
                   "copy both ways, GB/s", COPY_REPEATS},
    [LATENCY] = {GC_HOST_LATENCY, offsetof(struct gc_measured, host_latency), "latency, ns",
                 REPEATS},
};

struct search {
  struct gc_measurement *m;
  uint64_t host, device; /* BYTES each */
  uint32_t chains;
  uint64_t *starts;
  uint32_t *trace;
  double *cycles;
  double confidence[WHATS]; /* of the least sure node so far */
  char why[WHATS][160];     /* why the last node without a value has none; empty: all have one */
};

/* Chains of lines that nothing has loaded before: all repetitions of all SMs are parts of one. Lines
 * can be near or far on the way inside the host, too, so the value is the mean of the quartiles, as of
 * device memory. */
static int measure_latency(struct search *s, double values[REPEATS])
{
  struct gc_bench *bench = &s->m->bench;
  const uint64_t lines = BYTES / STRIDE, scatter = gc_ring_scatter(lines);
  const struct gpu_fill_args args = {.base = s->host,
                                     .count = lines,
                                     .stride = STRIDE,
                                     .multiplier = scatter,
                                     .first = s->host,
                                     .step = STRIDE,
                                     .slot_bytes = GC_SLOT_BYTES};
  const struct gc_traced traced = {.starts = s->starts, .n = s->chains, .loads = PARTS * LOADS};
  int status;

  for (uint64_t i = 0; i < s->chains; i++)
    s->starts[i] = s->host + i * PARTS * LOADS * scatter % lines * STRIDE;
  status = gc_bench_launch(bench, GC_KERNEL_fill, bench->properties.sms, 256, 0, &args);
  if (!status)
    status = gc_chase_trace(bench, gc_path_of(GC_L2), &traced, s->trace);
  for (uint32_t r = 0; r < REPEATS && !status; r++) {
    size_t n = 0;

    for (uint32_t i = 0; i < s->chains; i++)
      for (uint32_t k = 0; k < LOADS; k++)
        s->cycles[n++] = s->trace[(i * PARTS + r + 1) * LOADS + k];
    values[r] = (gc_midhinge(s->cycles, n) - s->m->results->overhead.cycles) * 1e3 / bench->mhz;
  }
  return status;
}

static int measure_sweep(struct search *s, enum what what, double values[REPEATS])
{
  int status = 0;

  for (uint32_t r = 0; r < whats[what].repeats && !status; r++) {
    double ns;

    status = gc_sweep(&s->m->bench, s->host, BYTES, what == WRITE ? r + 1 : 0, &ns);
    values[r] = !status && ns > 0 ? BYTES / ns : 0;
  }
  return status;
}

/* n copies of so many bytes at the same time. */
static int copy(struct gc_bench *bench, const struct gc_copy *to_from, uint32_t n, uint64_t bytes,
                double *ns)
{
  struct gc_copy copies[GC_COPIES_AT_ONCE];

  for (uint32_t i = 0; i < n; i++)
    copies[i] = (struct gc_copy){to_from[i].to, to_from[i].from, bytes};
  return bench->ops->copy(bench->device, copies, n, ns, bench->err);
}

static int measure_copies(struct search *s, enum what what, double values[REPEATS])
{
  struct gc_bench *bench = &s->m->bench;
  const uint32_t n = what == COPY_BOTH ? 2 : 1, repeats = whats[what].repeats;
  /* if there are two, each has its own half */
  const struct gc_copy to = {.to = s->device, .from = s->host};
  const struct gc_copy from = {.to = s->host + BYTES - BYTES / n,
                               .from = s->device + BYTES - BYTES / n};
  const struct gc_copy to_from[GC_COPIES_AT_ONCE] = {what == COPY_FROM ? from : to, from};
  double parts[REPEATS] = {0}, part;
  int status = 0;

  for (uint32_t r = 0; r < repeats && !status; r++)
    if (!(status = copy(bench, to_from, n, BYTES / n / SHORT, &parts[r])))
      status = copy(bench, to_from, n, BYTES / n, &values[r]);
  part = gc_median(parts, repeats);
  for (uint32_t r = 0; r < repeats && !status; r++)
    values[r] = values[r] > part ? BYTES * (1 - 1.0 / SHORT) / (values[r] - part) : 0;
  return status;
}

static int measure(struct search *s, enum what what, double values[REPEATS])
{
  switch (what) {
  case LATENCY:
    return measure_latency(s, values);
  case READ:
  case WRITE:
    return measure_sweep(s, what, values);
  default:
    return measure_copies(s, what, values);
  }
}

/* The value of one node, if repetitions agree. */
static void conclude(struct search *s, struct gc_measured *element, enum what what, uint32_t node,
                     double values[REPEATS])
{
  struct gc_by_node *all = (struct gc_by_node *)((char *)element + whats[what].values);
  const uint32_t repeats = whats[what].repeats;
  double value, confidence;

  for (uint32_t r = 0; r < repeats; r++)
    gc_raw_row(s->m->bench.raw, "NUMA node\twhat\tvalue", (double[]){node, what, values[r]});
  gc_raw_note(s->m->bench.raw, whats[what].raw, what);
  gc_sort(values, repeats);
  value = gc_median(values, repeats);
  confidence = gc_median_confidence(values, repeats, value, TOLERANCE * value);
  if (what == LATENCY)
    confidence *= s->m->results->overhead.confidence;
  if (!(value > 0)) {
    snprintf(s->why[what], sizeof(s->why[what]), "NUMA node %u: a clock did not advance", node);
  } else if (confidence < SURE_ENOUGH) {
    snprintf(s->why[what], sizeof(s->why[what]),
             "NUMA node %u: %u repetitions lie between %.4g and %.4g, too few of them within %g %% "
             "of their median",
             node, repeats, values[0], values[repeats - 1], 100 * TOLERANCE);
  } else {
    all->node[all->count] = node;
    all->value[all->count++] = value;
    s->confidence[what] = fmin(s->confidence[what], confidence);
  }
}

/* A node without free memory, or whose memory the driver does not pin, has no values; others may
 * have. */
static int measure_node(struct search *s, struct gc_measured *element, uint32_t node)
{
  struct gc_bench *bench = &s->m->bench;
  double values[REPEATS];
  int status = bench->ops->alloc_on_node(bench->device, BYTES, node, &s->host, bench->err);

  if (status == -ENOMEM || status == -ENOTSUP || status == -EINVAL) {
    for (int what = 0; what < WHATS; what++)
      snprintf(s->why[what], sizeof(s->why[what]), "%.159s", bench->err->text);
    return 0;
  }
  /* stores would destroy the chains */
  for (int i = 0; i < WHATS && !status; i++) {
    const enum what what = (enum what)((LATENCY + i) % WHATS);

    if (!(status = measure(s, what, values)))
      conclude(s, element, what, node, values);
  }
  bench->ops->release(bench->device, s->host);
  return status;
}

/* The nearest nodes are the memory of an integrated GPU: what is known of DeviceMemory is true of
 * them, and no link lies between. */
static const char *drop_own_nodes(struct gc_host_node *nodes, uint32_t *count)
{
  uint32_t n = 0;

  for (uint32_t i = 0; i < *count; i++)
    if (nodes[i].distance > GC_HOST_NEAREST)
      nodes[n++] = nodes[i];
  *count = n;
  return n ? NULL : "the GPU is integrated: its DeviceMemory is the memory of the host";
}

/* Why there is nothing to measure; NULL: there is. */
static const char *find_nodes(struct gc_bench *bench, struct gc_host_node nodes[GC_HOST_NODES_MAX],
                              uint32_t *count)
{
  *count = 0;
  if (!bench->ops->host_nodes)
    return "this program cannot measure host memory with the library of this vendor";
  if (bench->ops->host_nodes(bench->device, nodes, count, bench->err))
    return bench->err->text;
  if (!*count)
    return "this process may not allocate on any NUMA node";
  return bench->properties.integrated ? drop_own_nodes(nodes, count) : NULL;
}

int gc_step_host_memory(struct gc_measurement *m, struct gc_measured *element)
{
  struct gc_bench *bench = &m->bench;
  const uint32_t sms = bench->properties.sms;
  struct search *s = gc_step_alloc(bench, 1, sizeof(*s));
  struct gc_host_node nodes[GC_HOST_NODES_MAX];
  uint32_t count;
  const char *why = find_nodes(bench, nodes, &count);
  int status;

  _Static_assert(GC_HOST_NODES_MAX <= GC_NODES_MAX, "a result has a place for each node");
  if (why)
    return gc_no_value(bench, why);
  if (!s)
    return -ENOMEM;
  s->m = m;
  s->chains = sms < CHAINS ? sms : CHAINS;
  s->starts = gc_step_alloc(bench, s->chains, sizeof(*s->starts));
  s->trace = gc_step_alloc(bench, (size_t)s->chains * PARTS * LOADS, sizeof(*s->trace));
  s->cycles = gc_step_alloc(bench, (size_t)s->chains * LOADS, sizeof(*s->cycles));
  if (!s->starts || !s->trace || !s->cycles)
    return -ENOMEM;
  if ((status = bench->ops->alloc(bench->device, BYTES, &s->device, bench->err)))
    return status;
  for (int what = 0; what < WHATS; what++)
    s->confidence[what] = 1;
  for (uint32_t i = 0; i < count && !status; i++)
    status = measure_node(s, element, nodes[i].number);
  bench->ops->release(bench->device, s->device);
  for (int what = 0; what < WHATS && !status; what++) {
    const struct gc_by_node *all = (struct gc_by_node *)((char *)element + whats[what].values);

    if (all->count)
      gc_set_measured(element, whats[what].property, s->confidence[what]);
    else
      gc_set_absent(element, whats[what].property, s->why[what]);
  }
  return status;
}
