/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The keys of a profile, and the functions that read their values.
 */
#include "model/keys.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int read_u64(const struct gc_profile_value *value, char *text, void *to)
{
  return gc_value_number(value, text, to);
}

static int read_u32(const struct gc_profile_value *value, char *text, void *to)
{
  uint64_t number;
  const int status = gc_value_number(value, text, &number);

  if (!status)
    *(uint32_t *)to = (uint32_t)number;
  return status;
}

static int read_size(const struct gc_profile_value *value, char *text, void *to)
{
  unsigned count;

  return gc_value_sizes(value, text, to, 1, &count);
}

static int read_size32(const struct gc_profile_value *value, char *text, void *to)
{
  uint64_t size;
  const int status = read_size(value, text, &size);

  if (!status)
    *(uint32_t *)to = (uint32_t)size;
  return status;
}

static int read_text(const struct gc_profile_value *value, char *text, void *to)
{
  if (strlen(text) > value->most)
    return gc_value_wrong(value, "%s is longer than %llu characters", value->key,
                          (unsigned long long)value->most);
  strcpy(to, text);
  return 0;
}

static int read_yes(const struct gc_profile_value *value, char *text, void *to)
{
  const int index = gc_value_choice(value, text, "no|yes");

  *(bool *)to = index > 0;
  return index < 0 ? index : 0;
}

/* The value says whether something is kept, the field whether it is lost. */
static int read_no(const struct gc_profile_value *value, char *text, void *to)
{
  const int status = read_yes(value, text, to);

  *(bool *)to = !*(bool *)to;
  return status;
}

/* In the order of struct gc_model_host. */
static int read_peer_path(const struct gc_profile_value *value, char *text, void *to)
{
  const int index = gc_value_choice(value, text, "host|pcie|nvlink");

  *(uint32_t *)to = index > 0 ? (uint32_t)index : 0;
  return index < 0 ? index : 0;
}

/* The same as a number, for which "no" differs from no value. */
static int read_yes64(const struct gc_profile_value *value, char *text, void *to)
{
  bool yes;
  const int status = read_yes(value, text, &yes);

  if (!status)
    *(uint64_t *)to = yes;
  return status;
}

static int read_compute(const struct gc_profile_value *value, char *text, void *to)
{
  struct gc_model_facts *facts = to;
  char *point = strchr(text, '.');
  uint64_t major, minor;

  if (!point)
    return gc_value_wrong(value, "'%s' is not of the form 9.0 (%s)", text, value->key);
  *point = '\0';
  if (gc_value_number(value, text, &major) || gc_value_number(value, point + 1, &minor))
    return -EINVAL;
  facts->compute_major = (uint32_t)major;
  facts->compute_minor = (uint32_t)minor;
  return 0;
}

static int read_outliers(const struct gc_profile_value *value, char *text, void *to)
{
  struct gc_disturbance *d = to;
  struct gc_profile_value rate_value = *value;
  const char *rate = gc_value_word(&text), *least = gc_value_word(&text),
             *most = gc_value_word(&text);
  uint64_t from, until;

  rate_value.most = 1;
  if (!most || gc_value_word(&text))
    return gc_value_wrong(value, "%s needs a probability, the least and the most cycles",
                          value->key);
  if (gc_value_fraction(&rate_value, rate, &d->outlier_rate) ||
      gc_value_number(value, least, &from) || gc_value_number(value, most, &until))
    return -EINVAL;
  if (from > until)
    return gc_value_wrong(value, "%s: least (%s) is more than most (%s)", value->key, least, most);
  d->outlier_least = (uint32_t)from;
  d->outlier_most = (uint32_t)until;
  return 0;
}

static int read_drift(const struct gc_profile_value *value, char *text, void *to)
{
  struct gc_disturbance *d = to;
  const char *cycles = gc_value_word(&text), *loads = gc_value_word(&text);
  uint64_t height, period;

  if (!loads || gc_value_word(&text))
    return gc_value_wrong(value, "%s needs cycles and a period in loads", value->key);
  if (gc_value_number(value, cycles, &height) || gc_value_number(value, loads, &period))
    return -EINVAL;
  d->drift_cycles = (uint32_t)height;
  d->drift_loads = (uint32_t)period;
  return 0;
}

static int read_numbers(const struct gc_profile_value *value, char *text, uint64_t *numbers,
                        int count)
{
  for (int i = 0; i < count; i++)
    if (gc_value_number(value, gc_value_word(&text), &numbers[i]))
      return -EINVAL;
  return gc_value_word(&text)
           ? gc_value_wrong(value, "%s needs %d numbers", value->key, count)
           : 0;
}

