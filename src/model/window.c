/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Loads of many lines at the caches of the chip.
 */
#include "model/window.h"

#include <string.h>

/* How many times a line can draw random numbers at this cache, at most; 2: in several instances. */
static unsigned draws(const struct gc_cache_array *array)
{
  if (!gc_cache_draws(&array->profile->shape))
    return 0;
  return array->profile->partitions > 1 ? 2 : 1;
}

unsigned gc_window_most(const struct gc_model *model, const struct gc_cache_array *array)
{
  unsigned all = array->outside ? 0 : draws(array);
  bool tlbs = false;

  for (unsigned i = 0; i < model->profile.cache_count; i++)
    all += model->arrays[i].outside ? draws(&model->arrays[i]) : 0;
  for (unsigned i = 0; i < model->profile.tlb_count; i++)
    tlbs |= draws(&model->tlbs[i]) > 0;
  return all + tlbs > 1 ? 1 : GC_WINDOW_LINES;
}

/* Lines of a window at a time, where each has a byte. The vectors are those of GCC, so every host has
 * them. */
typedef uint8_t bytes __attribute__((vector_size(16)));
#define EACH sizeof(bytes)

static inline bytes all(uint8_t value)
{
  return (bytes){0} + value;
}

static inline bytes bytes_at(const uint8_t *from)
{
  bytes x;

  memcpy(&x, from, sizeof(x));
  return x;
}

/* The number of ones in the bytes of a window. */
static uint64_t count_ones(const uint8_t own[GC_WINDOW_LINES], unsigned count)
{
  bytes sum = {0};
  uint64_t ones = 0;

  for (unsigned i = 0; i < count; i += EACH) {
    bytes x = bytes_at(own + i);

    x -= x >> 1 & all(0x55);
    x = (x & all(0x33)) + (x >> 2 & all(0x33));
    sum += (x + (x >> 4)) & all(0x0f);
  }
  _Static_assert(GC_WINDOW_LINES / EACH * 8 <= UINT8_MAX, "the sums fit into bytes");
  for (unsigned i = 0; i < EACH; i++)
    ones += sum[i];
  return ones;
}

/* The partition that each line of a window is at home in. */
static void find_homes(const struct gc_cache_array *array, const struct gc_window *window,
                       uint8_t *homes)
{
  const uint64_t bits = array->side_mask | array->side_and, first = window->address;
  const uint64_t same = (bits & -bits) - 1; /* bits that do not matter */
  const uint32_t shift = array->line_shift, partitions = array->count, lines = window->count;
  const bool masked = array->side_mask;
  unsigned more;

  /* without masks, each line has a home of its own */
  for (unsigned i = 0; !masked && i < lines; i++)
    homes[i] = (uint8_t)gc_chip_mixed_home((first >> shift) + i, partitions);
  for (unsigned i = 0; masked && i < lines; i += 1 + more) {
    const uint64_t at = first + ((uint64_t)i << shift);
    const uint64_t last = (~at & same) >> shift;

    more = last < lines - i ? (unsigned)last : lines - i - 1;
    memset(homes + i, (int)gc_chip_home(array, at), 1 + more);
  }
}

/* The lines of a window whose home is this partition. */
static void take_own(const struct gc_window *window, const uint8_t *homes, uint32_t partition,
                     uint8_t own[GC_WINDOW_LINES])
{
  const unsigned count = window->count;

  for (unsigned i = 0; i < count; i += EACH) {
    const bytes x = bytes_at(window->mask + i) & (bytes)(bytes_at(homes + i) == (uint8_t)partition);

    memcpy(own + i, &x, sizeof(x));
  }
  memset(own + count, 0, -count % EACH);
}

/* Gives a window the masks of the lines whose home is this partition. */
static void put_own(struct gc_window *window, const uint8_t *homes, uint32_t partition,
                    const uint8_t own[GC_WINDOW_LINES])
{
  for (unsigned i = 0; i < window->count; i += EACH) {
    const bytes at_home = (bytes)(bytes_at(homes + i) == (uint8_t)partition);
    const bytes x = (bytes_at(window->mask + i) & ~at_home) | (bytes_at(own + i) & at_home);

    memcpy(window->mask + i, &x, sizeof(x));
  }
}

/* Loads of those lines whose home is this partition. Returns how many hit. */
static uint64_t access_home(struct gc_model *model, struct gc_cache_array *array,
                            uint32_t partition, const uint8_t *homes, struct gc_window *window)
{
  uint8_t own[GC_WINDOW_LINES];
  uint64_t hits = 0;

  take_own(window, homes, partition, own);
  if (array->profile->replicate)
    hits = count_ones(own, window->count);
  else
    for (unsigned i = 0; i < window->count; i++)
      hits += own[i] ? window->loads[i] : 0;
  if (!hits)
    return 0;
  hits -= gc_cache_access_window(&array->instances[partition], window->address, own, window->loads,
                                 NULL, window->count, &model->replacement);
  if (hits)
    put_own(window, homes, partition, own);
  return hits;
}

