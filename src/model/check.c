/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks a profile, and sets the defaults.
 */
#include "model/check.h"

#include <errno.h>
#include <inttypes.h>

#define DEFAULT_LOAD_CYCLES 8 /* as on an H200 */

static int wrong(const char *name, unsigned line, struct gc_error *err, const char *object,
                 const char *problem)
{
  return gc_fail(err, -EINVAL, "%.200s:%u: [%s]: %s", name, line, object, problem);
}

static bool power_of_two(uint64_t n)
{
  return n && !(n & (n - 1));
}

static const char *bad_hash(const struct gc_cache_index *index, uint64_t sets)
{
  if ((index->hash == GC_HASH_XOR || index->hash == GC_HASH_BITS) && !power_of_two(sets))
    return "this hash needs a power of two of sets";
  if (sets < 1ull << index->bit_count)
    return "more hash bits than sets have";
  if (index->hash == GC_HASH_MASKS && sets != 1ull << index->bit_count)
    return "hash masks needs a mask for each bit of the set";
  return NULL;
}

/* The usable bytes of a cache must be whole sets. */
static const char *bad_capacity(const struct gc_profile_cache *cache, uint64_t size)
{
  const struct gc_cache_shape *shape = &cache->shape;
  const uint64_t set_bytes = (uint64_t)shape->line * shape->ways * cache->partitions;
  const char *problem;

  if (size <= cache->lost)
    return "lost must be less than size";
  size -= cache->lost;
  if (cache->tags && (size > cache->tags || size % shape->line))
    return "size less lost must be whole lines, and no more than tags";
  size = cache->tags ? cache->tags : size;
  if (cache->tags % set_bytes)
    return "tags is not a multiple of line x ways";
  if (size % set_bytes)
    return "size less lost is not a multiple of line x ways x partitions";
  if (size / set_bytes % (shape->interleave / shape->line))
    return "the sets do not divide into runs of interleave";
  problem = bad_hash(&shape->index, size / set_bytes);
  return problem || !shape->has_other ? problem : bad_hash(&shape->other, size / set_bytes);
}

static const char *bad_shape(struct gc_cache_shape *shape)
{
  uint64_t sum = 0;
  uint32_t weights = 0;

  if (!shape->sector)
    shape->sector = shape->line;
  if (!shape->interleave)
    shape->interleave = shape->line;
  if (!power_of_two(shape->line) || !power_of_two(shape->sector) ||
      !power_of_two(shape->interleave))
    return "line, sector and interleave must be powers of two";
  if (shape->sector > shape->line || shape->line / shape->sector > GC_CACHE_SECTORS_MAX)
    return "a line has 1 to 8 sectors";
  if (shape->interleave < shape->line)
    return "interleave must be a line or more";
  if (shape->replacement == GC_REPLACE_SLRU && shape->ways < 2)
    return "replacement slru needs two ways or more";
  if (shape->replacement == GC_REPLACE_PLRU && !power_of_two(shape->ways))
    return "replacement plru needs a power of two of ways";
  if (shape->insertion != GC_INSERT_YOUNGEST && shape->replacement != GC_REPLACE_LRU &&
      shape->replacement != GC_REPLACE_PLRU)
    return "insertion needs replacement lru or plru";
  if (shape->redraw_every && shape->replacement != GC_REPLACE_WEIGHTED)
    return "redraw_every needs replacement weighted";
  if (!shape->redraw_every)
    shape->redraw_every = 1;
  while (weights < GC_CACHE_WAYS_MAX && shape->weights[weights])
    sum += shape->weights[weights++];
  if (shape->replacement == GC_REPLACE_WEIGHTED && (weights != shape->ways || sum > UINT32_MAX))
    return "replacement weighted needs one weight for each way";
  return NULL;
}

/* A line must not lie in two pages. */
static const char *bad_pages(const struct gc_profile *profile)
{
  const uint64_t page = profile->page_bytes;

  if (page && !power_of_two(page))
    return "pages must have a power of two of bytes";
  for (unsigned i = 0; page && i < profile->cache_count; i++)
    if (profile->caches[i].scope >= GC_SCOPE_XCD && profile->caches[i].shape.line > page)
      return "a cache of the chip has longer lines than pages";
  return NULL;
}