static int read_busy(const struct gc_profile_value *value, char *text, void *to)
{
  return read_numbers(value, text, to, 4);
}

static int read_neighbour(const struct gc_profile_value *value, char *text, void *to)
{
  return read_numbers(value, text, to, 4);
}

/* A clock or cycles, and the times from and until which they count. */
static int read_from_until(const struct gc_profile_value *value, char *text, void *to)
{
  return read_numbers(value, text, to, 3);
}

/* "64 KiB scattered": the last word is the order, the rest is the size. */
static int read_pages(const struct gc_profile_value *value, char *text, void *to)
{
  struct gc_profile *profile = to;
  char *order = strrchr(text, ' ');
  int index;

  if (!order)
    return gc_value_wrong(value, "%s needs a size, and contiguous, scattered or mixed", value->key);
  *order++ = '\0';
  index = gc_value_choice(value, order, "contiguous|scattered|mixed");
  if (index < 0)
    return index;
  profile->page_order = (enum gc_page_order)index;
  return read_size(value, text, &profile->page_bytes);
}

static int read_wander(const struct gc_profile_value *value, char *text, void *to)
{
  struct gc_clock_habits *clock = to;
  struct gc_profile_value share_value = *value;
  const char *share = gc_value_word(&text), *ns = gc_value_word(&text);

  share_value.most = 1;
  if (!ns || gc_value_word(&text))
    return gc_value_wrong(value, "%s needs a share and a time in ns", value->key);
  if (gc_value_fraction(&share_value, share, &clock->wander))
    return -EINVAL;
  return gc_value_number(value, ns, &clock->wander_ns);
}

static int read_idle(const struct gc_profile_value *value, char *text, void *to)
{
  struct gc_profile_idle *idle = to;
  struct gc_profile_value share_value = *value;
  const char *cycles = gc_value_word(&text), *share = gc_value_word(&text);
  uint64_t longer;

  share_value.most = 1;
  if (!share || gc_value_word(&text))
    return gc_value_wrong(value, "%s needs cycles and a share of the bandwidth", value->key);
  if (gc_value_number(value, cycles, &longer) ||
      gc_value_fraction(&share_value, share, &idle->share))
    return -EINVAL;
  if (!(idle->share > 0))
    return gc_value_wrong(value, "the share of %s must be more than 0", value->key);
  idle->cycles = (uint32_t)longer;
  return 0;
}

static int read_own_clock(const struct gc_profile_value *value, char *text, void *to)
{
  const int index = gc_value_choice(value, text, "none|memory|l2");

  *(enum gc_own_clock *)to = (enum gc_own_clock)(index > 0 ? index : 0);
  return index < 0 ? index : 0;
}

/* "16 32 24 16": pairs. */
static int read_reserves(const struct gc_profile_value *value, char *text, void *to)
{
  struct gc_model_facts *facts = to;
  unsigned count = 0;
  const char *warps;

  while ((warps = gc_value_word(&text))) {
    uint64_t most, blocks;

    if (count == GC_FACTS_RESERVES)
      return gc_value_wrong(value, "more than %d pairs (%s)", GC_FACTS_RESERVES, value->key);
    if (gc_value_number(value, warps, &most) ||
        gc_value_number(value, gc_value_word(&text), &blocks))
      return -EINVAL;
    facts->reserves[count].warps = (uint32_t)most;
    facts->reserves[count++].blocks = (uint32_t)blocks;
  }
  return 0;
}

static int read_carveouts(const struct gc_profile_value *value, char *text, void *to)
{
  struct gc_profile *profile = to;

  return gc_value_sizes(value, text, profile->carveouts, GC_PROFILE_CARVEOUTS_MAX,
                        &profile->carveout_count);
}

/* "0-1 3 4-5": ranges, or single numbers. */
static int read_ids(const struct gc_profile_value *value, char *text, void *to)
{
  struct gc_profile_ids *ids = to;
  char *word;

  while ((word = gc_value_word(&text))) {
    char *dash = strchr(word, '-');
    uint64_t first, last;

    if (ids->count == GC_PROFILE_RANGES_MAX)
      return gc_value_wrong(value, "more than %d ranges (%s)", GC_PROFILE_RANGES_MAX, value->key);
    if (dash)
      *dash = '\0';
    if (gc_value_number(value, word, &first) ||
        gc_value_number(value, dash ? dash + 1 : word, &last))
      return -EINVAL;
    if (first > last || (ids->count && first <= ids->ranges[ids->count - 1].last))
      return gc_value_wrong(value, "%s do not ascend at %s", value->key, word);
    ids->ranges[ids->count].first = (uint32_t)first;
    ids->ranges[ids->count++].last = (uint32_t)last;
  }
  return 0;
}

