/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The constant L1.5, beyond the 64 KiB of constants that one module has: its capacity by the search
 * that serves all caches inside the SM (capacity.c), over banks of several modules that take turns;
 * and whether it is the instruction cache too, by executing more code than it could hold next to
 * constants that were there. Sizes are walked side by side only on SMs that do not share it.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/pair.h"
#include "measure/turns.h"

#include <errno.h>
#include <stdlib.h>

#define SMALLEST (12u << 10) /* 12 KiB doubled end at 192, and all pass a constant L1 by */
#define PASSES 2             /* walks of a sweep, where SMs are few */

/* gc_path.walk; the bench knows the turns while this file is at work. What fits the cache before
 * this one has to be seen there, which takes a launch that stays: between turns it would be
 * forgotten. */
static int walk(struct gc_bench *bench, const struct gc_path *path, const struct gc_window *window,
                struct gc_run *runs, size_t n)
{
  struct gc_turns *turns = bench->turns;
  struct gc_path near = *path;
  const uint32_t threshold = window->threshold == UINT32_MAX ? turns->threshold : window->threshold;
  const unsigned how = path->stride > GC_TURN_STRIDE ? GC_TURNS_SPARSE : 0;
  int status = 0;

  near.stride = GC_TURN_STRIDE;
  if (n == 1 && runs->bytes <= path->before)
    return gc_bench_chase(bench, &near, window, runs, n);
  for (size_t i = 0; i < n && !status && !turns->failed; i += turns->count) {
    const size_t rest = n - i;

    status = gc_turns_walk(turns, threshold, window, how, runs + i,
                           rest < turns->count ? rest : turns->count, NULL);
  }
  return status;
}

static unsigned within(size_t value, unsigned least, unsigned most)
{
  return value < least ? least : value < most ? (unsigned)value : most;
}

/* As many sizes at a time as there are SMs that do not share the cache. */
static struct gc_path search_path(const struct gc_turns *turns)
{
  struct gc_path path = *gc_path_of(GC_CONSTANT_L15);

  path.min = SMALLEST;
  path.max = GC_TURN_MAX_BYTES;
  path.walk = walk;
  path.wide_stride = turns->flush > GC_TURN_STRIDE ? turns->flush : 0;
  if (turns->count < path.sizes * path.repeats) {
    path.repeats = 1;
    path.sizes = within(PASSES * turns->count - 1, 7, path.sizes);
    path.confirm = within(PASSES * turns->count, 8, path.confirm);
  }
  return path;
}

static int put_absent(struct gc_bench *bench, struct gc_element *element, const char *property,
                      const char *why)
{
  const int status = gc_put_absent(element, property, why);

  return status ? gc_fail(bench->err, status, "out of memory") : 0;
}

static const char apart[] = "launches that should run together did not";

int gc_step_constant15(struct gc_bench *bench, struct gc_element *element)
{
  struct gc_turns *turns;
  struct gc_path path;
  int status;

  gc_forget_takers(bench); /* what was found while something disturbed this step */
  if ((status = gc_turns_open(bench, &turns)))
    return status;
  if (!turns)
    return gc_step_capacity(bench, element);
  path = search_path(turns);
  bench->turns = turns;
  status = gc_put_capacity(bench, &path, element);
  bench->turns = NULL;
  if (!status && turns->failed)
    status = put_absent(bench, element, HWLOC_GPUCACHE_CAPACITY, apart);
  gc_turns_close(turns);
  return status;
}

static int tell_code(struct gc_bench *bench, struct gc_element *element, struct gc_turns *turns,
                     uint64_t capacity)
{
  /* so much that code of this length cannot find room beside it */
  const uint64_t most = capacity / 8 * 7 / GC_TURN_STRIDE * GC_TURN_STRIDE;
  const uint64_t bytes = most < GPU_CONSTANT_BYTES ? most : GPU_CONSTANT_BYTES;
  struct gc_question without = {0}, with = {0};
  int status;

  if (bytes + GPU_STRETCH_BYTES < capacity + capacity / 8)
    return put_absent(bench, element, HWLOC_GPUCACHE_SHARED_WITH,
                      "there is not enough code to fill it");
  if ((status = gc_turns_ask(turns, bytes, false, &without)) ||
      (status = gc_turns_ask(turns, bytes, true, &with)))
    return status;
  if (turns->failed)
    return put_absent(bench, element, HWLOC_GPUCACHE_SHARED_WITH, apart);
  if (without.answer != GC_NO || !with.answer)
    return put_absent(bench, element, HWLOC_GPUCACHE_SHARED_WITH,
                      "whether code pushes constants out cannot be told");
  if (with.answer == GC_YES)
    status = gc_put_text(element, HWLOC_GPUCACHE_SHARED_WITH,
                         gc_kinds[GC_INSTRUCTION_CACHE].subtype, with.confidence);
  else
    status = gc_put_known(element, HWLOC_GPUCACHE_SHARED_WITH, with.confidence);
  return status ? gc_fail(bench->err, status, "out of memory") : 0;
}

int gc_step_code_sharing(struct gc_bench *bench, struct gc_element *element)
{
  const uint64_t capacity = gc_capacity_of(bench, gc_path_of(GC_CONSTANT_L15));
  struct gc_turns *turns;
  int status;

  if (!capacity)
    return put_absent(bench, element, HWLOC_GPUCACHE_SHARED_WITH, "its capacity is not known");
  if ((status = gc_turns_open(bench, &turns)))
    return status;
  if (!turns)
    return put_absent(bench, element, HWLOC_GPUCACHE_SHARED_WITH,
                      "this GPU cannot run several launches together");
  status = tell_code(bench, element, turns, capacity);
  gc_turns_close(turns);
  return status;
}
