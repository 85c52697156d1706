/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs of untimed loads at equal distances. Loads of one line select it once, and adjacent lines go
 * through the caches together, so a run takes much less time than its loads one by one, and does
 * the same to the caches, in the same order.
 */
#include "model/run.h"

#include "model/model.h"
#include "model/walk.h"
#include "model/window.h"

#include <string.h>

/* Loads at other distances are made one by one: with a smaller one, too many loads are of one line;
 * with a greater one, too few lines are in a window. */
#define STRIDE_MIN 4
#define STRIDE_MAX 256
#define LINE_MAX (255 * STRIDE_MIN) /* a window counts no more loads of a line */

struct run {
  uint64_t address, stride, count; /* of the loads that are left */
};

/* The loads of a run that are of one line. */
struct line_loads {
  uint64_t offset; /* of the first one in its line; UINT64_MAX: nothing is known */
  uint64_t count;
  uint8_t mask;    /* their sectors, one bit each */
};

/* Finds out which of `left` loads are of the same line as the first one. They are as many as in the
 * line before, and of the same sectors, if they begin at the same offset. */
static inline void find_loads(struct line_loads *loads, const struct gc_cache *cache,
                              const struct run *run)
{
  const uint64_t line = 1ull << cache->line_shift, offset = run->address & (line - 1);
  uint64_t at = offset;

  if (offset == loads->offset && loads->count <= run->count)
    return;
  *loads = (struct line_loads){.offset = offset};
  do {
    loads->mask |= gc_cache_sector_of(cache, at);
    at += run->stride;
    loads->count++;
  } while (loads->count < run->count && at < line);
  /* the run ends: another one would continue in this line */
  if (at < line)
    loads->offset = UINT64_MAX;
}

/* Moves the next loads of a run into a window of lines of this cache, at most `most`. */
static void next_window(struct gc_model *model, const struct gc_cache *cache, unsigned most,
                        struct run *run, struct gc_window *window)
{
  const uint64_t first = run->address >> cache->line_shift;
  const uint64_t together = gc_pages_contiguous(&model->pages, first << cache->line_shift);
  const uint64_t lines = together >> cache->line_shift;
  struct line_loads loads = {.offset = UINT64_MAX};

  most = lines < most ? (unsigned)lines : most;
  window->address = first << cache->line_shift;
  window->count = 0;
  window->sum = run->count;
  while (run->count) {
    const uint64_t i = (run->address >> cache->line_shift) - first;
    uint64_t same = 1;

    if (i >= most)
      break;
    for (; window->count < i; window->count++)
      window->mask[window->count] = window->loads[window->count] = 0;
    find_loads(&loads, cache, run);
    if (loads.count * run->stride == 1ull << cache->line_shift && loads.offset != UINT64_MAX) {
      same = run->count / loads.count;
      same = same < most - i ? same : most - i;
    }
    memset(window->mask + i, loads.mask, same);
    memset(window->loads + i, (int)loads.count, same);
    window->count = (unsigned)(i + same);
    run->count -= same * loads.count;
    run->address += same * loads.count * run->stride;
  }
  window->sum -= run->count;
}

/* The cycles that it takes to translate the virtual addresses of the lines that a window loads. A
 * TLB entry covers many lines. The first one brings it; the second one can make the entry a
 * protected one; further ones change nothing. */
static uint64_t translate(struct gc_model *model, uint32_t sm, const struct gc_window *window,
                          uint32_t line_shift)
{
  uint64_t cycles = 0, entry = UINT64_MAX;
  unsigned times = 0;

  if (!model->profile.tlb_count)
    return 0;
  for (unsigned i = 0; i < window->count; i++) {
    const uint64_t at = window->address + ((uint64_t)i << line_shift);
    const uint64_t own = at >> model->tlbs[0].line_shift;

    if (own == entry && times == 2) { /* to the last line of the entry */
      i += (unsigned)((((own + 1) << model->tlbs[0].line_shift) - 1 - at) >> line_shift);
      continue;
    }
    if (!window->mask[i])
      continue;
    times = own == entry ? times + 1 : 1;
    entry = own;
    cycles += gc_walk_translate(model, sm, at);
  }
  return cycles;
}

