/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes a simulated GPU from a profile.
 */
#include "model/chip.h"

#include "model/check.h"
#include "model/parse.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

uint64_t gc_chip_usable(const struct gc_model *model, const struct gc_profile_cache *cache)
{
  return (cache->unified ? model->profile.unified_total - model->carveout : cache->size) -
         cache->lost;
}

uint32_t gc_chip_sets(const struct gc_model *model, const struct gc_profile_cache *cache)
{
  const uint64_t set_bytes = (uint64_t)cache->shape.line * cache->shape.ways * cache->partitions;

  return (uint32_t)((cache->tags ? cache->tags : gc_chip_usable(model, cache)) / set_bytes);
}

void gc_chip_resize(const struct gc_model *model, const struct gc_profile_cache *profile,
                    struct gc_cache *cache)
{
  gc_cache_resize(cache, gc_chip_sets(model, profile));
  if (profile->tags > gc_chip_usable(model, profile))
    gc_cache_limit(cache, (uint32_t)(gc_chip_usable(model, profile) / profile->shape.line));
}

uint32_t gc_chip_range(const struct gc_profile *profile, uint32_t sm, uint32_t *id)
{
  const struct gc_profile_ids *ids = &profile->ids;
  const uint32_t each = profile->facts.sms / (uint32_t)ids->times, round = sm / each;
  uint32_t left = sm % each;
  unsigned i = 0;

  while (left > ids->ranges[i].last - ids->ranges[i].first) {
    left -= ids->ranges[i].last - ids->ranges[i].first + 1;
    i++;
  }
  *id = ids->ranges[i].first + left + round * (uint32_t)ids->step;
  return i + round * ids->count;
}

uint16_t gc_chip_near(const struct gc_profile *profile, const struct gc_profile_cache *cache,
                      uint32_t sm)
{
  return cache->gpc_part_count ? cache->gpc_parts[profile->gpcs.of[sm] - 1]
                               : (uint16_t)(sm / cache->partition_sms % cache->partitions);
}

/* How many SMs of a GPC have a lower number than this one. */
static uint32_t sms_before(const struct gc_profile *profile, uint32_t gpc, uint32_t sm)
{
  uint32_t count = 0;

  for (uint32_t s = 0; s < sm; s++)
    count += profile->gpcs.of[s] == gpc;
  return count;
}

/* How many instances the GPC has. */
static uint32_t instances_in(const struct gc_profile *profile, const struct gc_profile_cache *cache,
                             uint32_t gpc)
{
  const uint32_t sms = sms_before(profile, gpc, profile->facts.sms);

  return cache->group ? (sms + cache->group - 1) / cache->group : 1;
}

/* The instances of one GPC follow those of the GPC before. */
static uint32_t place_in_gpcs(const struct gc_profile *profile,
                              const struct gc_profile_cache *cache, uint32_t sm)
{
  const uint32_t own = profile->gpcs.of[sm];
  uint32_t place = cache->group ? sms_before(profile, own, sm) / cache->group : 0;

  for (uint32_t gpc = 1; gpc < own; gpc++)
    place += instances_in(profile, cache, gpc);
  return place;
}

static uint16_t place_of(const struct gc_profile *profile, const struct gc_profile_cache *cache,
                         uint32_t sm)
{
  uint32_t id;

  switch (cache->scope) {
  case GC_SCOPE_SM:
    return (uint16_t)(sm * cache->instances);
  case GC_SCOPE_RANGE:
    return (uint16_t)gc_chip_range(profile, sm, &id);
  case GC_SCOPE_GROUP:
    return (uint16_t)(sm / cache->group);
  case GC_SCOPE_GPC:
    return (uint16_t)place_in_gpcs(profile, cache, sm);
  case GC_SCOPE_XCD:
    return (uint16_t)(sm / (profile->facts.sms / profile->facts.xcds));
  case GC_SCOPE_CHIP:
    break;
  }
  return gc_chip_near(profile, cache, sm);
}

