/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The chip at work: which instance of which cache a load goes through, and where it ends.
 */
#include "model/model.h"
#include "model/profile.h"

#include <errno.h>
#include <stdlib.h>

/* Constant space is small and starts near 0; in the caches that all spaces share it must not be
 * taken for global memory, whose addresses have fewer bits than this one. */
#define CONSTANT_SPACE (1ull << 56)
#define INSTRUCTION_SPACE (1ull << 57)

/* All instances of one cache of the profile, SM by SM, or partition by partition. */
struct bank {
  const struct gc_profile_cache *profile;
  struct gc_cache *instances;
  uint32_t count;
  bool per_launch; /* emptied when a kernel starts: all but those of an XCD or of the chip */
  uint32_t line_shift;
  uint16_t *places; /* [SMs]: the first instance of this SM, or the partition that is near to it */
};

_Static_assert(GC_MODEL_LEVELS == GC_PROFILE_LEVELS_MAX, "the header promises as many levels");

struct gc_model {
  struct gc_profile profile;
  struct bank banks[GC_PROFILE_CACHES_MAX];
  struct gc_jitter jitters[GC_SPACE_COUNT][GC_PROFILE_LEVELS_MAX];
  struct gc_random traffic;     /* what others do to the bandwidth of L2 and memory … */
  double traffic_share;         /* … in this launch: what is left of it */
  /* Cycles that a byte keeps a level busy, as one SM sees it; [1]: that is written. */
  double byte_cycles[2][GC_SPACE_COUNT][GC_PROFILE_LEVELS_MAX];
  struct gc_random replacement; /* apart from the noise: timed or not, the caches move alike */
  struct gc_noise noise;
  uint64_t carveout;
  uint32_t unit;
};

static uint64_t usable(const struct gc_model *model, const struct gc_profile_cache *cache)
{
  return (cache->unified ? model->profile.unified_total - model->carveout : cache->size) -
         cache->lost;
}

static uint32_t sets_of(const struct gc_model *model, const struct gc_profile_cache *cache)
{
  const uint64_t set_bytes = (uint64_t)cache->shape.line * cache->shape.ways * cache->partitions;

  return (uint32_t)(usable(model, cache) / set_bytes);
}

/* Which range of sm_ids an SM is in, and its number. */
static uint32_t range_of(const struct gc_profile *profile, uint32_t sm, uint32_t *id)
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

static uint16_t place_of(const struct gc_profile *profile, const struct gc_profile_cache *cache,
                         uint32_t sm)
{
  uint32_t id;

  switch (cache->scope) {
  case GC_SCOPE_SM:
    return (uint16_t)(sm * cache->instances);
  case GC_SCOPE_RANGE:
    return (uint16_t)range_of(profile, sm, &id);
  case GC_SCOPE_GROUP:
    return (uint16_t)(sm / cache->group);
  case GC_SCOPE_XCD:
    return (uint16_t)(sm / (profile->facts.sms / profile->facts.xcds));
  case GC_SCOPE_CHIP:
    break;
  }
  return (uint16_t)(sm / cache->partition_sms % cache->partitions);
}

static uint32_t instances_of(const struct gc_profile *profile, const struct gc_profile_cache *cache)
{
  const uint32_t sms = profile->facts.sms;

  switch (cache->scope) {
  case GC_SCOPE_SM:
    return sms * cache->instances;
  case GC_SCOPE_RANGE:
    return profile->ids.count * (uint32_t)profile->ids.times;
  case GC_SCOPE_GROUP:
    return (sms + cache->group - 1) / cache->group;
  case GC_SCOPE_XCD:
    return profile->facts.xcds;
  case GC_SCOPE_CHIP:
    break;
  }
  return cache->partitions;
}

static int make_bank(struct gc_model *model, struct bank *bank,
                     const struct gc_profile_cache *profile)
{
  const uint32_t sms = model->profile.facts.sms, count = instances_of(&model->profile, profile);

  bank->profile = profile;
  bank->per_launch = profile->scope < GC_SCOPE_XCD;
  bank->line_shift = (uint32_t)__builtin_ctz(profile->shape.line);
  bank->instances = calloc(count, sizeof(*bank->instances));
  bank->places = calloc(sms, sizeof(*bank->places));
  if (!bank->instances || !bank->places)
    return -ENOMEM;
  for (uint32_t sm = 0; sm < sms; sm++)
    bank->places[sm] = place_of(&model->profile, profile, sm);
  for (bank->count = 0; bank->count < count; bank->count++)
    if (gc_cache_init(&bank->instances[bank->count], &profile->shape, sets_of(model, profile)))
      return -ENOMEM;
  return 0;
}