static const char *bad_times(const struct gc_profile *profile)
{
  const struct gc_disturbance *d = &profile->disturbance;

  if (d->busy_from_ns > d->busy_until_ns)
    return "busy must not end before it starts";
  if (d->neighbour_sms > profile->facts.sms || d->neighbour_from_ns > d->neighbour_until_ns ||
      (d->neighbour_sms && (d->neighbour_slower < 1 || d->neighbour_slower > 1000)))
    return "neighbour needs at most all SMs, a factor of 1 to 1000, and must not end before it "
           "starts";
  if (d->clearing_cycles > 100000 || d->clearing_from_ns > d->clearing_until_ns)
    return "clearing needs at most 100000 cycles, and must not end before it starts";
  if (profile->atomics.l2_cycles && profile->atomics.l2_cycles <= profile->sm_spread)
    return "sm_spread is not less than l2_cycles of atomics";
  return NULL;
}

#define KHZ_MIN 1000
#define WANDER_MAX 0.5

static const char *bad_clock(const struct gc_profile *profile)
{
  const struct gc_clock_habits *c = &profile->clock;
  const struct gc_model_facts *facts = &profile->facts;
  const uint64_t running =
    facts->running_clock_khz ? facts->running_clock_khz : facts->clock_khz;

  if ((c->throttle_khz && c->throttle_khz < KHZ_MIN) || c->throttle_khz > facts->clock_khz ||
      c->throttle_from_ns > c->throttle_until_ns)
    return "throttle needs a clock of 1000 kHz to clock_khz, and must not end before it starts";
  if ((c->ramp_khz && c->ramp_khz < KHZ_MIN) || c->ramp_khz > running ||
      c->ramp_from_ns > c->ramp_until_ns)
    return "ramp needs a clock of 1000 kHz to running_clock_khz, and must not end before it starts";
  if (c->wander > WANDER_MAX)
    return "wander needs a share of at most 0.5";
  return NULL;
}

static const char *bad_scope(const struct gc_profile *profile, struct gc_profile_cache *cache)
{
  if (cache->scope != GC_SCOPE_SM && cache->instances > 1)
    return "only a cache with scope sm has instances";
  if (cache->scope == GC_SCOPE_RANGE && !profile->ids.count)
    return "scope is range, but there are no sm_ids";
  if (cache->scope == GC_SCOPE_GPC && !profile->gpcs.count)
    return "scope is gpc, but there are no gpcs";
  if (cache->tags && (cache->scope != GC_SCOPE_SM || cache->shape.insertion != GC_INSERT_YOUNGEST ||
                      (cache->shape.replacement != GC_REPLACE_LRU &&
                       cache->shape.replacement != GC_REPLACE_SLRU)))
    return "tags needs scope sm, replacement lru or slru and no other insertion";
  if (cache->scope != GC_SCOPE_CHIP && (cache->partitions > 1 || cache->far_cycles))
    return "only a cache with scope chip has partitions";
  if (cache->scope >= GC_SCOPE_XCD && cache->shape.has_other)
    return "only a cache inside the SMs has other_hash";
  if (cache->scope < GC_SCOPE_XCD && cache->emptied)
    return "only a cache with scope xcd or chip has survives_launch";
  if (cache->partitions == 1 && (cache->replicate || cache->far_cycles || cache->partition_sms))
    return "replicate, far_cycles and partition_sms need partitions";
  if (cache->side_mask && cache->partitions != 2)
    return "side_bits needs two partitions";
  if (cache->side_and && !cache->side_mask)
    return "side_and needs side_bits";
  if ((cache->side_mask | cache->side_and) & (cache->shape.line - 1))
    return "a line has more than one side";
  if (cache->slices && (cache->scope != GC_SCOPE_CHIP || cache->slices % cache->partitions))
    return "slices needs scope chip, and the same number in each partition";
  if (cache->slice_read > 0 && !cache->slices)
    return "slice_bytes_per_cycle needs slices";
  if (cache->scope == GC_SCOPE_GROUP && cache->group > profile->facts.sms)
    return "the group has more SMs than the chip";
  if (cache->idle.cycles && cache->scope < GC_SCOPE_XCD)
    return "idle needs scope xcd or chip";
  if (cache->compete && (cache->scope < GC_SCOPE_RANGE || cache->scope > GC_SCOPE_GPC))
    return "compete needs scope range, group or gpc";
  if (cache->unified && cache->scope != GC_SCOPE_SM)
    return "a unified cache has scope sm";
  if (cache->unified && !profile->unified_line)
    return "size is unified, but there is no [unified]";
  if (cache->gpc_part_count && (cache->gpc_part_count != profile->gpcs.count || cache->partition_sms))
    return "partition_gpcs needs a partition for each GPC, and no partition_sms";
  for (unsigned i = 0; i < cache->gpc_part_count; i++)
    if (cache->gpc_parts[i] >= cache->partitions)
      return "partition_gpcs has a partition that does not exist";
  if (!cache->partition_sms)
    cache->partition_sms = 1;
  return NULL;
}