/* The cycles of loads that were found at this level. */
static uint64_t cycles_of(const struct gc_model *model, uint32_t sm, enum gc_space space,
                          unsigned level, const struct gc_window_found *found)
{
  const int cache = model->profile.paths[space].levels[level].cache;

  return found->near * gc_walk_sm_cycles(model, sm, space, level, 0) +
         found->far *
           gc_walk_sm_cycles(model, sm, space, level, model->arrays[cache].profile->far_cycles);
}

/* Loads that begin at a cache of the chip, if only memory or one more such cache is behind it. */
static uint64_t run_outside(struct gc_model *model, uint32_t sm, enum gc_space space,
                            struct run *run)
{
  const struct gc_profile_path *path = &model->profile.paths[space];
  struct gc_cache_array *array = &model->arrays[path->levels[0].cache];
  struct gc_window_found found = {0};
  uint64_t cycles = 0, behind = 0;
  struct gc_window window;

  while (run->count) {
    next_window(model, array->instances, array->window_most, run, &window);
    cycles += translate(model, sm, &window, array->line_shift);
    window.address = gc_pages_physical(&model->pages, window.address);
    gc_window_touch(model, array, sm, &window, &found);
    if (path->count == 3)
      behind += gc_window_touch_behind(model, array, &model->arrays[path->levels[1].cache], sm,
                                       &window);
  }
  return cycles + cycles_of(model, sm, space, 0, &found) + behind * gc_walk_sm_cycles(model, sm, space, 1, 0) +
         (found.nowhere - behind) * gc_walk_sm_cycles(model, sm, space, path->count - 1, 0);
}

/* Loads that two caches inside the SM did not have. They wait in a window of the next cache. */
struct waiting {
  unsigned level;  /* of that cache; 0: loads do not wait */
  unsigned most;   /* lines of the window */
  struct gc_window window;
  struct gc_window_found found;
  uint64_t last;   /* how many the cache behind it had */
};

static void load_waiting(struct gc_model *model, uint32_t sm, const struct gc_profile_path *path,
                         struct waiting *waiting)
{
  const unsigned level = waiting->level;
  struct gc_cache_array *array = &model->arrays[path->levels[level].cache];

  gc_window_touch(model, array, sm, &waiting->window, &waiting->found);
  if (path->count == level + 3)
    waiting->last += gc_window_touch_behind(
      model, array, &model->arrays[path->levels[level + 1].cache], sm, &waiting->window);
  waiting->window.count = 0;
}

/* Returns the cycles of its translation. */
static uint64_t wait_in_window(struct gc_model *model, uint32_t sm,
                               const struct gc_profile_path *path, struct waiting *waiting,
                               uint64_t virtual)
{
  const struct gc_cache *next = model->arrays[path->levels[waiting->level].cache].instances;
  const uint64_t address = gc_pages_physical(&model->pages, virtual);
  const uint64_t line = address >> next->line_shift;
  struct gc_window *window = &waiting->window;
  uint64_t i = line - (window->address >> next->line_shift);

  /* the window sees its lines in order */
  if (window->count && (i >= waiting->most || i + 1 < window->count))
    load_waiting(model, sm, path, waiting);
  if (!window->count) {
    window->address = line << next->line_shift;
    window->sum = i = 0;
  }
  for (; window->count <= i; window->count++)
    window->mask[window->count] = window->loads[window->count] = 0;
  window->mask[i] |= gc_cache_sector_of(next, address);
  window->loads[i]++;
  window->sum++;
  return gc_walk_translate(model, sm, virtual);
}

/* The cycles of all loads that have waited, without those of translations. */
static uint64_t waited(struct gc_model *model, uint32_t sm, enum gc_space space,
                       struct waiting *waiting)
{
  const struct gc_profile_path *path = &model->profile.paths[space];
  const unsigned level = waiting->level;

