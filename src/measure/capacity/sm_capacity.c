/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The capacity of a cache inside the SM: the change-point search (search.h). Arrays of many sizes
 * are walked in one launch, each on an SM of its own. doc/methods.md, "Capacity".
 */
#include "measure/capacity/capacity.h"
#include "measure/capacity/search.h"
#include "measure/walk/chase.h"
#include "measure/walk/first_touch.h"

#include <errno.h>

/* If SMs share the cache, arrays are walked one at a time: few sizes and repeats. */
#define ALONE_SIZES 17
#define ALONE_REPEATS 2
#define ALONE_CONFIRM 16
/* Share of SMs that must be the first at a cache if each has its own; some may be disturbed. */
#define OWN_SHARE 0.9

#define KIB(n) ((uint64_t)(n) << 10)

#define IN_SM .sizes = GC_SWEEP_SIZES, .repeats = GC_SWEEP_REPEATS, .confirm = GC_CONFIRM_MAX
#define L1 .min = KIB(1), .max = KIB(1024), .step = 32, .wide_stride = 128, IN_SM

static const struct gc_search searches[GC_KIND_COUNT] = {
    [GC_L1] = {L1},
    [GC_TEXTURE] = {L1},
    [GC_READ_ONLY] = {L1},
    [GC_CONSTANT_L1] = {.min = 256, .max = KIB(16), .step = 32, IN_SM},
    [GC_CONSTANT_L15] = {.min = KIB(8), .max = KIB(64), .step = 64, IN_SM},
    [GC_SCALAR_L1] = {.min = KIB(1), .max = KIB(64), .step = 32},
};

static int walk(void *data, const struct gc_path *path, const struct gc_binning *binning,
                struct gc_run *runs, size_t n)
{
  return gc_chase_sizes(data, path, binning, runs, n);
}

/* Chooses the carve-out for L1 and the caches in the same storage: no shared memory. The driver
 * still reserves some for every block that fits an SM; the number of these blocks is reported. */
static int state_carveout(struct gc_bench *bench, enum gc_kernel kernel,
                          struct gc_measured *element)
{
  const struct gc_properties *p = &bench->properties;
  const uint32_t by_threads = p->threads_per_sm / p->warp;
  const uint32_t resident = p->blocks_per_sm < by_threads ? p->blocks_per_sm : by_threads;
  const int status = bench->ops->carveout(bench->device, kernel, 0, bench->err);

  if (status)
    return status == -ENOTSUP ? 0 : status;
  element->carveout_blocks = resident;
  return 0;
}

/* Do several SMs share a cache of this kind? One after another loads the same lines: if all of them
 * miss, each has its own. If none does, there is no such cache, or it is not told from the next
 * level; then nothing changes. */
static int find_shared(struct gc_measurement *m, const struct gc_path *path)
{
  struct gc_bench *bench = &m->bench;
  struct gc_first_touch touch = {.rounds = 1};
  size_t firsts = 0;
  int status;

  if (bench->properties.sms == 1 || path->space == GC_ADDRESS_CONSTANT || path->alone)
    return 0;
  if ((status = gc_first_touch_run(m, path, 1, &touch)))
    return status;
  for (size_t i = 0; i < touch.sms && !*touch.failed; i++)
    firsts += touch.firsts[i] > 0;
  m->results->shared_kinds &= ~(1u << path->kind);
  if (firsts && (double)firsts < OWN_SHARE * (double)touch.sms)
    m->results->shared_kinds |= 1u << path->kind;
  bench->shared_kinds = m->results->shared_kinds;
  gc_first_touch_free(&touch);
  return 0;
}

int gc_step_capacity(struct gc_measurement *m, struct gc_measured *element)
{
  const struct gc_path *path = gc_path_of(element->kind);
  struct gc_search search = searches[element->kind];
  const bool with_l1 = m->results->with_l1[element->kind] > 0;
  /* one storage: what holds for L1 holds for this path, which is then confirmed only */
  int status = with_l1 ? 0 : find_shared(m, path);

  if (status)
    return status;
  if (gc_walks_alone(&m->bench, path)) {
    search.sizes = ALONE_SIZES;
    search.repeats = ALONE_REPEATS;
    search.confirm = ALONE_CONFIRM;
  }
  if (with_l1)
    search.expected = gc_capacity(&m->results->element[GC_L1]);
  search.path = *path;
  search.walk = walk;
  search.data = &m->bench;
  search.needs_ring = true;
  if (search.path.space != GC_ADDRESS_CONSTANT)
    status = state_carveout(&m->bench, search.path.chase, element);
  return status ? status : gc_put_capacity(m, &search, element);
}