static int check_cache(const char *name, const struct gc_profile *profile,
                       struct gc_profile_cache *cache, struct gc_error *err)
{
  const char *problem = bad_shape(&cache->shape);

  if (!problem)
    problem = bad_scope(profile, cache);
  if (!problem && !cache->unified)
    problem = bad_capacity(cache, cache->size);
  for (unsigned i = 0; !problem && cache->unified && i < profile->carveout_count; i++)
    problem = bad_capacity(cache, profile->unified_total - profile->carveouts[i]);
  return problem ? wrong(name, cache->line_number, err, cache->name, problem) : 0;
}

/* Sets of different sizes hold all entries. */
static const char *bad_tlb_sets(struct gc_profile_tlb *tlb)
{
  uint64_t sum = 0;

  if (tlb->cache.shape.ways)
    return "ways and sets cannot both be stated";
  for (uint32_t set = 0; set < tlb->set_count; set++) {
    sum += tlb->set_entries[set];
    if (tlb->set_entries[set] > tlb->cache.shape.ways)
      tlb->cache.shape.ways = tlb->set_entries[set];
  }
  return sum == tlb->entries ? NULL : "the sets do not have as many entries as the TLB";
}

static const char *bad_tlb(const struct gc_profile *profile, struct gc_profile_tlb *tlb)
{
  struct gc_cache_shape *shape = &tlb->cache.shape;
  const char *problem = tlb->set_count ? bad_tlb_sets(tlb) : NULL;

  if (problem)
    return problem;
  if (!shape->ways && tlb->entries > GC_CACHE_WAYS_MAX)
    return "a TLB with so many entries needs ways";
  if (!shape->ways)
    shape->ways = (uint32_t)tlb->entries;
  if (!tlb->set_count && tlb->entries % shape->ways)
    return "entries is not a multiple of ways";
  if (!power_of_two(shape->line))
    return "covers must be a power of two";
  for (unsigned i = 0; i < profile->cache_count; i++)
    if (profile->caches[i].shape.line > shape->line)
      return "an entry covers less than a line of a cache";
  tlb->cache.size = tlb->entries * shape->line;
  problem = bad_shape(shape);
  return problem ? problem : bad_scope(profile, &tlb->cache);
}

static const char *bad_unified(const struct gc_profile *profile)
{
  for (unsigned i = 0; i < profile->carveout_count; i++) {
    if (i && profile->carveouts[i] <= profile->carveouts[i - 1])
      return "carveouts do not ascend";
    if (profile->carveouts[i] >= profile->unified_total)
      return "a carve-out must be less than the total";
  }
  if (profile->carveouts[profile->carveout_count - 1] != profile->facts.shared_per_sm)
    return "the largest carve-out is not shared_per_sm";
  return NULL;
}

static const char *bad_path(const struct gc_profile *profile, enum gc_space space)
{
  const struct gc_profile_path *path = &profile->paths[space];
  int before = -1;

  if (!path->count || path->levels[path->count - 1].cache != GC_PROFILE_MEMORY)
    return "the path does not end in memory";
  if (space == GC_SPACE_SHARED && path->count != 1)
    return "shared memory has no caches";
  for (unsigned i = 0; i + 1 < path->count; i++) {
    const int cache = path->levels[i].cache;

    if (cache == GC_PROFILE_MEMORY)
      return "memory is not the last level";
    if ((int)profile->caches[cache].scope < before)
      return "a level is nearer to the SM than the one before it";
    before = (int)profile->caches[cache].scope;
    if (path->levels[i].cycles >= path->levels[i + 1].cycles)
      return "latencies do not ascend";
  }
  for (unsigned i = 0; i < path->count; i++) {
    const int cache = path->levels[i].cache;
    const bool outside = cache == GC_PROFILE_MEMORY
                             ? space != GC_SPACE_SHARED
                             : profile->caches[cache].scope >= GC_SCOPE_XCD;

    if (outside && path->levels[i].cycles <= profile->sm_spread)
      return "sm_spread is not less than a latency";
  }
  if (path->other_hash &&
      (path->count < 2 || !profile->caches[path->levels[0].cache].shape.has_other ||
       (space != GC_SPACE_NC && space != GC_SPACE_TEXTURE)))
    return "other_hash is for nc and texture, if the first cache of the path has one";
  if (space == GC_SPACE_CG && before < (int)GC_SCOPE_XCD)
    return "the path of cg must go through the chip's L2";
  if (space == GC_SPACE_CG && profile->caches[path->levels[0].cache].scope < GC_SCOPE_XCD)
    return "the path of cg must begin at the L2 of the chip or of an XCD";
  return NULL;
}