  if (waiting->window.count)
    load_waiting(model, sm, path, waiting);
  return cycles_of(model, sm, space, level, &waiting->found) +
         waiting->last * gc_walk_sm_cycles(model, sm, space, level + 1, 0) +
         (waiting->found.nowhere - waiting->last) *
           gc_walk_sm_cycles(model, sm, space, path->count - 1, 0);
}

/* Loads that begin at a cache inside the SM. Those that miss go on one by one, but may wait behind
 * a second such cache. */
static uint64_t run_inside(struct gc_model *model, uint32_t sm, enum gc_space space,
                           const struct run *run, struct waiting *waiting)
{
  const struct gc_profile_path *path = &model->profile.paths[space];
  struct gc_cache_array *array = &model->arrays[path->levels[0].cache];
  struct gc_cache *cache = gc_walk_own(model, array, sm);
  struct gc_cache *second =
    waiting->level ? gc_walk_own(model, &model->arrays[path->levels[1].cache], sm) : NULL;
  uint64_t cycles = 0, hits = 0, second_hits = 0, address = run->address, left = run->count;

  while (left) {
    const uint64_t start = gc_walk_first(path, address);
    uint8_t *present = gc_cache_sectors(cache, start, &model->replacement), none = 0, more = 0;

    do {
      const uint8_t bit = gc_cache_sector_of(cache, address);

      if (*present & bit) {
        hits++;
      } else if (second) {
        *present |= bit;
        if (gc_cache_access(second, address, &model->replacement))
          second_hits++;
        else
          cycles += wait_in_window(model, sm, path, waiting, address);
      } else {
        uint32_t latency;

        *present |= bit;
        gc_walk_from(model, sm, space, 1, address, &latency);
        cycles += latency;
      }
      address += run->stride;
      more += more < 2;
      left--;
    } while (left && (gc_walk_first(path, address) ^ start) >> array->line_shift == 0);
    /* with SLRU, the second load of a line protects it */
    if (array->profile->shape.replacement == GC_REPLACE_SLRU && more > 1)
      cache->access_lines(cache, &start, &none, NULL, 1, &model->replacement);
  }
  if (second)
    cycles += second_hits * gc_walk_sm_cycles(model, sm, space, 1, 0) +
              waited(model, sm, space, waiting);
  return cycles + hits * gc_walk_sm_cycles(model, sm, space, 0, 0);
}

/* The sectors of a line of the next cache that loads of these sectors of a line are in, if they
 * begin at this address and are `stride` bytes apart. */
static uint8_t sectors_behind(const struct gc_cache *cache, const struct gc_cache *next,
                              uint64_t address, uint64_t stride, uint8_t missed)
{
  uint8_t mask = 0;

  for (; missed; address += stride) {
    const uint8_t bit = gc_cache_sector_of(cache, address);

    if (missed & bit)
      mask |= gc_cache_sector_of(next, address);
    missed &= (uint8_t)~bit;
  }
  return mask;
}

/* The address of the first load of a run in the line at this address, or behind it. divides: the
 * stride divides the lines. */
static inline uint64_t first_in(const struct run *run, uint64_t line, bool divides)
{
  if (run->address >= line)
    return run->address;
  if (divides) /* line and stride are powers of two */
    return line + (run->address & (run->stride - 1));
  return run->address +
         (line - run->address + run->stride - 1) / run->stride * run->stride;
}

/* For a cache whose lines and sectors are not longer than those of the next one: for each mask of
 * sectors of a line, in which sectors of the next cache they are, from that of the line's begin on,
 * and how many they are. */
struct sectors_behind {
  bool known;
  uint8_t mask[1 << GC_CACHE_SECTORS_MAX], count[1 << GC_CACHE_SECTORS_MAX];
};

static void find_sectors_behind(const struct gc_cache *cache, const struct gc_cache *next,
                                struct sectors_behind *behind)
{
  const uint32_t sectors = 1u << (cache->line_shift - cache->sector_shift);
  const uint32_t shift = next->sector_shift - cache->sector_shift;