void gc_window_touch(struct gc_model *model, struct gc_cache_array *array, uint32_t sm,
                     struct gc_window *window, struct gc_window_found *found)
{
  const bool parts = array->profile->partitions > 1, replicate = parts && array->profile->replicate;
  const uint32_t near = array->places[sm];

  if (!parts || replicate) {
    found->near += window->sum;
    window->sum = gc_cache_access_window(&array->instances[near], window->address, window->mask,
                                         window->loads, NULL, window->count, &model->replacement);
    found->near -= window->sum;
  }
  if (parts && window->sum) {
    uint8_t homes[GC_WINDOW_LINES];

    find_homes(array, window, homes);
    for (uint32_t i = 0; i < array->count; i++) {
      const uint64_t hits =
        replicate && i == near ? 0 : access_home(model, array, i, homes, window);

      *(i == near ? &found->near : &found->far) += hits;
      window->sum -= hits;
    }
  }
  found->nowhere += window->sum;
}

bool gc_window_alike(const struct gc_cache_array *array, const struct gc_cache_array *behind)
{
  const uint32_t line = 1u << array->line_shift;

  return behind->line_shift == array->line_shift && array->profile->shape.sector == line &&
         behind->profile->shape.sector == line;
}

bool gc_window_absent(const struct gc_cache_array *array, uint32_t sm, struct gc_window *window)
{
  const bool parts = array->profile->partitions > 1;
  const uint32_t near = array->places[sm];
  uint8_t homes[GC_WINDOW_LINES], own[GC_WINDOW_LINES];

  if ((!parts || array->profile->replicate) &&
      gc_cache_has_any(&array->instances[near], window->address, window->mask, window->count))
    return false;
  if (parts)
    find_homes(array, window, homes);
  for (uint32_t i = 0; parts && i < array->count; i++) {
    take_own(window, homes, i, own);
    if (gc_cache_has_any(&array->instances[i], window->address, own, window->count))
      return false;
  }
  return true;
}

uint64_t gc_window_touch_behind(struct gc_model *model, const struct gc_cache_array *array,
                                struct gc_cache_array *behind, uint32_t sm,
                                struct gc_window *window)
{
  const uint32_t sector = array->profile->shape.sector, shift = behind->line_shift;
  struct gc_window_found found = {0};
  struct gc_window next;

  if (gc_window_alike(array, behind)) {
    memcpy(window->loads, window->mask, window->count);
    gc_window_touch(model, behind, sm, window, &found);
    return found.near + found.far;
  }
  next = (struct gc_window){.address = window->address >> shift << shift};
  for (unsigned i = 0; i < window->count; i++) {
    const uint64_t line = window->address + ((uint64_t)i << array->line_shift);

    for (uint8_t missed = window->mask[i]; missed; missed &= (uint8_t)(missed - 1)) {
      const uint64_t at = line + (uint64_t)__builtin_ctz(missed) * sector;

      if ((at - next.address) >> shift >= GC_WINDOW_LINES) {
        gc_window_touch(model, behind, sm, &next, &found);
        next = (struct gc_window){.address = at >> shift << shift};
      }
      next.count = (unsigned)((at - next.address) >> shift) + 1;
      next.mask[next.count - 1] |= gc_cache_sector_of(behind->instances, at);
      next.loads[next.count - 1]++;
      next.sum++;
    }
  }
  gc_window_touch(model, behind, sm, &next, &found);
  return found.near + found.far;
}

void gc_window_store(struct gc_model *model, struct gc_cache_array *array, uint32_t sm,
                     const struct gc_window *window)
{
  const bool back = array->profile->write == GC_STORE_BACK, parts = array->profile->partitions > 1;
  const uint32_t near = array->places[sm];
  uint8_t homes[GC_WINDOW_LINES], own[GC_WINDOW_LINES], changes[GC_WINDOW_LINES];

  memset(homes, (int)near, sizeof(homes));
  if (parts)
    find_homes(array, window, homes);
  for (uint32_t p = 0; p < array->count; p++) {
    if (!parts && p != near)
      continue;
    take_own(window, homes, p, changes);
    memcpy(own, p == near && array->profile->replicate ? window->mask : changes, window->count);
    gc_cache_access_window(&array->instances[p], window->address, own, NULL,
                           back ? changes : NULL, window->count, &model->replacement);
  }
}