static int read_ids_repeat(const struct gc_profile_value *value, char *text, void *to)
{
  struct gc_profile_ids *ids = to;
  uint64_t numbers[2];

  if (read_numbers(value, text, numbers, 2))
    return -EINVAL;
  ids->times = numbers[0];
  ids->step = numbers[1];
  return 0;
}

/* The SMs of a word: a number, or a range 4-7. */
static int read_sms(const struct gc_profile_value *value, char *word, uint64_t *first,
                    uint64_t *last)
{
  char *dash = strchr(word, '-');

  if (dash)
    *dash = '\0';
  if (gc_value_number(value, word, first) || gc_value_number(value, dash ? dash + 1 : word, last))
    return -EINVAL;
  return *first > *last ? gc_value_wrong(value, "%s do not ascend at %s", value->key, word) : 0;
}

/* "0-1 4-5, 2-3 6-7": a comma begins the next GPC. */
static int read_gpcs(const struct gc_profile_value *value, char *text, void *to)
{
  struct gc_profile_gpcs *gpcs = to;
  char *gpc, *save = NULL;

  for (gpc = strtok_r(text, ",", &save); gpc; gpc = strtok_r(NULL, ",", &save)) {
    char *word;
    uint64_t first, last;

    if (gpcs->count++ == GC_PROFILE_GPCS_MAX)
      return gc_value_wrong(value, "more than %d GPCs (%s)", GC_PROFILE_GPCS_MAX, value->key);
    while ((word = gc_value_word(&gpc))) {
      if (read_sms(value, word, &first, &last))
        return -EINVAL;
      for (uint64_t sm = first; sm <= last; sm++) {
        if (gpcs->of[sm])
          return gc_value_wrong(value, "%s has SM %llu twice", value->key, (unsigned long long)sm);
        gpcs->of[sm] = (uint16_t)gpcs->count;
      }
    }
  }
  return 0;
}

/* "0 1 1 0": one part for each GPC. */
static int read_gpc_parts(const struct gc_profile_value *value, char *text, void *to)
{
  struct gc_profile_cache *cache = to;
  const char *word;
  uint64_t part;

  while ((word = gc_value_word(&text))) {
    if (cache->gpc_part_count == GC_PROFILE_GPCS_MAX)
      return gc_value_wrong(value, "more than %d GPCs (%s)", GC_PROFILE_GPCS_MAX, value->key);
    if (gc_value_number(value, word, &part))
      return -EINVAL;
    cache->gpc_parts[cache->gpc_part_count++] = (uint8_t)part;
  }
  return 0;
}

static int read_lone(const struct gc_profile_value *value, char *text, void *to)
{
  struct gc_profile_gpcs *gpcs = to;
  char *word;
  uint64_t first, last;

  while ((word = gc_value_word(&text))) {
    if (read_sms(value, word, &first, &last))
      return -EINVAL;
    for (uint64_t sm = first; sm <= last; sm++)
      gpcs->lone[sm] = true;
  }
  return 0;
}

static int read_remote(const struct gc_profile_value *value, char *text, void *to)
{
  struct gc_profile_gpcs *gpcs = to;
  uint64_t numbers[2];

  if (read_numbers(value, text, numbers, 2))
    return -EINVAL;
  gpcs->remote_cycles = (uint32_t)numbers[0];
  gpcs->remote_spread = (uint32_t)numbers[1];
  return 0;
}

static int read_scope(const struct gc_profile_value *value, char *text, void *to)
{
  struct gc_profile_cache *cache = to;
  const char *word = gc_value_word(&text), *group = gc_value_word(&text);
  const int scope = gc_value_choice(value, word, "sm|range|group|gpc|xcd|chip");
  uint64_t sms = 0;

  if (scope < 0)
    return scope;
  if ((scope == GC_SCOPE_GROUP && !group) ||
      (group && scope != GC_SCOPE_GROUP && scope != GC_SCOPE_GPC) || gc_value_word(&text))
    return gc_value_wrong(value, "%s is sm, range, gpc, xcd, chip, or group or gpc and a number of "
                          "SMs", value->key);
  if (group && gc_value_number(value, group, &sms))
    return -EINVAL;
  cache->scope = (enum gc_scope)scope;
  cache->group = (uint32_t)sms;
  return 0;
}