static uint32_t instances_of(const struct gc_profile *profile, const struct gc_profile_cache *cache)
{
  const uint32_t sms = profile->facts.sms;
  uint32_t count = 0;

  switch (cache->scope) {
  case GC_SCOPE_SM:
    return sms * cache->instances;
  case GC_SCOPE_RANGE:
    return profile->ids.count * (uint32_t)profile->ids.times;
  case GC_SCOPE_GROUP:
    return (sms + cache->group - 1) / cache->group;
  case GC_SCOPE_GPC:
    for (uint32_t gpc = 1; gpc <= profile->gpcs.count; gpc++)
      count += instances_in(profile, cache, gpc);
    return count;
  case GC_SCOPE_XCD:
    return profile->facts.xcds;
  case GC_SCOPE_CHIP:
    break;
  }
  return cache->partitions;
}

/* each: how many caches an instance consists of. */
static int begin_array(struct gc_model *model, struct gc_cache_array *array,
                       const struct gc_profile_cache *profile, uint32_t each)
{
  const uint32_t sms = model->profile.facts.sms;
  const uint32_t count = each * instances_of(&model->profile, profile);

  array->profile = profile;
  array->outside = profile->scope >= GC_SCOPE_XCD;
  array->per_launch = !array->outside || profile->emptied;
  array->line_shift = (uint32_t)__builtin_ctz(profile->shape.line);
  array->side_mask = profile->side_mask;
  array->side_and = profile->side_and;
  array->instances = calloc(count, sizeof(*array->instances));
  array->places = calloc(sms, sizeof(*array->places));
  if (!array->instances || !array->places)
    return -ENOMEM;
  for (uint32_t sm = 0; sm < sms; sm++)
    array->places[sm] = (uint16_t)(each * place_of(&model->profile, profile, sm));
  if (profile->compete && gc_compete_init(&array->compete, sms))
    return -ENOMEM;
  return 0;
}

static int make_array(struct gc_model *model, struct gc_cache_array *array,
                      const struct gc_profile_cache *profile)
{
  const uint32_t count = instances_of(&model->profile, profile);

  if (begin_array(model, array, profile, 1))
    return -ENOMEM;
  for (array->count = 0; array->count < count; array->count++) {
    if (gc_cache_init(&array->instances[array->count], &profile->shape,
                      gc_chip_sets(model, profile)))
      return -ENOMEM;
    gc_chip_resize(model, profile, &array->instances[array->count]);
    if (array->outside && (gc_cache_widen(&array->instances[array->count]) ||
                           (profile->write == GC_STORE_BACK &&
                            gc_cache_write_back(&array->instances[array->count])))) {
      array->count++; /* for gc_chip_fini */
      return -ENOMEM;
    }
  }
  return 0;
}

/* Neighbouring entries are in different sets: the sets take turns until they are full. So as many
 * neighbours as there are entries fit, wherever they begin. */
static void deal_entries(const struct gc_profile_tlb *tlb, uint8_t *set_of)
{
  uint32_t n = 0;

  for (uint32_t round = 0; n < tlb->entries; round++)
    for (uint32_t set = 0; set < tlb->set_count; set++)
      if (tlb->set_entries[set] > round)
        set_of[n++] = (uint8_t)set;
}

static int make_tlb(struct gc_model *model, struct gc_cache_array *array,
                    const struct gc_profile_tlb *tlb)
{
  const uint32_t sets = tlb->set_count, count = sets * instances_of(&model->profile, &tlb->cache);

  if (!sets)
    return make_array(model, array, &tlb->cache);
  array->entries = (uint32_t)tlb->entries;
  array->set_of = calloc(tlb->entries, 1);
  array->shapes = calloc(sets, sizeof(*array->shapes));
  if (!array->set_of || !array->shapes || begin_array(model, array, &tlb->cache, sets))
    return -ENOMEM;
  deal_entries(tlb, array->set_of);
  for (uint32_t set = 0; set < sets; set++) {
    array->shapes[set] = tlb->cache.shape;
    array->shapes[set].ways = tlb->set_entries[set];
  }
  for (array->count = 0; array->count < count; array->count++) {
    if (gc_cache_init(&array->instances[array->count], &array->shapes[array->count % sets], 1))
      return -ENOMEM;
    gc_cache_resize(&array->instances[array->count], 1);
  }
  return 0;
}

