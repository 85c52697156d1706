/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Launches and loads on a simulated GPU.
 */
#include "model/model.h"

#include "model/walk.h"
#include "model/window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(GC_MODEL_LEVELS == GC_PROFILE_LEVELS_MAX, "the header states the number of levels");

int gc_model_new(const char *name, const char *text, size_t length, struct gc_model **out,
                 struct gc_error *err)
{
  struct gc_model *model = calloc(1, sizeof(*model));
  int status;

  *out = NULL;
  if (!model)
    return gc_fail(err, -ENOMEM, "%.200s: no memory for the simulated GPU", name);
  status = gc_chip_init(model, name, text, length, err);
  if (status) {
    gc_model_free(model);
    return status;
  }
  for (unsigned i = 0; i < model->profile.cache_count; i++)
    model->arrays[i].window_most = gc_window_most(model, &model->arrays[i]);
  gc_model_seed(model, model->profile.seed);
  *out = model;
  return 0;
}

void gc_model_free(struct gc_model *model)
{
  if (!model)
    return;
  gc_chip_fini(model);
  free(model);
}

const struct gc_model_facts *gc_model_facts(const struct gc_model *model)
{
  return &model->profile.facts;
}

void gc_model_seed(struct gc_model *model, uint64_t seed)
{
  gc_random_seed(&model->replacement, ~seed);
  gc_random_seed(&model->traffic, seed + 1);
  gc_noise_init(&model->noise, &model->profile.disturbance, seed);
}

int gc_model_map(struct gc_model *model, uint64_t base, uint64_t bytes)
{
  return gc_pages_map(&model->pages, base, bytes);
}

int gc_model_alias(struct gc_model *model, uint64_t base, uint64_t bytes, uint64_t span)
{
  return gc_pages_alias(&model->pages, base, bytes, span);
}

void gc_model_unmap(struct gc_model *model, uint64_t base)
{
  gc_pages_unmap(&model->pages, base);
}

void gc_model_unit(struct gc_model *model, uint32_t unit)
{
  model->unit = unit;
}

/* The smallest carve-out that has the requested share and is enough for the resident blocks. */
static uint64_t choose_carveout(const struct gc_profile *profile, int percent, uint64_t needed)
{
  const uint64_t largest = profile->carveouts[profile->carveout_count - 1];
  const uint64_t requested = percent > 0 ? largest * (uint64_t)percent / 100 : 0;

  if (needed < requested)
    needed = requested;
  for (unsigned i = 0; i < profile->carveout_count; i++)
    if (profile->carveouts[i] >= needed)
      return profile->carveouts[i];
  return largest;
}

void gc_model_launch(struct gc_model *model, int carveout_percent, uint32_t resident_blocks,
                     uint64_t shared_bytes)
{
  const struct gc_profile *profile = &model->profile;

  if (profile->unified_line)
    model->carveout =
      choose_carveout(profile, carveout_percent > 100 ? 100 : carveout_percent,
                      resident_blocks * (shared_bytes + profile->facts.shared_reserved));
  for (unsigned i = 0; i < profile->cache_count; i++) {
    struct gc_cache_array *array = &model->arrays[i];

    for (uint32_t k = 0; array->per_launch && k < array->count; k++)
      gc_chip_resize(model, array->profile, &array->instances[k]);
    gc_compete_start(&array->compete, false);
  }
  model->unit = 0;
  model->occupying = 0;
  memset(model->swept, 0, sizeof(model->swept));
  model->swept_host = 0;
  memset(model->queued, 0, sizeof(model->queued));
  model->queued_rows = 0;
  for (uint32_t i = 0; i < model->slice_count; i++)
    model->slice_busy[i] = 0;
  model->traffic_share = gc_chip_traffic_share(model);
  gc_chip_tabulate_rates(model);
}

uint32_t gc_model_load(struct gc_model *model, uint32_t sm, enum gc_space space, uint64_t address)
{
  uint32_t cycles;
  const unsigned level =
    gc_walk_from(model, sm, space, 0, gc_walk_address(space, address), &cycles);

  if (level + 1 == model->profile.paths[space].count && space != GC_SPACE_SHARED)
    cycles += model->memory_delay;
  if (model->queued_rows)
    cycles += (uint32_t)gc_chip_queued(model, level); /* modulo 2^32; the sum is positive */
  return gc_chip_rounded(model,
                          gc_noise_add(&model->noise, cycles, &model->jitters[space][level]));
}

void gc_model_delay_memory(struct gc_model *model, uint32_t cycles)
{
  model->memory_delay = cycles;
}

uint32_t gc_model_remote(struct gc_model *model, uint32_t sm, uint32_t other)
{
  return gc_chip_rounded(model, gc_noise_add(&model->noise, gc_chip_remote(model, sm, other),
                                              &model->jitters[GC_SPACE_SHARED][0]));
}

uint32_t gc_model_touch(struct gc_model *model, uint32_t sm, enum gc_space space, uint64_t address)
{
  return gc_walk_touch(model, sm, space, address);
}

uint64_t gc_model_wall(struct gc_model *model, uint64_t cycles)
{
  return gc_clock_ns(&model->clock, cycles);
}

bool gc_model_wanders(const struct gc_model *model)
{
  return model->clock.habits.wander > 0;
}

void gc_model_time(struct gc_model *model, uint64_t cycles)
{
  if (model->profile.own_clock != GC_OWN_CLOCK_NONE && !model->clock.steady)
    model->clock_share =
      (double)gc_clock_khz(&model->clock, cycles) / model->profile.facts.running_clock_khz;
}

void gc_model_compete(struct gc_model *model, bool compete)
{
  for (unsigned i = 0; i < model->profile.cache_count; i++)
    gc_compete_start(&model->arrays[i].compete, compete);
}

static void empty_array(struct gc_cache_array *array)
{
  for (uint32_t k = 0; k < array->count; k++)
    gc_cache_empty(&array->instances[k]);
}

void gc_model_displace(struct gc_model *model)
{
  for (unsigned i = 0; i < model->profile.cache_count; i++)
    if (model->arrays[i].outside)
      empty_array(&model->arrays[i]);
  for (unsigned i = 0; i < model->profile.tlb_count; i++)
    empty_array(&model->tlbs[i]);
  empty_array(&model->host_tlb);
}

bool gc_model_coin(struct gc_model *model)
{
  return gc_random_next(&model->traffic) >> 63;
}

const struct gc_disturbance *gc_model_disturbance(const struct gc_model *model)
{
  return &model->profile.disturbance;
}

uint32_t gc_model_clock_overhead(const struct gc_model *model)
{
  return model->profile.clock_overhead;
}

uint32_t gc_model_sm_id(const struct gc_model *model, uint32_t sm)
{
  uint32_t id = sm;

  if (model->profile.ids.count)
    gc_chip_range(&model->profile, sm, &id);
  return id;
}

uint32_t gc_model_sm_of_block(const struct gc_model *model, uint32_t block)
{
  const struct gc_model_facts *facts = &model->profile.facts;
  const uint32_t each = facts->sms / facts->xcds;

  return block % facts->xcds * each + block / facts->xcds % each;
}