static int read_cache_size(const struct gc_profile_value *value, char *text, void *to)
{
  struct gc_profile_cache *cache = to;

  cache->unified = !strcmp(text, "unified");
  return cache->unified ? 0 : read_size(value, text, &cache->size);
}

static int read_replacement(const struct gc_profile_value *value, char *text, void *to)
{
  struct gc_cache_shape *shape = to;
  const int replacement =
      gc_value_choice(value, gc_value_word(&text), "lru|slru|plru|random|weighted");
  const char *word;
  uint32_t ways = 0;

  if (replacement < 0)
    return replacement;
  shape->replacement = (enum gc_replacement)replacement;
  while ((word = gc_value_word(&text))) {
    uint64_t weight;

    if (shape->replacement != GC_REPLACE_WEIGHTED)
      return gc_value_wrong(value, "'%s' follows a replacement without weights (%s)", word,
                            value->key);
    if (ways == GC_CACHE_WAYS_MAX)
      return gc_value_wrong(value, "more than %d weights (%s)", GC_CACHE_WAYS_MAX, value->key);
    if (gc_value_number(value, word, &weight))
      return -EINVAL;
    shape->weights[ways++] = (uint32_t)weight;
  }
  return 0;
}

/* "mru", or "bip 32" and "dip 32": one line of 32 comes in as the youngest. */
static int read_insertion(const struct gc_profile_value *value, char *text, void *to)
{
  struct gc_cache_shape *shape = to;
  const int insertion = gc_value_choice(value, gc_value_word(&text), "mru|bip|dip");
  const char *word = gc_value_word(&text);
  uint64_t every = 0;

  if (insertion < 0)
    return insertion;
  if ((insertion == GC_INSERT_YOUNGEST) != !word || gc_value_word(&text))
    return gc_value_wrong(value, "%s is mru, or bip or dip and a number", value->key);
  if (word && gc_value_number(value, word, &every))
    return -EINVAL;
  shape->insertion = (enum gc_insertion)insertion;
  shape->insert_every = (uint32_t)every;
  return 0;
}

/* A hexadecimal number that is not 0: 0x1b0080. */
static int read_mask(const struct gc_profile_value *value, const char *word, uint64_t *mask)
{
  char *end;

  errno = 0;
  *mask =
      strncmp(word, "0x", 2) || !isxdigit((unsigned char)word[2]) ? 0 : strtoull(word, &end, 16);
  return !*mask || errno || *end
             ? gc_value_wrong(value, "'%s' is no mask of address bits, as 0x80 (%s)", word,
                              value->key)
             : 0;
}

static int read_hash(const struct gc_profile_value *value, char *text, void *to)
{
  struct gc_cache_index *index = to;
  const int hash = gc_value_choice(value, gc_value_word(&text), "none|xor|skew|bits|masks");
  const char *word;

  if (hash < 0)
    return hash;
  index->hash = (enum gc_set_hash)hash;
  while ((word = gc_value_word(&text))) {
    uint64_t bit;

    if (index->hash != GC_HASH_BITS && index->hash != GC_HASH_MASKS)
      return gc_value_wrong(value, "'%s' follows a hash without bits (%s)", word, value->key);
    if (index->bit_count == GC_CACHE_HASH_BITS_MAX)
      return gc_value_wrong(value, "more than %d bits (%s)", GC_CACHE_HASH_BITS_MAX, value->key);
    if (index->hash == GC_HASH_MASKS) {
      if (read_mask(value, word, &index->masks[index->bit_count]))
        return -EINVAL;
    } else {
      if (gc_value_number(value, word, &bit))
        return -EINVAL;
      index->bits[index->bit_count] = (uint32_t)bit;
    }
    index->bit_count++;
  }
  return 0;
}

static int read_other_hash(const struct gc_profile_value *value, char *text, void *to)
{
  struct gc_cache_shape *shape = to;

  shape->has_other = true;
  return read_hash(value, text, &shape->other);
}

/* Numbers of address bits, as a mask. */
static int read_bits(const struct gc_profile_value *value, char *text, void *to)
{
  uint64_t mask = 0, bit;
  const char *word;

  while ((word = gc_value_word(&text))) {
    if (gc_value_number(value, word, &bit))
      return -EINVAL;
    mask |= 1ull << bit;
  }
  memcpy(to, &mask, sizeof(mask));
  return 0;
}

/* "L1 33 0.2, L2 216 8, memory 640 60": for each level the name, the cycles, and the jitter
 * (default 0). */