/* Whether the level is inside the SM, so that its rate is in bytes per cycle. */
static bool own_rate(const struct gc_profile *profile, enum gc_space space, unsigned level)
{
  const int cache = profile->paths[space].levels[level].cache;

  return cache == GC_PROFILE_MEMORY ? space == GC_SPACE_SHARED
                                    : profile->caches[cache].scope < GC_SCOPE_XCD;
}

double gc_chip_rate(const struct gc_model *model, enum gc_space space, unsigned level, bool write)
{
  const struct gc_profile *profile = &model->profile;
  const struct gc_profile_path *path = &profile->paths[space];

  if (level >= path->count)
    return 0;
  if (own_rate(profile, space, level))
    return write ? path->write_rates[level] : path->read_rates[level];
  if (path->levels[level].cache == GC_PROFILE_MEMORY)
    return write ? profile->memory_write_gbps : profile->memory_read_gbps;
  return write ? profile->caches[path->levels[level].cache].write_gbps
               : profile->caches[path->levels[level].cache].read_gbps;
}

static double cycles_of_byte(const struct gc_model *model, enum gc_space space, unsigned level,
                             bool write)
{
  const struct gc_model_facts *facts = &model->profile.facts;
  const double rate = gc_chip_rate(model, space, level, write);

  if (own_rate(&model->profile, space, level))
    return 1 / rate;
  return (double)facts->sms * facts->running_clock_khz / (rate * model->traffic_share * 1e6);
}

void gc_chip_tabulate_rates(struct gc_model *model)
{
  for (int space = 0; space < GC_SPACE_COUNT; space++)
    for (unsigned level = 0; level < model->profile.paths[space].count; level++)
      for (int write = 0; write < 2; write++)
        model->byte_cycles[write][space][level] =
          cycles_of_byte(model, (enum gc_space)space, level, write);
}

/* Marks the levels that have a clock of their own. */
static void mark_own_clocks(struct gc_model *model)
{
  const struct gc_profile *profile = &model->profile;

  for (int space = 0; space < GC_SPACE_COUNT; space++)
    for (unsigned level = 0; level < profile->paths[space].count; level++) {
      const bool memory = profile->paths[space].levels[level].cache == GC_PROFILE_MEMORY;

      model->own_clock[space][level] = profile->own_clock != GC_OWN_CLOCK_NONE &&
                                       !own_rate(profile, (enum gc_space)space, level) &&
                                       (memory || profile->own_clock == GC_OWN_CLOCK_L2);
    }
}

/* Space for the load of each slice of the cache that loads of L2 reach first. */
static int make_slices(struct gc_model *model)
{
  const int first = model->profile.paths[GC_SPACE_CG].levels[0].cache;
  const struct gc_profile_cache *cache =
    first == GC_PROFILE_MEMORY ? NULL : &model->profile.caches[first];

  if (!cache || !cache->slices || !(cache->slice_read > 0))
    return 0;
  model->slice_busy = calloc(cache->slices, sizeof(*model->slice_busy));
  if (!model->slice_busy)
    return -ENOMEM;
  model->slice_count = cache->slices;
  return 0;
}

int gc_chip_init(struct gc_model *model, const char *name, const char *text, size_t length,
                 struct gc_error *err)
{
  int status = gc_profile_parse(name, text, length, &model->profile, err);