  behind->known =
      cache->line_shift <= next->line_shift && cache->sector_shift <= next->sector_shift;
  behind->mask[0] = behind->count[0] = 0;
  for (uint32_t mask = 1; behind->known && mask < 1u << sectors; mask++) {
    const uint32_t others = mask & (mask - 1);

    behind->mask[mask] = behind->mask[others] | (uint8_t)(1u << (__builtin_ctz(mask) >> shift));
    behind->count[mask] = behind->count[others] + 1;
  }
}

/* What missed of lines inside an SM becomes what is loaded from the next cache. */
static void go_on(struct gc_model *model, const struct gc_cache *cache, const struct gc_cache *next,
                  const struct run *from, const struct sectors_behind *sectors,
                  const struct gc_window *window, struct gc_window *behind)
{
  const uint32_t shift = cache->line_shift;
  const uint64_t begin = gc_pages_physical(&model->pages, window->address);
  const uint64_t first = begin >> next->line_shift;
  const bool divides = (1ull << shift) % from->stride == 0;
  uint64_t offset = UINT64_MAX;
  uint8_t missed = 0, mask = 0;

  behind->address = first << next->line_shift;
  behind->count = (unsigned)((begin + ((uint64_t)(window->count - 1) << shift)) >>
                             next->line_shift) - (unsigned)first + 1;
  behind->sum = window->sum; /* a load of each sector */
  memset(behind->mask, 0, behind->count);
  memset(behind->loads, 0, behind->count);
  for (unsigned i = 0; sectors->known && i < window->count; i++) {
    const uint64_t line = begin + ((uint64_t)i << shift);
    const uint64_t at = (line >> next->line_shift) - first;
    const uint64_t sector = (line & ((1ull << next->line_shift) - 1)) >> next->sector_shift;

    behind->mask[at] |= (uint8_t)(sectors->mask[window->mask[i]] << sector);
    behind->loads[at] += sectors->count[window->mask[i]];
  }
  for (unsigned i = 0; !sectors->known && i < window->count; i++) {
    const uint64_t line = (uint64_t)i << shift;
    const uint64_t at = ((begin + line) >> next->line_shift) - first;
    uint64_t address;

    if (!window->mask[i])
      continue;
    address = first_in(from, window->address + line, divides);
    if (window->mask[i] != missed || (address & ((1ull << next->line_shift) - 1)) != offset) {
      missed = window->mask[i];
      offset = address & ((1ull << next->line_shift) - 1);
      mask = sectors_behind(cache, next, address, from->stride, missed);
    }
    behind->mask[at] |= mask;
    behind->loads[at] += (uint8_t)gc_ones_of_few(missed);
  }
}

/* Loads that begin at a cache inside the SM and have one or two caches of the chip behind it. The
 * lines of the first one are not shorter: all that miss in a line are of one line there. */
static uint64_t run_through(struct gc_model *model, uint32_t sm, enum gc_space space,
                            struct run *run)
{
  const struct gc_profile_path *path = &model->profile.paths[space];
  struct gc_cache_array *array = &model->arrays[path->levels[0].cache];
  struct gc_cache_array *next = &model->arrays[path->levels[1].cache];
  struct gc_cache *cache = gc_walk_own(model, array, sm);
  struct gc_window_found found = {0};
  uint64_t hits = run->count, cycles = 0, last = 0;
  struct sectors_behind sectors;

  find_sectors_behind(cache, next->instances, &sectors);
  while (run->count) {
    const struct run from = *run;
    struct gc_window window, behind;

    next_window(model, cache, array->window_most, run, &window);
    window.sum = gc_cache_access_window(cache, gc_walk_first(path, window.address), window.mask,
                                        window.loads, NULL, window.count, &model->replacement);
    hits -= window.sum;
    if (!window.sum)
      continue;
    cycles += translate(model, sm, &window, array->line_shift);
    go_on(model, cache, next->instances, &from, &sectors, &window, &behind);
    gc_window_touch(model, next, sm, &behind, &found);
    if (path->count == 4)
      last += gc_window_touch_behind(model, next, &model->arrays[path->levels[2].cache], sm,
                                     &behind);
  }
  return cycles + hits * gc_walk_sm_cycles(model, sm, space, 0, 0) +
         cycles_of(model, sm, space, 1, &found) + last * gc_walk_sm_cycles(model, sm, space, 2, 0) +
         (found.nowhere - last) * gc_walk_sm_cycles(model, sm, space, path->count - 1, 0);
}