/* Each SM must have a number of its own. */
static const char *bad_ids(struct gc_profile *profile)
{
  struct gc_profile_ids *ids = &profile->ids;
  uint64_t count = 0;

  if (!ids->times)
    ids->times = 1;
  for (unsigned i = 0; i < ids->count; i++)
    count += ids->ranges[i].last - ids->ranges[i].first + 1;
  if (ids->count && count * ids->times != profile->facts.sms)
    return "the number of sm_ids is not the number of SMs";
  if (!ids->count && ids->step)
    return "sm_ids_repeat needs sm_ids";
  if (ids->times > 1 && ids->step <= ids->ranges[ids->count - 1].last)
    return "sm_ids_repeat gives two SMs the same number";
  if (profile->facts.sms % (profile->facts.xcds ? profile->facts.xcds : 1))
    return "the number of SMs is not a multiple of xcds";
  return NULL;
}

/* The most SMs of a GPC that take clusters of any size. */
static uint32_t largest_gpc(const struct gc_profile_gpcs *gpcs)
{
  uint32_t sms[GC_PROFILE_GPCS_MAX + 1] = {0}, most = gpcs->tpc_sms;

  for (uint32_t sm = 0; sm < GC_PROFILE_SMS_MAX; sm++)
    if (gpcs->of[sm] && !gpcs->lone[sm] && ++sms[gpcs->of[sm]] > most)
      most = sms[gpcs->of[sm]];
  return most;
}

/* Every SM is in one GPC, and the SMs of a TPC are in the same one. */
static const char *bad_gpcs(struct gc_profile *profile)
{
  struct gc_profile_gpcs *gpcs = &profile->gpcs;
  const uint32_t sms = profile->facts.sms;

  if (!gpcs->count)
    return profile->facts.cluster_blocks || gpcs->tpc_sms ? "clusters and TPCs need gpcs" : NULL;
  if (!gpcs->tpc_sms)
    gpcs->tpc_sms = 2;
  for (uint32_t sm = 0; sm < GC_PROFILE_SMS_MAX; sm++) {
    const uint32_t first = sm / gpcs->tpc_sms * gpcs->tpc_sms;

    if ((gpcs->of[sm] != 0) != (sm < sms))
      return "gpcs needs every SM once, and no other";
    if (gpcs->of[sm] != gpcs->of[first] || gpcs->lone[sm] != gpcs->lone[first])
      return "the SMs of a TPC are not in the same GPC";
  }
  if (profile->facts.cluster_blocks > largest_gpc(gpcs))
    return "cluster_blocks is more than a GPC has SMs for";
  if (profile->facts.cluster_blocks && !gpcs->remote_cycles)
    return "cluster_blocks needs cluster_remote";
  if (gpcs->remote_spread > gpcs->remote_cycles / 2)
    return "the second number of cluster_remote is more than half of the first";
  return NULL;
}

#define OWN_RATE 64.0      /* bytes per cycle, of levels inside an SM */
#define CHIP_RATE 32.0     /* bytes per cycle and SM, of the chip's caches */
#define MEMORY_SHARE 0.9   /* of the limit that bus width and clock set */
#define MEMORY_GBPS 100.0  /* if these are unknown */

static void set_unless(double *rate, double otherwise)
{
  if (!(*rate > 0))
    *rate = otherwise;
}