  if (!status)
    status = gc_profile_check(name, &model->profile, err);
  if (status)
    return status;
  /* Caches are made for the smallest carve-out, when they are largest. */
  model->carveout = model->profile.carveouts[0];
  for (unsigned i = 0; i < model->profile.cache_count; i++)
    if (make_array(model, &model->arrays[i], &model->profile.caches[i]))
      return gc_fail(err, -ENOMEM, "%.200s: no memory for the simulated caches", name);
  if (make_slices(model))
    return gc_fail(err, -ENOMEM, "%.200s: no memory for the simulated slices", name);
  for (unsigned i = 0; i < model->profile.tlb_count; i++)
    if (make_tlb(model, &model->tlbs[i], &model->profile.tlbs[i]))
      return gc_fail(err, -ENOMEM, "%.200s: no memory for the simulated TLBs", name);
  if (model->profile.host_tlb.cache.line_number &&
      make_tlb(model, &model->host_tlb, &model->profile.host_tlb))
    return gc_fail(err, -ENOMEM, "%.200s: no memory for the simulated TLBs", name);
  for (int space = 0; space < GC_SPACE_COUNT; space++)
    for (unsigned i = 0; i < model->profile.paths[space].count; i++)
      gc_jitter_init(&model->jitters[space][i], model->profile.paths[space].levels[i].jitter);
  gc_pages_init(&model->pages, model->profile.page_bytes, model->profile.page_order,
                model->profile.page_seed);
  model->traffic_share = model->clock_share = 1;
  gc_clock_init(&model->clock, &model->profile.clock, model->profile.facts.running_clock_khz,
                model->profile.seed);
  mark_own_clocks(model);
  gc_chip_tabulate_rates(model);
  return 0;
}

static void free_array(struct gc_cache_array *array)
{
  for (uint32_t k = 0; k < array->count; k++)
    gc_cache_fini(&array->instances[k]);
  gc_compete_fini(&array->compete);
  free(array->set_of);
  free(array->shapes);
  free(array->instances);
  free(array->places);
}

void gc_chip_fini(struct gc_model *model)
{
  gc_pages_fini(&model->pages);
  free(model->slice_busy);
  for (unsigned i = 0; i < GC_PROFILE_CACHES_MAX; i++)
    free_array(&model->arrays[i]);
  for (unsigned i = 0; i < GC_PROFILE_TLBS_MAX; i++)
    free_array(&model->tlbs[i]);
  free_array(&model->host_tlb);
}

uint32_t gc_chip_rounded(const struct gc_model *model, uint32_t cycles)
{
  const uint32_t step = model->profile.latency_step;

  if (step == 1)
    return cycles;
  return cycles < step ? step : (cycles + step / 2) / step * step;
}

/* SMs differ, and always in the same way: each has a fixed share of `most` cycles. */
static uint32_t share_of(uint32_t sm, uint32_t most)
{
  const uint64_t mixed = (sm + 1) * 0x9e3779b97f4a7c15;

  return (uint32_t)((mixed >> 32) * (most + 1) >> 32);
}

static uint32_t distance_of(const struct gc_model *model, uint32_t sm)
{
  return share_of(sm, model->profile.gpcs.remote_spread);
}

int32_t gc_chip_offset(const struct gc_model *model, uint32_t sm)
{
  const uint32_t spread = model->profile.sm_spread;

  return (int32_t)share_of(sm, 2 * spread) - (int32_t)spread;
}

uint32_t gc_chip_remote(const struct gc_model *model, uint32_t sm, uint32_t other)
{
  const struct gc_profile_gpcs *gpcs = &model->profile.gpcs;

  if (sm == other)
    return model->profile.paths[GC_SPACE_SHARED].levels[0].cycles;
  return gc_chip_rounded(model, gpcs->remote_cycles - gpcs->remote_spread +
                                   distance_of(model, sm) + distance_of(model, other));
}

double gc_chip_traffic_share(struct gc_model *model)
{
  const double sigma = 2.8284271247461903; /* of a binomial with 32 trials: sqrt(32 / 4) */
  /* the number of ones in 32 random bits */
  const int ones = __builtin_popcount((uint32_t)gc_random_next(&model->traffic));
  const double share = 1 + (ones - 16) / sigma * model->profile.bandwidth_noise;

  return share > 0.01 ? share : 0.01;
}

int32_t gc_chip_queued(const struct gc_model *model, unsigned level)
{
  double all = 0;

  for (unsigned nearer = 0; nearer <= level; nearer++)
    all += model->queued[nearer];
  return (int32_t)lround(all);
}