/* Whether the rate of this level is one SM's own, in bytes per cycle. */
static bool own_rate(const struct gc_profile *profile, enum gc_space space, unsigned level)
{
  const int cache = profile->paths[space].levels[level].cache;

  return cache == GC_PROFILE_MEMORY ? space == GC_SPACE_SHARED
                                    : profile->caches[cache].scope < GC_SCOPE_XCD;
}

double gc_model_true_bandwidth(const struct gc_model *model, enum gc_space space, unsigned level,
                               bool write)
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
  const double rate = gc_model_true_bandwidth(model, space, level, write);

  if (own_rate(&model->profile, space, level))
    return 1 / rate;
  return (double)facts->sms * facts->running_clock_khz / (rate * model->traffic_share * 1e6);
}

/* For this launch: it depends on what others do. */
static void tabulate_byte_cycles(struct gc_model *model)
{
  for (int space = 0; space < GC_SPACE_COUNT; space++)
    for (unsigned level = 0; level < model->profile.paths[space].count; level++)
      for (int write = 0; write < 2; write++)
        model->byte_cycles[write][space][level] =
          cycles_of_byte(model, (enum gc_space)space, level, write);
}

int gc_model_new(const char *name, const char *text, size_t length, struct gc_model **out,
                 struct gc_error *err)
{
  struct gc_model *model = calloc(1, sizeof(*model));
  int status;

  *out = NULL;
  if (!model)
    return gc_fail(err, -ENOMEM, "%.200s: no memory for the simulated GPU", name);
  status = gc_profile_parse(name, text, length, &model->profile, err);
  if (!status)
    status = gc_profile_check(name, &model->profile, err);
  if (status)
    goto fail;
  /* Caches are made for the smallest carve-out, when they are largest. */
  model->carveout = model->profile.carveouts[0];
  for (unsigned i = 0; i < model->profile.cache_count; i++)
    if (make_bank(model, &model->banks[i], &model->profile.caches[i])) {
      status = gc_fail(err, -ENOMEM, "%.200s: no memory for the simulated caches", name);
      goto fail;
    }
  for (int space = 0; space < GC_SPACE_COUNT; space++)
    for (unsigned i = 0; i < model->profile.paths[space].count; i++)
      gc_jitter_init(&model->jitters[space][i], model->profile.paths[space].levels[i].jitter);
  gc_model_seed(model, model->profile.seed);
  model->traffic_share = 1;
  tabulate_byte_cycles(model);
  *out = model;
  return 0;
fail:
  gc_model_free(model);
  return status;
}

void gc_model_free(struct gc_model *model)
{
  if (!model)
    return;
  for (unsigned i = 0; i < GC_PROFILE_CACHES_MAX; i++) {
    for (uint32_t k = 0; k < model->banks[i].count; k++)
      gc_cache_fini(&model->banks[i].instances[k]);
    free(model->banks[i].instances);
    free(model->banks[i].places);
  }
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

void gc_model_unit(struct gc_model *model, uint32_t unit)
{
  model->unit = unit;
}

/* About a Gaussian: the ones in 32 random bits. */
static double traffic_share(struct gc_model *model)
{
  const double sigma = 2.8284271247461903; /* of a binomial with 32 trials: sqrt(32 / 4) */
  const int ones = __builtin_popcount((uint32_t)gc_random_next(&model->traffic));
  const double share = 1 + (ones - 16) / sigma * model->profile.bandwidth_noise;

  return share > 0.01 ? share : 0.01;
}

/* The smallest carve-out that gives what was asked for and what the resident blocks need. */
static uint64_t choose_carveout(const struct gc_profile *profile, int percent, uint64_t needed)
{
  const uint64_t largest = profile->carveouts[profile->carveout_count - 1];
  const uint64_t asked = percent > 0 ? largest * (uint64_t)percent / 100 : 0;

  if (needed < asked)
    needed = asked;
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
    struct bank *bank = &model->banks[i];

    for (uint32_t k = 0; bank->per_launch && k < bank->count; k++)
      gc_cache_resize(&bank->instances[k], sets_of(model, bank->profile));
  }
  model->unit = 0;
  model->traffic_share = traffic_share(model);
  tabulate_byte_cycles(model);
}

/* The part of a partitioned cache that a line belongs to: all address bits count, so that every
 * stride meets all parts. */
