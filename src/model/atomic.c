/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Accesses that are more than a load: all lanes of a warp in the banks of shared memory, atomic
 * operations, and bulk copies.
 */
#include "model/model.h"

#include "model/walk.h"

#define ROWS_MAX 128 /* lanes of a warp */

/* How many rows of one bank the lanes from `first` to `end` use: the most of any bank. Lanes that
 * use the same row of a bank get its data together. */
static uint32_t ways(const struct gc_profile_banks *banks, const struct gc_lanes *lanes,
                     uint32_t first, uint32_t end)
{
  uint32_t bank[ROWS_MAX], row[ROWS_MAX], used = 0, most = 0;

  for (uint32_t lane = first; lane < end; lane++) {
    const uint64_t at = (uint64_t)(lane & lanes->mask) * lanes->stride;
    const uint32_t of = (uint32_t)(at / banks->interleave % banks->count);
    const uint32_t in = (uint32_t)(at / ((uint64_t)banks->width * banks->count));
    uint32_t same = 1, i = 0;

    for (; i < used && (bank[i] != of || row[i] != in); i++)
      same += bank[i] == of;
    if (i < used)
      continue;
    bank[used] = of;
    row[used++] = in;
    most = same > most ? same : most;
  }
  return most;
}

/* A warp with more lanes than there are banks takes several turns. */
uint32_t gc_model_lanes_cycles(const struct gc_model *model, const struct gc_lanes *lanes)
{
  const struct gc_profile_banks *banks = &model->profile.banks;
  const uint32_t warp = model->profile.facts.warp;
  uint32_t rows = 0;

  for (uint32_t first = 0; first < warp; first += banks->count)
    rows += ways(banks, lanes, first, first + banks->count < warp ? first + banks->count : warp);
  return model->profile.paths[GC_SPACE_SHARED].levels[0].cycles + (rows - 1) * banks->conflict;
}

uint32_t gc_model_lanes(struct gc_model *model, uint32_t cycles)
{
  return gc_chip_rounded(
    model, gc_noise_add(&model->noise, cycles, &model->jitters[GC_SPACE_SHARED][0]));
}

void gc_model_occupy(struct gc_model *model, uint64_t address, uint32_t operations)
{
  const struct gc_cache_array *array =
    &model->arrays[model->profile.paths[GC_SPACE_CG].levels[0].cache];

  if (!array->profile->slices)
    return;
  model->occupying = operations;
  model->occupied = gc_chip_slice(array, gc_pages_physical(&model->pages, address));
}

/* Where a slice always has so many operations to do, each waits for all of them, however long its
 * way is. */
static uint32_t queue(const struct gc_model *model, const struct gc_cache_array *array,
                      uint64_t physical, uint32_t cycles)
{
  const double busy = model->occupying / model->profile.atomics.l2_rate;

  if (!model->occupying || busy <= cycles || gc_chip_slice(array, physical) != model->occupied)
    return cycles;
  return (uint32_t)busy;
}

/* An L2 does atomic operations where the line is at home, which may be in a far partition. */
static uint32_t l2_cycles(struct gc_model *model, uint32_t sm, uint64_t address)
{
  const struct gc_profile_path *path = &model->profile.paths[GC_SPACE_CG];
  struct gc_cache_array *array = &model->arrays[path->levels[0].cache];
  const uint64_t physical = gc_pages_physical(&model->pages, address);
  const uint32_t near = array->places[sm];
  const uint32_t home = array->profile->partitions > 1 ? gc_chip_home(array, physical) : near;
  uint32_t cycles = model->profile.atomics.l2_cycles + (uint32_t)gc_chip_offset(model, sm);

  if (home != near)
    cycles += model->profile.atomics.l2_far;
  if (!gc_cache_access(&array->instances[home], physical, &model->replacement))
    cycles += path->levels[path->count - 1].cycles - path->levels[0].cycles;
  cycles = queue(model, array, physical, cycles);
  if (model->own_clock[GC_SPACE_CG][0])
    cycles = (uint32_t)(cycles * model->clock_share + 0.5);
  return model->profile.tlb_count ? cycles + gc_walk_translate(model, sm, address) : cycles;
}

uint32_t gc_model_atomic(struct gc_model *model, uint32_t sm, enum gc_space space, uint64_t address)
{
  const uint32_t cycles = space == GC_SPACE_SHARED ? model->profile.atomics.shared_cycles
                                                   : l2_cycles(model, sm, address);

  return gc_chip_rounded(model, gc_noise_add(&model->noise, cycles, &model->jitters[space][0]));
}

double gc_model_atomics(const struct gc_model *model, enum gc_space space, uint32_t lanes,
                        uint32_t sms)
{
  const struct gc_profile_atomics *atomics = &model->profile.atomics;

  if (space == GC_SPACE_SHARED)
    return lanes / atomics->shared_rate;
  return (double)lanes * (sms / model->profile.facts.xcds) /
         (atomics->l2_rate * model->traffic_share) *
         (model->own_clock[GC_SPACE_CG][0] ? model->clock_share : 1);
}

/* The first line determines the latency; the others come right behind it. A copy from behind L2
 * takes as much longer as a load does. */
uint32_t gc_model_bulk(struct gc_model *model, uint32_t sm, uint64_t address, uint32_t bytes,
                       double *busy)
{
  const struct gc_profile *profile = &model->profile;
  const struct gc_profile_level *l2 = &profile->paths[GC_SPACE_CG].levels[0];
  const uint32_t line = profile->caches[l2->cache].shape.line, more = (bytes - 1) / line;
  uint32_t cycles;

  *busy = bytes / profile->bulk.rate;
  if (more)
    gc_model_touch_run(model, sm, GC_SPACE_CG, address + line, line, more);
  cycles = gc_model_load(model, sm, GC_SPACE_CG, address) + profile->bulk.cycles;
  return cycles > l2->cycles ? cycles - l2->cycles : 1;
}