/* Defaults for bandwidths that the profile does not state. */
static void derive_rates(struct gc_profile *profile)
{
  const struct gc_model_facts *facts = &profile->facts;
  const double limit = 2.0 * facts->memory_clock_khz * facts->memory_bus_bits / 8e6;

  set_unless(&profile->memory_read_gbps, limit > 0 ? MEMORY_SHARE * limit : MEMORY_GBPS);
  set_unless(&profile->memory_write_gbps, profile->memory_read_gbps);
  for (unsigned i = 0; i < profile->cache_count; i++) {
    struct gc_profile_cache *cache = &profile->caches[i];

    set_unless(&cache->read_gbps, CHIP_RATE * facts->sms * facts->running_clock_khz / 1e6);
    set_unless(&cache->write_gbps, cache->read_gbps);
  }
  for (int space = 0; space < GC_SPACE_COUNT; space++)
    for (unsigned i = 0; i < GC_PROFILE_LEVELS_MAX; i++) {
      struct gc_profile_path *path = &profile->paths[space];

      set_unless(&path->read_rates[i], OWN_RATE);
      set_unless(&path->write_rates[i], path->read_rates[i]);
    }
}

#define BANKS 32        /* of every NVIDIA GPU since Fermi, and of AMD's LDS */
#define BANK_WIDTH 4    /* bytes, of most of them */
#define CONFLICT 2      /* cycles */
#define ATOMIC_RATE 1.0 /* operations on one word in a cycle */

static const char *bad_banks(struct gc_profile_banks *banks)
{
  banks->count = banks->count ? banks->count : BANKS;
  banks->width = banks->width ? banks->width : BANK_WIDTH;
  banks->interleave = banks->interleave ? banks->interleave : banks->width;
  banks->conflict = banks->conflict ? banks->conflict : CONFLICT;
  if (!power_of_two(banks->width) || !power_of_two(banks->interleave) ||
      banks->interleave > banks->width)
    return "width and interleave must be powers of two, and interleave no more than width";
  return NULL;
}

/* Noise is then symmetrical. */
static void round_latency(uint32_t *cycles, uint32_t step)
{
  const uint32_t rounded = (*cycles + step / 2) / step * step;

  *cycles = rounded ? rounded : step;
}

/* The latencies of a path become those at idle levels. A load goes through all levels before the
 * one that it hits. */
static void derive_idle(struct gc_profile *profile)
{
  for (int space = 0; space < GC_SPACE_COUNT; space++) {
    struct gc_profile_path *path = &profile->paths[space];
    uint32_t longer = 0;

    for (unsigned i = 0; i < path->count && space != GC_SPACE_SHARED; i++) {
      const int cache = path->levels[i].cache;

      longer += cache == GC_PROFILE_MEMORY ? profile->memory_idle.cycles
                                           : profile->caches[cache].idle.cycles;
      path->levels[i].cycles += longer;
    }
  }
}

static void derive(struct gc_profile *profile)
{
  struct gc_model_facts *facts = &profile->facts;
  const struct gc_profile_path *ca = &profile->paths[GC_SPACE_CA],
                               *cg = &profile->paths[GC_SPACE_CG];

  if (!facts->warp)
    facts->warp = 32;
  if (!facts->xcds)
    facts->xcds = 1;
  if (!profile->latency_step)
    profile->latency_step = 1;
  if (!profile->miss_cycles)
    profile->miss_cycles = 1;
  if (!profile->load_cycles)
    profile->load_cycles = DEFAULT_LOAD_CYCLES;
  if (!facts->running_clock_khz)
    facts->running_clock_khz = facts->clock_khz;
  if (!facts->threads_per_block)
    facts->threads_per_block = facts->threads_per_sm < 1024 ? facts->threads_per_sm : 1024;
  for (unsigned i = 0; i < profile->cache_count; i++) {
    struct gc_profile_cache *cache = &profile->caches[i];
    const bool outside = cache->scope >= GC_SCOPE_XCD;

    if (cache->write == GC_STORE_DEFAULT)
      cache->write = outside ? GC_STORE_BACK : GC_STORE_THROUGH;
    if (cache->write_allocate == GC_STORE_ALLOCATES_DEFAULT)
      cache->write_allocate = outside ? GC_STORE_ALLOCATES_SECTOR : GC_STORE_ALLOCATES_NONE;
  }
  facts->l2_bytes = profile->caches[cg->levels[0].cache].size;
  facts->global_l1 = profile->caches[ca->levels[0].cache].scope < GC_SCOPE_XCD;
  facts->has_texture = profile->paths[GC_SPACE_TEXTURE].line_number;
  facts->has_constant = profile->paths[GC_SPACE_CONSTANT].line_number;
  facts->has_code = profile->paths[GC_SPACE_INSTRUCTION].line_number;
  facts->has_scalar = profile->paths[GC_SPACE_SCALAR].line_number;
  facts->has_read_only = profile->paths[GC_SPACE_NC].line_number;
  facts->bulk_copies = profile->bulk.line_number;
  facts->amd = *profile->gfx;
  facts->local_l1 |= facts->amd; /* the vector L1 has the scratch memory of waves, too */
  facts->aliases = !facts->amd && facts->compute_major >= 6 && !facts->no_aliases;
  facts->has_carveout = profile->unified_line;
  if (facts->has_texture && !facts->texture_texels)
    facts->texture_texels = 1u << 27;
  derive_rates(profile);
  set_unless(&profile->atomics.shared_rate, ATOMIC_RATE);
  set_unless(&profile->atomics.l2_rate, ATOMIC_RATE);
  derive_idle(profile);
  for (int space = 0; space < GC_SPACE_COUNT; space++)
    for (unsigned i = 0; i < profile->paths[space].count; i++)
      round_latency(&profile->paths[space].levels[i].cycles, profile->latency_step);
  if (!profile->atomics.shared_cycles)
    profile->atomics.shared_cycles = profile->paths[GC_SPACE_SHARED].levels[0].cycles;
  if (!profile->atomics.l2_cycles)
    profile->atomics.l2_cycles = cg->levels[0].cycles;
  if (!profile->atomics.l2_far)
    profile->atomics.l2_far = profile->caches[cg->levels[0].cache].far_cycles;
  round_latency(&profile->atomics.shared_cycles, profile->latency_step);
  round_latency(&profile->atomics.l2_cycles, profile->latency_step);
}