static uint32_t home_of(const struct bank *bank, uint64_t address)
{
  uint64_t mixed = (address >> bank->line_shift) * 0x9e3779b97f4a7c15;

  mixed = (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93;
  return (uint32_t)((mixed >> 32) * bank->count >> 32);
}

/* A load at the cache of the chip, from an SM on one side of it, or of the SM's XCD. */
static bool access_chip(struct gc_model *model, struct bank *bank, uint32_t sm, uint64_t address,
                        uint32_t *extra)
{
  const uint32_t near = bank->places[sm];
  uint32_t home;
  bool hit;

  if (bank->profile->partitions == 1)
    return gc_cache_access(&bank->instances[near], address, &model->replacement);
  if (bank->profile->replicate &&
      gc_cache_access(&bank->instances[near], address, &model->replacement))
    return true;
  home = home_of(bank, address);
  if (bank->profile->replicate && home == near)
    return false;
  hit = gc_cache_access(&bank->instances[home], address, &model->replacement);
  if (hit && home != near)
    *extra = bank->profile->far_cycles;
  return hit;
}

static inline bool access_level(struct gc_model *model, int index, uint32_t sm, uint64_t address,
                                uint32_t *extra)
{
  struct bank *bank = &model->banks[index];
  uint32_t at = bank->places[sm];

  if (!bank->per_launch)
    return access_chip(model, bank, sm, address, extra);
  if (bank->profile->instances > 1)
    at += model->unit % bank->profile->instances;
  return gc_cache_access(&bank->instances[at], address, &model->replacement);
}

/* Goes down the path until a level has the address. Returns that level; *cycles: its latency. */
static inline unsigned walk(struct gc_model *model, uint32_t sm, enum gc_space space,
                            uint64_t address, uint32_t *cycles)
{
  const struct gc_profile_path *path = &model->profile.paths[space];
  const unsigned last = path->count - 1;
  uint32_t extra = 0;
  unsigned level = 0;

  if (space == GC_SPACE_CONSTANT)
    address += CONSTANT_SPACE;
  else if (space == GC_SPACE_INSTRUCTION)
    address += INSTRUCTION_SPACE;
  while (level < last && !access_level(model, path->levels[level].cache, sm, address, &extra))
    level++;
  *cycles = path->levels[level].cycles + extra;
  return level;
}

uint32_t gc_model_load(struct gc_model *model, uint32_t sm, enum gc_space space, uint64_t address)
{
  uint32_t cycles;
  const unsigned level = walk(model, sm, space, address, &cycles);

  return gc_noise_add(&model->noise, cycles, &model->jitters[space][level]);
}

uint32_t gc_model_touch(struct gc_model *model, uint32_t sm, enum gc_space space, uint64_t address)
{
  uint32_t cycles;

  if (!model->profile.paths[space].count)
    return 0;
  walk(model, sm, space, address, &cycles);
  return cycles;
}

enum place { NEAR, FAR, NOWHERE, PLACES };

/* Without a machine instruction for it, the compiler's own is a function call. */
static inline uint32_t ones(uint8_t x)
{
  x -= x >> 1 & 0x55;
  x = (x & 0x33) + (x >> 2 & 0x33);
  return (x + (x >> 4)) & 0x0f;
}

/* Touches of different sectors of one line of the chip's cache, a bit for each. The first of them
 * decides where the line goes, and no sector cares for another: so all go at once. Adds to `found`
 * how many were where. */
static uint8_t touch_sectors(struct gc_model *model, struct bank *bank, uint32_t sm,
                             uint64_t address, uint8_t mask, uint64_t found[PLACES])
{
  const bool parts = bank->profile->partitions > 1, replicate = parts && bank->profile->replicate;
  const uint32_t near = bank->places[sm];
  uint32_t home = near;
  uint8_t had = 0;

  if (!parts || replicate) {
    had = gc_cache_access_sectors(&bank->instances[near], address, mask, &model->replacement);
    found[NEAR] += ones(had);
    mask &= (uint8_t)~had;
    if (!mask)
      return 0;
  }
  if (parts)
    home = home_of(bank, address);
  if (parts && !(replicate && home == near)) {
    had = gc_cache_access_sectors(&bank->instances[home], address, mask, &model->replacement);
    found[home == near ? NEAR : FAR] += ones(had);
    mask &= (uint8_t)~had;
  }
  found[NOWHERE] += ones(mask);
  return mask;
}

/* Sectors of a line that were not in the L2, at what lies behind it: how many are there. */
static unsigned touch_behind(struct gc_model *model, struct bank *bank, uint32_t sm,
                             uint64_t address, uint8_t missed, uint32_t sector)
{
  uint32_t extra = 0;
  unsigned hits = 0;

  for (; missed; missed &= (uint8_t)(missed - 1))
    hits += access_chip(model, bank, sm, address + (uint64_t)__builtin_ctz(missed) * sector, &extra);
  return hits;
}

uint64_t gc_model_touch_run(struct gc_model *model, uint32_t sm, enum gc_space space,
                            uint64_t address, uint64_t stride, uint64_t count)
{
  const struct gc_profile_path *path = &model->profile.paths[space];
  const int first = path->count == 2 || path->count == 3 ? path->levels[0].cache : GC_PROFILE_MEMORY;
  uint64_t cycles = 0, found[PLACES] = {0}, behind = 0;
  struct bank *bank;

  /* many caches, or one in the SM: as they come */
  if (first == GC_PROFILE_MEMORY || model->banks[first].per_launch || space == GC_SPACE_CONSTANT ||
      space == GC_SPACE_INSTRUCTION) {
    for (uint64_t i = 0; i < count; i++)
      cycles += gc_model_touch(model, sm, space, address + i * stride);
    return cycles;
  }
  bank = &model->banks[first];
  while (count) {
    const uint64_t start = address;
    uint8_t mask = 0, bit;

    while (count && (address ^ start) >> bank->line_shift == 0 &&
           !(mask & (bit = gc_cache_sector_of(bank->instances, address)))) {
      mask |= bit;
      address += stride;
      count--;
    }
    mask = touch_sectors(model, bank, sm, start, mask, found);
    if (path->count == 3)
      behind += touch_behind(model, &model->banks[path->levels[1].cache], sm,
                             start >> bank->line_shift << bank->line_shift, mask,
                             bank->profile->shape.sector);
  }
  return found[NEAR] * path->levels[0].cycles +
         found[FAR] * (path->levels[0].cycles + bank->profile->far_cycles) +
         behind * path->levels[1].cycles +
         (found[NOWHERE] - behind) * path->levels[path->count - 1].cycles;
}

void gc_model_rows(struct gc_model *model, uint32_t sm, enum gc_space space, uint64_t address,
                   uint32_t bytes, uint32_t rows, bool write, double busy[GC_MODEL_LEVELS])
{
  const struct gc_profile_path *path = &model->profile.paths[space];
  uint32_t cycles;
  const unsigned last = walk(model, sm, space, address, &cycles);

  /* the rest of the row: it is where its beginning was */
  if (last > 0) {
    const uint32_t line = model->profile.caches[path->levels[0].cache].shape.line;

    for (uint32_t at = line; at < bytes; at += line)
      walk(model, sm, space, address + at, &cycles);
  }
  for (unsigned level = 0; level <= last; level++) {
    busy[level] += (double)bytes * rows * model->byte_cycles[write][space][level];
    if (level < last) {
      const uint32_t sector = model->profile.caches[path->levels[level].cache].shape.sector;

      bytes = bytes > sector ? bytes : sector;
    }
  }
}

void gc_model_displace(struct gc_model *model)
{
  for (unsigned i = 0; i < model->profile.cache_count; i++)
    for (uint32_t k = 0; !model->banks[i].per_launch && k < model->banks[i].count; k++)
      gc_cache_empty(&model->banks[i].instances[k]);
}

const struct gc_disturbance *gc_model_disturbance(const struct gc_model *model)
{
  return &model->profile.disturbance;
}

uint32_t gc_model_clock_overhead(const struct gc_model *model)
{
  return model->profile.clock_overhead;
}

uint64_t gc_model_true_level(const struct gc_model *model, enum gc_space space, unsigned level)
{
  const struct gc_profile_path *path = &model->profile.paths[space];
  const struct gc_profile_cache *cache;

  if (level >= path->count || path->levels[level].cache == GC_PROFILE_MEMORY)
    return 0;
  cache = &model->profile.caches[path->levels[level].cache];
  return usable(model, cache) / (cache->replicate ? cache->partitions : 1);
}

uint64_t gc_model_true_capacity(const struct gc_model *model, enum gc_space space)
{
  return gc_model_true_level(model, space, 0);
}

uint32_t gc_model_true_latency(const struct gc_model *model, enum gc_space space, unsigned level)
{
  const struct gc_profile_path *path = &model->profile.paths[space];

  return level < path->count ? path->levels[level].cycles : 0;
}

bool gc_model_true_mates(const struct gc_model *model, enum gc_space space, unsigned level,
                         uint32_t sm, uint32_t other)
{
  const struct gc_profile_path *path = &model->profile.paths[space];
  const struct bank *bank;

  if (level >= path->count || path->levels[level].cache == GC_PROFILE_MEMORY)
    return false;
  bank = &model->banks[path->levels[level].cache];
  return bank->places[sm] == bank->places[other];
}

uint32_t gc_model_sm_id(const struct gc_model *model, uint32_t sm)
{
  uint32_t id = sm;

  if (model->profile.ids.count)
    range_of(&model->profile, sm, &id);
  return id;
}

uint32_t gc_model_sm_of_block(const struct gc_model *model, uint32_t block)
{
  const struct gc_model_facts *facts = &model->profile.facts;
  const uint32_t each = facts->sms / facts->xcds;

  return block % facts->xcds * each + block / facts->xcds % each;
}

bool gc_model_true_shared(const struct gc_model *model, enum gc_space a, enum gc_space b)
{
  const struct gc_profile_path *paths = model->profile.paths;

  return paths[a].count && paths[b].count && paths[a].levels[0].cache != GC_PROFILE_MEMORY &&
         paths[a].levels[0].cache == paths[b].levels[0].cache;
}