static int read_path(const struct gc_profile_value *value, char *text, void *to)
{
  struct gc_profile_path *path = to;
  char *level, *save = NULL;

  for (level = strtok_r(text, ",", &save); level; level = strtok_r(NULL, ",", &save)) {
    struct gc_profile_level *l = &path->levels[path->count];
    const char *name = gc_value_word(&level), *cycles = gc_value_word(&level);
    const char *jitter = gc_value_word(&level);
    uint64_t number;

    if (path->count == GC_PROFILE_LEVELS_MAX)
      return gc_value_wrong(value, "more than %d levels (%s)", GC_PROFILE_LEVELS_MAX, value->key);
    if (!cycles || gc_value_word(&level))
      return gc_value_wrong(value, "a level is a cache or memory, its cycles, its jitter (%s)",
                            value->key);
    l->cache =
      strcmp(name, "memory") ? gc_profile_find_cache(value->profile, name) : GC_PROFILE_MEMORY;
    if (l->cache == -ENOENT)
      return gc_value_wrong(value, "no [cache %s] above this line (%s)", name, value->key);
    if (gc_value_number(value, cycles, &number) ||
        (jitter && gc_value_fraction(value, jitter, &l->jitter)))
      return -EINVAL;
    l->cycles = (uint32_t)number;
    path->count++;
  }
  return 0;
}

static int read_write(const struct gc_profile_value *value, char *text, void *to)
{
  const int index = gc_value_choice(value, text, "through|back");

  *(enum gc_store_policy *)to =
    index < 0 ? GC_STORE_DEFAULT : (enum gc_store_policy)(GC_STORE_THROUGH + index);
  return index < 0 ? index : 0;
}

static int read_write_allocate(const struct gc_profile_value *value, char *text, void *to)
{
  const int index = gc_value_choice(value, text, "none|sector|line");

  *(enum gc_store_allocates *)to =
    index < 0 ? GC_STORE_ALLOCATES_DEFAULT : (enum gc_store_allocates)(GC_STORE_ALLOCATES_NONE + index);
  return index < 0 ? index : 0;
}

/* "oldest 68": the order of warps, and how many loads wait. */
static int read_warps(const struct gc_profile_value *value, char *text, void *to)
{
  struct gc_profile_path *path = to;
  const char *order = gc_value_word(&text), *waiting = gc_value_word(&text);
  const int index = gc_value_choice(value, order, "oldest|youngest|round-robin|ready");
  uint64_t number;

  if (index < 0 || gc_value_number(value, waiting, &number))
    return -EINVAL;
  if (gc_value_word(&text))
    return gc_value_wrong(value, "%s needs an order and a number of loads", value->key);
  path->order = (enum gc_order)(GC_ORDER_OLDEST + index);
  path->waiting = (uint32_t)number;
  return 0;
}

static int read_fraction(const struct gc_profile_value *value, char *text, void *to)
{
  return gc_value_fraction(value, text, to);
}

static int read_gbps(const struct gc_profile_value *value, char *text, void *to)
{
  if (gc_value_fraction(value, text, to))
    return -EINVAL;
  return *(double *)to > 0 ? 0 : gc_value_wrong(value, "%s must be more than 0", value->key);
}

/* "128 12.5": one rate for each level inside the SM, nearest first. */
static int read_rates(const struct gc_profile_value *value, char *text, void *to)
{
  double *rates = to;
  unsigned count = 0;
  const char *word;

  while ((word = gc_value_word(&text))) {
    if (count == GC_PROFILE_LEVELS_MAX)
      return gc_value_wrong(value, "more than %d levels (%s)", GC_PROFILE_LEVELS_MAX, value->key);
    if (gc_value_fraction(value, word, &rates[count]))
      return -EINVAL;
    if (!(rates[count++] > 0))
      return gc_value_wrong(value, "%s must be more than 0", value->key);
  }
  return 0;
}

static int read_tlb_sets(const struct gc_profile_value *value, char *text, void *to)
{
  struct gc_profile_tlb *tlb = to;
  const char *word;

  for (tlb->set_count = 0; (word = gc_value_word(&text)); tlb->set_count++) {
    uint64_t entries;

    if (tlb->set_count == GC_PROFILE_TLB_SETS_MAX)
      return gc_value_wrong(value, "more than %d sets (%s)", GC_PROFILE_TLB_SETS_MAX, value->key);
    if (gc_value_number(value, word, &entries))
      return -EINVAL;
    tlb->set_entries[tlb->set_count] = (uint32_t)entries;
  }
  return 0;
}