/* Makes the loads of adjacent rows whose beginnings all hit in the cache near to the SM. False: it
 * has done nothing, because they do not. */
static bool hit_again(struct gc_model *model, const struct gc_cache_array *array,
                      const struct gc_rows *rows)
{
  const uint64_t address = gc_pages_physical(&model->pages, rows->address);

  if ((array->profile->partitions > 1 && !array->profile->replicate) ||
      !gc_cache_access_again(&array->instances[array->places[rows->sm]], address, rows->bytes,
                             rows->more + 1))
    return false;
  for (uint32_t i = 0; i <= rows->more; i++)
    gc_walk_translate(model, rows->sm, rows->address + (uint64_t)i * rows->bytes);
  return true;
}

bool gc_run_rows(struct gc_model *model, const struct gc_rows *rows, uint8_t *level)
{
  const struct gc_profile_path *path = &model->profile.paths[rows->space];
  struct gc_cache_array *array =
    path->count > 1 ? &model->arrays[path->levels[0].cache] : NULL;
  struct gc_cache_array *behind =
    path->count == 3 ? &model->arrays[path->levels[1].cache] : NULL;
  const uint64_t bytes = (rows->more + 1) * (uint64_t)rows->bytes;
  struct gc_window_found found = {0};
  struct gc_window window;
  uint32_t lines;

  if (!array || !array->outside || path->count > 3 || (behind && !gc_window_alike(array, behind)) ||
      model->profile.whole_sectors || (rows->address | rows->bytes) % array->profile->shape.line ||
      bytes >> array->line_shift > array->window_most ||
      bytes > gc_pages_contiguous(&model->pages, rows->address))
    return false;
  if (hit_again(model, array, rows)) {
    memset(level, 0, rows->more + 1);
    return true;
  }
  lines = rows->bytes >> array->line_shift;
  window.address = gc_pages_physical(&model->pages, rows->address);
  window.count = (rows->more + 1) * lines;
  memset(window.mask, 0, window.count);
  for (uint32_t i = 0; i < window.count; i += lines)
    window.mask[i] = 1;
  if (!gc_window_absent(array, rows->sm, &window))
    return false;
  memset(window.mask, 1, window.count); /* the first sector of each line */
  memset(window.loads, 1, window.count);
  window.sum = window.count;
  window.address = rows->address;
  translate(model, rows->sm, &window, array->line_shift);
  window.address = gc_pages_physical(&model->pages, rows->address);
  gc_window_touch(model, array, rows->sm, &window, &found);
  if (behind)
    gc_window_touch_behind(model, array, behind, rows->sm, &window);
  for (uint32_t i = 0; i <= rows->more; i++)
    level[i] = (uint8_t)(path->count - (window.mask[i * lines] ? 1 : 2));
  return true;
}

/* Whether all loads of a sector of a cache are of one sector of the next one. If not, where a
 * sector misses does not say which one is loaded there. */
static bool sector_fits(const struct gc_model *model, const struct gc_profile_path *path,
                        unsigned level)
{
  return model->arrays[path->levels[level].cache].profile->shape.sector <=
         model->arrays[path->levels[level + 1].cache].profile->shape.sector;
}

/* Whether loads may wait behind the second cache inside the SM. A window of several lines changes
 * the order of random numbers if more than one cache draws some. Translations count as cycles of
 * the SM there. */
static bool may_wait(const struct gc_model *model, const struct gc_profile_path *path)
{
  const struct gc_profile *profile = &model->profile;
  const struct gc_cache_array *second, *third;

  if (path->count < 4 || path->count > 5)
    return false;
  second = &model->arrays[path->levels[1].cache];
  third = &model->arrays[path->levels[2].cache];
  return !second->outside && !second->compete.active && !gc_cache_draws(&second->profile->shape) &&
         model->arrays[path->levels[0].cache].window_most > 1 && third->outside &&
         third->profile->shape.line <= LINE_MAX &&
         (path->count == 4 || sector_fits(model, path, 2)) &&
         (!profile->tlb_count || profile->own_clock == GC_OWN_CLOCK_NONE);
}