/* The driver states it of the GPU, not of nodes. */
static const char *bad_hosts(const struct gc_model_facts *facts)
{
  const struct gc_model_host *first = NULL;

  for (unsigned i = 0; i < facts->host_count; i++)
    if (*facts->hosts[i].peer)
      continue;
    else if (!first)
      first = &facts->hosts[i];
    else if (!facts->hosts[i].atomic_ns != !first->atomic_ns)
      return "atomic_ns is stated of some NUMA nodes, not of all";
  return NULL;
}

int gc_profile_check(const char *name, struct gc_profile *profile, struct gc_error *err)
{
  static const enum gc_space needed[] = {GC_SPACE_CA, GC_SPACE_CG, GC_SPACE_SHARED};
  const char *problem = profile->unified_line ? bad_unified(profile) : NULL;

  if (problem)
    return wrong(name, profile->unified_line, err, "unified", problem);
  if (!profile->facts.compute_major && !*profile->gfx)
    return gc_fail(err, -EINVAL, "%.200s:1: the chip lacks both 'compute' and 'gfx'", name);
  for (unsigned i = 0; i < profile->cache_count; i++)
    if (check_cache(name, profile, &profile->caches[i], err))
      return -EINVAL;
  for (unsigned i = 0; i < profile->tlb_count; i++)
    if ((problem = bad_tlb(profile, &profile->tlbs[i])))
      return wrong(name, profile->tlbs[i].cache.line_number, err, profile->tlbs[i].cache.name,
                   problem);
  if (profile->host_tlb.cache.line_number && (problem = bad_tlb(profile, &profile->host_tlb)))
    return wrong(name, profile->host_tlb.cache.line_number, err, "host_tlb", problem);
  for (int space = 0; space < GC_SPACE_COUNT; space++) {
    const unsigned line = profile->paths[space].line_number;

    problem = line ? bad_path(profile, (enum gc_space)space) : NULL;
    if (problem)
      return wrong(name, line, err, gc_profile_space_names[space], problem);
  }
  for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
    if (!profile->paths[needed[i]].line_number)
      return gc_fail(err, -EINVAL, "%.200s: there is no [space %s]", name,
                     gc_profile_space_names[needed[i]]);
  if ((problem = bad_banks(&profile->banks)))
    return wrong(name, profile->banks.line_number, err, "banks", problem);
  if ((problem = bad_times(profile)) || (problem = bad_clock(profile)) ||
      (problem = bad_ids(profile)) || (problem = bad_pages(profile)) ||
      (problem = bad_gpcs(profile)) || (problem = bad_hosts(&profile->facts)))
    return gc_fail(err, -EINVAL, "%.200s: %s", name, problem);
  if (profile->facts.shared_per_block > profile->facts.shared_per_sm)
    return gc_fail(err, -EINVAL, "%.200s: shared_per_block is more than shared_per_sm", name);
  if (profile->facts.memory_used > profile->facts.memory_bytes)
    return gc_fail(err, -EINVAL, "%.200s: memory_used is more than memory", name);
  derive(profile);
  return 0;
}