#define FACT(field) offsetof(struct gc_profile, facts.field)
#define PROFILE(field) offsetof(struct gc_profile, field)
#define PATH(field) offsetof(struct gc_profile_path, field)
#define CACHE(field) offsetof(struct gc_profile_cache, field)
#define TLB(field) offsetof(struct gc_profile_tlb, field)
#define HOST(field) offsetof(struct gc_model_host, field)
#define BANKS(field) offsetof(struct gc_profile_banks, field)
#define BULK(field) offsetof(struct gc_profile_bulk, field)
#define ATOMICS(field) offsetof(struct gc_profile_atomics, field)
#define BROKEN_BYTES sizeof(((struct gc_model_facts *)0)->broken)
#define MODEL_BYTES sizeof(((struct gc_model_facts *)0)->model)
#define GIB(n) ((uint64_t)(n) << 30)
#define END {NULL, NULL, 0, false, 0, 0}

const struct gc_profile_key gc_chip_keys[] = {
    {"model", read_text, FACT(model), true, 0, MODEL_BYTES - 1},
    {"compute", read_compute, PROFILE(facts), false, 0, 99},
    {"gfx", read_text, PROFILE(gfx), false, 0, GC_PROFILE_GFX_BYTES - 1},
    {"lone_blocks_rotate", read_yes, FACT(rotates), false, 0, 0},
    {"sms", read_u32, FACT(sms), true, 1, GC_PROFILE_SMS_MAX},
    {"sm_ids", read_ids, PROFILE(ids), false, 0, 1 << 20},
    {"sm_ids_repeat", read_ids_repeat, PROFILE(ids), false, 1, 1 << 16},
    {"xcds", read_u32, FACT(xcds), false, 1, 64},
    {"gpcs", read_gpcs, PROFILE(gpcs), false, 0, GC_PROFILE_SMS_MAX - 1},
    {"tpc_sms", read_u32, PROFILE(gpcs.tpc_sms), false, 1, 16},
    {"lone_tpcs", read_lone, PROFILE(gpcs), false, 0, GC_PROFILE_SMS_MAX - 1},
    {"cluster_blocks", read_u32, FACT(cluster_blocks), false, 1, 64},
    {"cluster_remote", read_remote, PROFILE(gpcs), false, 0, 1000000},
    {"sm_spread", read_u32, PROFILE(sm_spread), false, 0, 10000},
    {"warp", read_u32, FACT(warp), false, 1, 128},
    {"clock_khz", read_u32, FACT(clock_khz), true, 1000, 10000000},
    {"running_clock_khz", read_u32, FACT(running_clock_khz), false, 1000, 10000000},
    {"memory_clock_khz", read_u32, FACT(memory_clock_khz), false, 0, 100000000},
    {"memory_bus_bits", read_u32, FACT(memory_bus_bits), false, 0, 65536},
    {"memory_read_gbps", read_gbps, PROFILE(memory_read_gbps), false, 0, 1000000},
    {"memory_write_gbps", read_gbps, PROFILE(memory_write_gbps), false, 0, 1000000},
    {"memory_queue", read_u32, PROFILE(memory_queue), false, 0, 10000},
    {"memory_idle", read_idle, PROFILE(memory_idle), false, 0, 10000},
    {"bandwidth_noise", read_fraction, PROFILE(bandwidth_noise), false, 0, 1},
    {"threads_per_block", read_u32, FACT(threads_per_block), false, 1, 65536},
    {"threads_per_sm", read_u32, FACT(threads_per_sm), true, 1, 65536},
    {"blocks_per_sm", read_u32, FACT(blocks_per_sm), true, 1, 1024},
    {"registers_per_block", read_u32, FACT(registers_per_block), false, 1, 1 << 24},
    {"registers_per_sm", read_u32, FACT(registers_per_sm), false, 1, 1 << 24},
    {"memory", read_size, FACT(memory_bytes), true, 1 << 20, GIB(65536)},
    {"memory_used", read_size, FACT(memory_used), false, 0, GIB(65536)},
    {"shared_per_sm", read_size, FACT(shared_per_sm), true, 1024, 1 << 24},
    {"shared_per_block", read_size, FACT(shared_per_block), true, 1024, 1 << 24},
    {"shared_reserved", read_size, FACT(shared_reserved), false, 0, 65536},
    {"shared_reserved_for", read_reserves, PROFILE(facts), false, 1, 1024},
    {"l2_fetch_limit", read_size, FACT(l2_fetch_limit), false, 1, 4096},
    {"l2_persisting", read_size, FACT(l2_persisting), false, 0, GIB(1)},
    {"l2_compression", read_yes64, FACT(l2_compression), false, 0, 0},
    {"constant_bytes", read_size, FACT(constant_bytes), false, 65536, 1 << 24},
    {"texture_texels", read_u64, FACT(texture_texels), false, 1, 1ull << 32},
    {"ecc", read_yes, FACT(ecc), false, 0, 0},
    {"integrated", read_yes, FACT(integrated), false, 0, 0},
    {"local_l1", read_yes, FACT(local_l1), false, 0, 0},
    {"clock_overhead", read_u32, PROFILE(clock_overhead), true, 0, 1000},
    {"outliers", read_outliers, PROFILE(disturbance), false, 0, 1 << 24},
    {"drift", read_drift, PROFILE(disturbance), false, 1, 1 << 30},
    {"busy", read_busy, PROFILE(disturbance.busy_every_ns), false, 0, 1ull << 50},
    {"neighbour", read_neighbour, PROFILE(disturbance.neighbour_sms), false, 0, 1ull << 50},
    {"clearing", read_from_until, PROFILE(disturbance.clearing_cycles), false, 0, 1ull << 50},
    {"throttle", read_from_until, PROFILE(clock.throttle_khz), false, 0, 1ull << 50},
    {"ramp", read_from_until, PROFILE(clock.ramp_khz), false, 0, 1ull << 50},
    {"wander", read_wander, PROFILE(clock), false, 1, 1ull << 50},
    {"own_clock", read_own_clock, PROFILE(own_clock), false, 0, 0},
    {"latency_step", read_u32, PROFILE(latency_step), false, 1, 64},
    {"aliases", read_no, FACT(no_aliases), false, 0, 0},
    {"outstanding_per_warp", read_u32, PROFILE(outstanding_per_warp), false, 1, 1 << 20},
    {"outstanding_per_sm", read_u32, PROFILE(outstanding_per_sm), false, 1, 1 << 20},
    {"miss_cycles", read_u32, PROFILE(miss_cycles), false, 1, 1000},
    {"miss_bytes_per_cycle", read_u32, PROFILE(miss_bytes), false, 1, 1 << 20},
    {"load_cycles", read_u32, PROFILE(load_cycles), false, 1, 1000},
    {"broken", read_text, FACT(broken), false, 1, BROKEN_BYTES - 1},
    {"pages", read_pages, 0, false, 4 << 10, 2 << 20},
    {"whole_sectors", read_yes, PROFILE(whole_sectors), false, 0, 0},
    {"page_seed", read_u64, PROFILE(page_seed), false, 0, UINT64_MAX},
    {"seed", read_u64, PROFILE(seed), false, 0, UINT64_MAX},
    END,
};

