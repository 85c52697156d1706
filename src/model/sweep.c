/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads and stores by all SMs together. The blocks of a launch run one after another, so each level
 * and each slice counts for how long all of them have kept it busy.
 */
#include "model/model.h"

#include "model/window.h"
#include "model/walk.h"

#include <string.h>

/* The next lines of a sweep, whose memory is contiguous. Returns their bytes. */
static uint64_t next_window(struct gc_model *model, const struct gc_cache_array *array,
                            uint64_t address, uint64_t bytes, struct gc_window *window)
{
  const struct gc_cache_shape *shape = &array->profile->shape;
  const uint64_t together = gc_pages_contiguous(&model->pages, address);
  const uint64_t lines = (bytes < together ? bytes : together) >> array->line_shift;

  window->address = gc_pages_physical(&model->pages, address);
  window->count = lines < array->window_most ? (unsigned)lines : array->window_most;
  memset(window->mask, (1 << shape->line / shape->sector) - 1, window->count);
  memset(window->loads, (int)(shape->line / shape->sector), window->count);
  window->sum = (uint64_t)window->count * (shape->line / shape->sector);
  return (uint64_t)window->count << array->line_shift;
}

/* Loads all sectors of these lines where they go first, if only memory is behind it. Returns the
 * bytes that came from memory. */
static uint64_t read_outside(struct gc_model *model, struct gc_cache_array *array,
                             const struct gc_swept *sweep)
{
  struct gc_window_found found = {0};
  struct gc_window window;

  for (uint64_t at = 0; at < sweep->bytes;) {
    at += next_window(model, array, sweep->address + at, sweep->bytes - at, &window);
    gc_window_touch(model, array, sweep->sm, &window, &found);
  }
  return found.nowhere * array->profile->shape.sector;
}

/* Stores all lines. Returns the bytes that the first cache does not keep. */
static uint64_t store_lines(struct gc_model *model, struct gc_cache_array *array,
                            const struct gc_swept *sweep)
{
  const uint32_t line = array->profile->shape.line;
  uint64_t passed = 0;

  if (array->window_most > 1 && array->profile->write_allocate != GC_STORE_ALLOCATES_NONE) {
    struct gc_window window;

    for (uint64_t at = 0; at < sweep->bytes;) {
      at += next_window(model, array, sweep->address + at, sweep->bytes - at, &window);
      gc_window_store(model, array, sweep->sm, &window);
    }
    return array->profile->write == GC_STORE_BACK ? 0 : sweep->bytes;
  }
  for (uint64_t at = 0; at < sweep->bytes; at += line)
    if (!gc_model_store_first(model, sweep->sm, sweep->space, sweep->address + at, line))
      passed += line;
  return passed;
}

static void add(struct gc_model *model, const struct gc_swept *sweep, unsigned level, double bytes,
                bool write)
{
  const struct gc_profile *profile = &model->profile;

  if (level < profile->paths[sweep->space].count)
    model->swept[level] += bytes * model->byte_cycles[write][sweep->space][level] /
                           profile->facts.sms *
                           (model->own_clock[sweep->space][level] ? model->clock_share : 1);
}

/* One load of each sector. bytes[level]: that go through this level. */
static void read_levels(struct gc_model *model, const struct gc_swept *sweep,
                        double bytes[GC_PROFILE_LEVELS_MAX])
{
  const struct gc_profile_path *path = &model->profile.paths[sweep->space];
  struct gc_cache_array *first = &model->arrays[path->levels[0].cache];
  const uint32_t sector = first->profile->shape.sector;

  bytes[0] = (double)sweep->bytes;
  if (path->count == 2) {
    bytes[1] = (double)read_outside(model, first, sweep);
    return;
  }
  for (uint64_t at = 0; at < sweep->bytes; at += sector) {
    uint32_t cycles;
    const unsigned hit =
      gc_walk_from(model, sweep->sm, sweep->space, 0, sweep->address + at, &cycles);

    for (unsigned level = 1; level <= hit; level++)
      bytes[level] += sector;
  }
}

static uint64_t written_back(const struct gc_cache_array *array)
{
  uint64_t lines = 0;

  for (uint32_t i = 0; i < array->count; i++)
    lines += array->instances[i].written_back;
  return lines;
}

double gc_model_sweep(struct gc_model *model, const struct gc_swept *sweep)
{
  const struct gc_profile_path *path = &model->profile.paths[sweep->space];
  double bytes[GC_PROFILE_LEVELS_MAX] = {0}, most = 0;
  struct gc_cache_array *first;
  uint64_t before;

  if (path->levels[0].cache == GC_PROFILE_MEMORY)
    return 0;
  first = &model->arrays[path->levels[0].cache];
  before = written_back(first);
  if (sweep->write) {
    bytes[0] = (double)sweep->bytes;
    bytes[1] = (double)store_lines(model, first, sweep);
  } else {
    read_levels(model, sweep, bytes);
  }
  for (unsigned level = 0; level < path->count; level++)
    add(model, sweep, level, bytes[level], sweep->write);
  add(model, sweep, 1,
      (double)(written_back(first) - before) * first->profile->shape.line, true);
  for (unsigned level = 0; level < path->count; level++)
    most = model->swept[level] > most ? model->swept[level] : most;
  return most;
}

uint32_t gc_model_read_line(struct gc_model *model, uint32_t sm, uint64_t address, double *busy)
{
  const struct gc_profile_path *path = &model->profile.paths[GC_SPACE_CG];
  struct gc_cache_array *array = &model->arrays[path->levels[0].cache];
  uint32_t slice, cycles;

  gc_walk_from(model, sm, GC_SPACE_CG, 0, address, &cycles);
  model->swept[0] += GC_MODEL_LINE * model->byte_cycles[false][GC_SPACE_CG][0] /
                     model->profile.facts.sms;
  *busy = model->swept[0];
  if (model->slice_count) {
    slice = gc_chip_slice(array, gc_pages_physical(&model->pages, address));
    model->slice_busy[slice] += GC_MODEL_LINE / array->profile->slice_read;
    *busy = model->slice_busy[slice] > *busy ? model->slice_busy[slice] : *busy;
  }
  return cycles;
}
