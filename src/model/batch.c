/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Loads of many lines at the caches of the chip.
 */
#include "model/batch.h"

/* How many times a line can draw random numbers at this cache, at most; 2: in several instances. */
static unsigned draws(const struct gc_cache_array *array)
{
  if (!gc_cache_draws(&array->profile->shape))
    return 0;
  return array->profile->partitions > 1 ? 2 : 1;
}

unsigned gc_batch_most(const struct gc_model *model, const struct gc_cache_array *array)
{
  unsigned all = array->outside ? 0 : draws(array);
  bool tlbs = false;

  for (unsigned i = 0; i < model->profile.cache_count; i++)
    all += model->arrays[i].outside ? draws(&model->arrays[i]) : 0;
  for (unsigned i = 0; i < model->profile.tlb_count; i++)
    tlbs |= draws(&model->tlbs[i]) > 0;
  return all + tlbs > 1 ? 1 : GC_BATCH_LINES;
}

/* The number of ones in each byte. __builtin_popcount is a function call on machines without an
 * instruction for it. */
#define ONES_2(n) (n), (n) + 1, (n) + 1, (n) + 2
#define ONES_4(n) ONES_2(n), ONES_2((n) + 1), ONES_2((n) + 1), ONES_2((n) + 2)
#define ONES_6(n) ONES_4(n), ONES_4((n) + 1), ONES_4((n) + 1), ONES_4((n) + 2)
const uint8_t gc_batch_ones[256] = {ONES_6(0), ONES_6(1), ONES_6(1), ONES_6(2)};

static uint64_t sum_ones(const struct gc_batch *batch)
{
  uint64_t sum = 0;

  for (unsigned i = 0; i < batch->count; i++)
    sum += gc_batch_ones[batch->mask[i]];
  return sum;
}

static uint64_t sum_again(const struct gc_batch *batch)
{
  uint64_t sum = 0;

  for (unsigned i = 0; i < batch->count; i++)
    sum += batch->again[i];
  return sum;
}

/* Loads of all lines at one instance. Returns how many sectors hit. */
static uint64_t access_instance(struct gc_model *model, struct gc_cache *cache,
                                struct gc_batch *batch)
{
  const uint64_t loaded = sum_ones(batch);

  cache->access_lines(cache, batch->address, batch->mask, batch->count, &model->replacement);
  return loaded - sum_ones(batch);
}

/* Removes the lines of which all sectors hit. There is no branch, because it would often be
 * predicted wrongly. */
static void keep_missed(struct gc_batch *batch)
{
  unsigned kept = 0;

  for (unsigned i = 0; i < batch->count; i++) {
    batch->address[kept] = batch->address[i];
    batch->mask[kept] = batch->mask[i];
    batch->again[kept] = batch->again[i];
    kept += batch->mask[i] != 0;
  }
  batch->count = kept;
}

/* Loads of those lines whose home is this partition. */
static void access_home(struct gc_model *model, struct gc_cache_array *array, uint32_t sm,
                        uint32_t partition, struct gc_batch *batch, struct gc_found *found)
{
  struct gc_batch own;
  uint8_t index[GC_BATCH_LINES];
  uint64_t hits;

  own.count = 0;
  for (unsigned i = 0; i < batch->count; i++) {
    own.address[own.count] = batch->address[i];
    own.mask[own.count] = batch->mask[i];
    own.again[own.count] = batch->again[i];
    index[own.count] = (uint8_t)i;
    own.count += gc_chip_home(array, batch->address[i]) == partition;
  }
  hits = access_instance(model, &array->instances[partition], &own);
  if (!array->profile->replicate)
    hits += sum_again(&own);
  *(partition == array->places[sm] ? &found->near : &found->far) += hits;
  for (unsigned i = 0; i < own.count; i++)
    batch->mask[index[i]] = own.mask[i];
}

void gc_batch_touch(struct gc_model *model, struct gc_cache_array *array, uint32_t sm,
                    struct gc_batch *batch, struct gc_found *found)
{
  const bool parts = array->profile->partitions > 1, replicate = parts && array->profile->replicate;
  const uint32_t near = array->places[sm];

  if (!parts || replicate) {
    found->near += sum_again(batch);
    found->near += access_instance(model, &array->instances[near], batch);
    keep_missed(batch);
  }
  for (uint32_t i = 0; parts && batch->count && i < array->count; i++)
    if (!(replicate && i == near))
      access_home(model, array, sm, i, batch, found);
  if (parts)
    keep_missed(batch);
  found->nowhere += sum_ones(batch);
}

uint64_t gc_batch_touch_behind(struct gc_model *model, const struct gc_cache_array *array,
                               struct gc_cache_array *behind, uint32_t sm, struct gc_batch *batch)
{
  const uint32_t sector = array->profile->shape.sector;
  struct gc_found found = {0};
  struct gc_batch next;

  next.count = 0;
  for (unsigned i = 0; i < batch->count; i++) {
    const uint64_t line = batch->address[i] >> array->line_shift << array->line_shift;

    for (uint8_t missed = batch->mask[i]; missed; missed &= (uint8_t)(missed - 1)) {
      if (next.count == GC_BATCH_LINES) {
        gc_batch_touch(model, behind, sm, &next, &found);
        next.count = 0;
      }
      next.address[next.count] = line + (uint64_t)__builtin_ctz(missed) * sector;
      next.mask[next.count] =
        gc_cache_sector_of(behind->instances, next.address[next.count]);
      next.again[next.count++] = 0;
    }
  }
  gc_batch_touch(model, behind, sm, &next, &found);
  batch->count = 0;
  return found.near + found.far;
}