_Static_assert(sizeof(gc_chip_keys) / sizeof(*gc_chip_keys) - 1 <= GC_PROFILE_KEYS_MAX,
               "the longest section");

const struct gc_profile_key gc_unified_keys[] = {
    {"total", read_size, PROFILE(unified_total), true, 1024, 1 << 24},
    {"carveouts", read_carveouts, 0, true, 0, 1 << 24},
    END,
};

const struct gc_profile_key gc_cache_keys[] = {
    {"scope", read_scope, 0, false, 2, 4096},
    {"instances", read_u32, CACHE(instances), false, 1, 16},
    {"size", read_cache_size, 0, true, 32, GIB(1)},
    {"lost", read_size, CACHE(lost), false, 0, GIB(1)},
    {"tags", read_size, CACHE(tags), false, 32, GIB(1)},
    {"line", read_size32, CACHE(shape.line), true, 4, 65536},
    {"sector", read_size32, CACHE(shape.sector), false, 4, 65536},
    {"interleave", read_size32, CACHE(shape.interleave), false, 4, 1 << 24},
    {"ways", read_u32, CACHE(shape.ways), true, 1, GC_CACHE_WAYS_MAX},
    {"replacement", read_replacement, CACHE(shape), true, 1, 1 << 16},
    {"redraw_every", read_u32, CACHE(shape.redraw_every), false, 1, 1 << 16},
    {"insertion", read_insertion, CACHE(shape), false, 2, 1 << 16},
    {"hash", read_hash, CACHE(shape.index), false, 0, 63},
    {"other_hash", read_other_hash, CACHE(shape), false, 0, 63},
    {"partitions", read_u32, CACHE(partitions), false, 1, 16},
    {"replicate", read_yes, CACHE(replicate), false, 0, 0},
    {"partition_sms", read_u32, CACHE(partition_sms), false, 1, 4096},
    {"partition_gpcs", read_gpc_parts, 0, false, 0, 15},
    {"survives_launch", read_no, CACHE(emptied), false, 0, 0},
    {"far_cycles", read_u32, CACHE(far_cycles), false, 0, 10000},
    {"side_bits", read_bits, CACHE(side_mask), false, 0, 63},
    {"side_and", read_bits, CACHE(side_and), false, 0, 63},
    {"slices", read_u32, CACHE(slices), false, 2, 4096},
    {"slice_bytes_per_cycle", read_gbps, CACHE(slice_read), false, 0, 4096},
    {"read_gbps", read_gbps, CACHE(read_gbps), false, 0, 1000000},
    {"write_gbps", read_gbps, CACHE(write_gbps), false, 0, 1000000},
    {"queue", read_u32, CACHE(queue), false, 0, 10000},
    {"idle", read_idle, CACHE(idle), false, 0, 10000},
    {"write", read_write, CACHE(write), false, 0, 0},
    {"write_allocate", read_write_allocate, CACHE(write_allocate), false, 0, 0},
    {"compete", read_yes, CACHE(compete), false, 0, 0},
    END,
};