uint64_t gc_model_touch_run(struct gc_model *model, uint32_t sm, enum gc_space space,
                            uint64_t address, uint64_t stride, uint64_t count)
{
  const struct gc_profile *profile = &model->profile;
  const struct gc_profile_path *path = &profile->paths[space];
  const bool whole = path->count > 2 && profile->whole_sectors;
  struct run run = {gc_walk_address(space, address), stride, count};
  const struct gc_cache_array *first, *second;
  struct waiting waiting;
  uint64_t cycles = 0;

  if (count == 1) /* most loads of scattered walks: a batch of one would take longer */
    return gc_walk_touch(model, sm, space, address);
  first = path->count > 1 ? &model->arrays[path->levels[0].cache] : NULL;
  second = path->count > 2 ? &model->arrays[path->levels[1].cache] : NULL;
  if (!first || whole || first->compete.active || (first->outside && path->count > 3) ||
      (first->outside && path->count == 3 && !sector_fits(model, path, 0)) ||
      stride < STRIDE_MIN || stride > STRIDE_MAX || first->profile->shape.line > LINE_MAX) {
    for (uint64_t i = 0; i < count; i++)
      cycles += gc_walk_touch(model, sm, space, address + i * stride);
    return cycles;
  }
  if (first->outside)
    return run_outside(model, sm, space, &run);
  if ((path->count == 3 || (path->count == 4 && sector_fits(model, path, 1))) && second->outside &&
      second->line_shift >= first->line_shift)
    return run_through(model, sm, space, &run);
  waiting.level = may_wait(model, path) ? 2 : 0;
  waiting.most = GC_WINDOW_LINES;
  waiting.window.count = 0;
  waiting.found = (struct gc_window_found){0};
  waiting.last = 0;
  return run_inside(model, sm, space, &run, &waiting);
}

/* Whether all of these loads hit in the first cache, inside the SM. */
static bool all_hit(const struct gc_model *model, enum gc_space space, uint64_t loads,
                    uint64_t cycles)
{
  const struct gc_profile_path *path = &model->profile.paths[space];
  const uint32_t hit = gc_walk_cycles(model, space, 0, 0);

  for (unsigned level = 1; level < path->count; level++)
    if (gc_walk_cycles(model, space, level, 0) <= hit)
      return false;
  return !gc_walk_outside(model, space, 0) && cycles == loads * hit;
}

static bool is_lru(const struct gc_cache_array *array)
{
  return array->profile->shape.replacement == GC_REPLACE_LRU &&
         array->profile->shape.insertion == GC_INSERT_YOUNGEST && !array->instances->limit;
}

/* If all loads of a pass hit, the next pass replaces nothing, and all its loads hit, too. Otherwise
 * all caches must be LRU. What is in an LRU set depends
 * only on the order of the last loads of its lines. So it is the same after each pass that loads
 * the same lines there, and the same lines miss from the second pass on, the same sectors from the
 * third one. This is what the next cache gets, so there it is two passes later. */
bool gc_model_repeats(const struct gc_model *model, enum gc_space space, uint32_t passes,
                      uint64_t loads, uint64_t cycles)
{
  const struct gc_profile_path *path = &model->profile.paths[space];
  uint32_t caches = model->profile.tlb_count;

  for (unsigned level = 0; level + 1 < path->count; level++)
    if (model->arrays[path->levels[level].cache].compete.active)
      return false;
  if (all_hit(model, space, loads, cycles))
    return true;
  for (unsigned i = 0; i < model->profile.tlb_count; i++)
    if (!is_lru(&model->tlbs[i]))
      return false;
  for (unsigned level = 0; level + 1 < path->count; level++) {
    const struct gc_cache_array *array = &model->arrays[path->levels[level].cache];

    if (!is_lru(array))
      return false;
    caches += array->profile->partitions > 1 ? 2 : 1; /* near and home */
  }
  return passes > 2 * caches;
}
