/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of warps, many in flight at once: what they do to the caches, and how long they keep each
 * level busy.
 */
#include "model/model.h"

#include "model/queue.h"
#include "model/run.h"
#include "model/walk.h"

static inline unsigned walk(struct gc_model *model, uint32_t sm, enum gc_space space,
                            uint64_t address, uint32_t *cycles)
{
  return gc_walk_from(model, sm, space, 0, gc_walk_address(space, address), cycles);
}

/* How long the SM waits for these rows, because each of its warps, and all of them together, can
 * wait for so many lines only (Little's law). cycles: the latency of a load of such a row. */
static double waits(const struct gc_model *model, const struct gc_rows *rows, uint32_t cycles)
{
  const struct gc_profile *profile = &model->profile;
  const int cache = profile->paths[rows->space].levels[0].cache;
  const uint32_t line =
    cache == GC_PROFILE_MEMORY ? rows->bytes : profile->caches[cache].shape.line;
  const double lines = (rows->bytes + line - 1) / line;
  double flight = lines * (rows->flight ? rows->flight : 1);

  if (profile->outstanding_per_warp && flight > profile->outstanding_per_warp)
    flight = profile->outstanding_per_warp;
  flight *= rows->count;
  if (profile->outstanding_per_sm && flight > profile->outstanding_per_sm)
    flight = profile->outstanding_per_sm;
  return lines * rows->count * cycles / flight;
}

/* Loads a row of the first warp. Returns the level where its beginning hits; *cycles: the latency
 * of its last line. */
static unsigned load_row(struct gc_model *model, const struct gc_rows *rows, uint64_t address,
                         uint32_t *cycles)
{
  const struct gc_profile_path *path = &model->profile.paths[rows->space];
  const unsigned hit = walk(model, rows->sm, rows->space, address, cycles);

  /* The rest of the row hits where its beginning did. */
  if (hit > 0) {
    const uint32_t line = model->profile.caches[path->levels[0].cache].shape.line;
    const uint32_t more = (rows->bytes + line - 1) / line - 1;

    if (more > 1)
      gc_model_touch_run(model, rows->sm, rows->space, address + line, line, more - 1);
    if (more)
      walk(model, rows->sm, rows->space, address + (uint64_t)more * line, cycles);
  }
  return hit;
}

static void add_row(const struct gc_model *model, const struct gc_rows *rows, unsigned hit,
                    double busy[GC_MODEL_BUSY])
{
  const struct gc_profile_path *path = &model->profile.paths[rows->space];
  uint32_t bytes = rows->bytes;
  unsigned last = hit;

  while (rows->write && last + 1 < path->count &&
         model->profile.caches[path->levels[last].cache].write == GC_STORE_THROUGH)
    last++;
  for (unsigned level = 0; level <= last; level++) {
    busy[level] += (double)bytes * rows->count *
                   model->byte_cycles[rows->write][rows->space][level] *
                   (model->own_clock[rows->space][level] ? model->clock_share : 1);
    if (level < last) {
      const uint32_t sector = model->profile.caches[path->levels[level].cache].shape.sector;

      bytes = bytes > sector ? bytes : sector;
    }
  }
}

void gc_model_rows(struct gc_model *model, const struct gc_rows *rows, double busy[GC_MODEL_BUSY])
{
  const bool limited = model->profile.outstanding_per_warp || model->profile.outstanding_per_sm;
  uint8_t level[GC_ROWS_MAX];
  const bool together = !rows->readers && rows->more && !limited && gc_run_rows(model, rows, level);

  if (rows->readers) {
    uint32_t cycles;
    unsigned hit = 0;

    for (uint32_t i = 0; i <= rows->more; i++)
      hit = load_row(model, rows, rows->address + (uint64_t)i * rows->bytes, &cycles);
    busy[GC_MODEL_LEVELS] += gc_queue_rows(model, rows, hit);
    return;
  }
  for (uint32_t i = 0; i <= rows->more; i++) {
    uint32_t cycles = 0;
    const unsigned hit =
      together ? level[i]
               : load_row(model, rows, rows->address + (uint64_t)i * rows->bytes, &cycles);

    add_row(model, rows, hit, busy);
    if (limited && gc_walk_outside(model, rows->space, hit))
      busy[GC_MODEL_LEVELS] += waits(model, rows, cycles - gc_queue_idle(model, rows->space, hit));
  }
}