const struct gc_profile_key gc_space_keys[] = {
    {"path", read_path, 0, true, 1, 1000000},
    {"other_hash", read_yes, PATH(other_hash), false, 0, 0},
    {"warps", read_warps, 0, false, 1, 1024},
    {"read_bytes_per_cycle", read_rates, PATH(read_rates), false, 0, 4096},
    {"write_bytes_per_cycle", read_rates, PATH(write_rates), false, 0, 4096},
    END,
};

const struct gc_profile_key gc_tlb_keys[] = {
    {"scope", read_scope, TLB(cache), false, 2, 4096},
    {"entries", read_u64, TLB(entries), true, 1, 1 << 16},
    {"covers", read_size32, TLB(cache.shape.line), true, 4096, GIB(2)},
    {"ways", read_u32, TLB(cache.shape.ways), false, 1, GC_CACHE_WAYS_MAX},
    {"sets", read_tlb_sets, 0, false, 1, GC_CACHE_WAYS_MAX},
    {"penalty", read_u32, TLB(penalty), true, 1, 100000},
    END,
};

const struct gc_profile_key gc_host_keys[] = {
    {"distance", read_u32, HOST(distance), false, 10, 255},
    {"full", read_yes, HOST(full), false, 0, 0},
    {"latency_ns", read_u32, HOST(latency_ns), true, 1, 1000000},
    {"atomic_ns", read_u32, HOST(atomic_ns), false, 1, 1000000},
    {"read_gbps", read_gbps, HOST(read_gbps), true, 0, 100000},
    {"write_gbps", read_gbps, HOST(write_gbps), true, 0, 100000},
    {"copy_to_gbps", read_gbps, HOST(copy_to_gbps), true, 0, 100000},
    {"copy_from_gbps", read_gbps, HOST(copy_from_gbps), true, 0, 100000},
    {"copy_both_gbps", read_gbps, HOST(copy_both_gbps), true, 0, 100000},
    END,
};

const struct gc_profile_key gc_peer_keys[] = {
    {"path", read_peer_path, HOST(path), true, 0, 0},
    {"latency_ns", read_u32, HOST(latency_ns), true, 1, 1000000},
    {"read_gbps", read_gbps, HOST(read_gbps), true, 0, 100000},
    {"write_gbps", read_gbps, HOST(write_gbps), true, 0, 100000},
    {"copy_gbps", read_gbps, HOST(copy_to_gbps), true, 0, 100000},
    END,
};

const struct gc_profile_key gc_banks_keys[] = {
    {"count", read_u32, BANKS(count), false, 1, 128},
    {"width", read_size32, BANKS(width), false, 4, 16},
    {"interleave", read_size32, BANKS(interleave), false, 4, 16},
    {"conflict", read_u32, BANKS(conflict), false, 1, 1000},
    END,
};

const struct gc_profile_key gc_bulk_keys[] = {
    {"cycles", read_u32, BULK(cycles), true, 1, 100000},
    {"bytes_per_cycle", read_gbps, BULK(rate), true, 0, 4096},
    END,
};

const struct gc_profile_key gc_atomics_keys[] = {
    {"shared_cycles", read_u32, ATOMICS(shared_cycles), false, 1, 100000},
    {"shared_per_cycle", read_gbps, ATOMICS(shared_rate), false, 0, 1000},
    {"l2_cycles", read_u32, ATOMICS(l2_cycles), false, 1, 100000},
    {"l2_far_cycles", read_u32, ATOMICS(l2_far), false, 1, 10000},
    {"l2_per_cycle", read_gbps, ATOMICS(l2_rate), false, 0, 1000},
    END,
};
