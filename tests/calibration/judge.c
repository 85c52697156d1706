/* SPDX-License-Identifier: BSD-3-Clause */
#include "court.h"
#include "tail.h"

#include "device/open.h"
#include "device/sim_launch.h"
#include "measure/measure.h"
#include "stats/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ON_SM_CYCLES 1.0  /* allowed error of a latency inside the SM */
#define OFF_SM_SHARE 0.02 /* the same for L2, L3 and device memory, relative */
#define CAPACITY_SHARE 0.005
#define TOTAL_SHARE 0.03
#define RATE_SHARE 0.03
/* Where the searches end, bytes (src/measure/capacity/sm_capacity.c and constant15_capacity.c). */
#define SEARCH_MAX (1024u << 10) /* caches inside the SM, except: */
#define CONSTANT_L1_MAX (16u << 10)
#define SCALAR_MAX (64u << 10)
#define CONSTANT_L15_MAX (192u << 10)
#define INSTRUCTION_MAX (160u << 10) /* structure/instruction_cache.c */
#define INSTRUCTION_MIN (8u << 10)
#define INSTRUCTION_SHARE 0.02 /* and two blocks: other code than that of the jumps is executed, too */
#define CONSTANT_L15_MIN (8u << 10) /* where the search of L1.5 begins */

/* The place of each element in the model; device memory is behind all caches. */
static const struct {
  enum gc_space space;
  unsigned level;
} places[GC_KIND_COUNT + 1] = {
  [GC_DEVICE_MEMORY] = {GC_SPACE_CG, UINT32_MAX}, [GC_L2] = {GC_SPACE_CG, 0},
  [GC_L3] = {GC_SPACE_CG, 1},                     [GC_L1] = {GC_SPACE_CA, 0},
  [GC_TEXTURE] = {GC_SPACE_TEXTURE, 0},           [GC_READ_ONLY] = {GC_SPACE_NC, 0},
  [GC_CONSTANT_L1] = {GC_SPACE_CONSTANT, 0},      [GC_CONSTANT_L15] = {GC_SPACE_CONSTANT, 1},
  [GC_SHARED_MEMORY] = {GC_SPACE_SHARED, 0},      [GC_LDS] = {GC_SPACE_SHARED, 0},
  [GC_SCALAR_L1] = {GC_SPACE_SCALAR, 0},           [GC_INSTRUCTION_CACHE] = {GC_SPACE_INSTRUCTION, 0},
};

const char *court_info(const struct gc_element *element, const char *key)
{
  const char *value = gc_infos_get(&element->infos, key);

  return value ? value : "";
}

void court_launch_blocks(const struct court *court, int percent, uint32_t warps)
{
  const struct gc_model_facts *facts = gc_model_facts(court->model);
  const struct gc_launch launch = {.blocks = 1, .threads = warps * facts->warp};

  gc_model_launch(court->model, percent, gc_sim_reserved(facts, &launch), 0);
}

void court_launch(const struct court *court, int percent) { court_launch_blocks(court, percent, 1); }

double court_clock_share(const struct court *court)
{
  const char *mhz = gc_infos_get(&court->record->infos, "MeasuredSMClockMHz");

  return mhz ? strtod(mhz, NULL) * 1e3 / court->profile.facts.running_clock_khz : 1;
}

/* Whether a level has a clock of its own. */
static bool own_clock(const struct court *court, const struct gc_profile_path *path, unsigned level)
{
  const int cache = path->levels[level].cache;

  if (cache == GC_PROFILE_MEMORY)
    return court->profile.own_clock != GC_OWN_CLOCK_NONE &&
           path != &court->profile.paths[GC_SPACE_SHARED];
  return court->profile.own_clock == GC_OWN_CLOCK_L2 &&
         court->profile.caches[cache].scope >= GC_SCOPE_XCD;
}

double court_latency(const struct court *court, enum gc_space space, unsigned level)
{
  const struct gc_profile_path *path = &court->profile.paths[space];
  const double cycles = gc_model_true_latency(court->model, space, level);

  return level < path->count && own_clock(court, path, level) ? cycles * court_clock_share(court)
                                                              : cycles;
}

/* --- numbers --------------------------------------------------------------------------------- */

static double number(const char *text) { return *text ? strtod(text, NULL) : NAN; }

static bool near_to(const struct court_case *c, double truth, double below, double above)
{
  return number(c->reported) >= truth - below && number(c->reported) <= truth + above;
}

/* The largest size that the search tries. */
static double search_end(const struct court *court, enum gc_kind kind)
{
  switch (kind) {
  case GC_L2:
    return 2.0 * (double)court->profile.facts.l2_bytes;
  case GC_L3:
    return INFINITY;
  case GC_CONSTANT_L1:
    return CONSTANT_L1_MAX;
  case GC_CONSTANT_L15:
    return CONSTANT_L15_MAX;
  case GC_SCALAR_L1:
    return SCALAR_MAX;
  case GC_INSTRUCTION_CACHE:
    return INSTRUCTION_MAX;
  default:
    return SEARCH_MAX;
  }
}

/* The search of L1.5 starts at sizes that the constant L1 still holds, so that it sees no
 * change. */
static bool hidden(const struct court *court, const struct court_case *c)
{
  if (c->element->kind == GC_INSTRUCTION_CACHE)
    return gc_model_true_level(court->model, c->space, 0) < INSTRUCTION_MIN;
  return c->element->kind == GC_CONSTANT_L15 &&
         gc_model_true_level(court->model, c->space, 0) >= CONSTANT_L15_MIN;
}

static bool outside(const struct gc_element *element)
{
  return element->kind == GC_L2 || element->kind == GC_L3 || element->kind == GC_DEVICE_MEMORY;
}

/* The capacity that an allocation can count on. At one level, this is the size of the cache. Under
 * scattered pages, an allocation may crowd some sets before others are full, so how much the cache
 * holds differs from one allocation to the next: right is what at least nine of ten drawn
 * allocations can use. A bound from few allocations is lower than the worst of them: it may be as far
 * below this as the worst is below the median, and 2 %. */
#define ALLOCATIONS 40
#define BOUND_SHARE 0.02
#define CAN_COUNT_ON (ALLOCATIONS / 10)

struct range {
  double least, most;
};

static struct range true_capacity(const struct court *court, const struct court_case *c)
{
  const double all = (double)gc_model_true_level(court->model, c->space, c->level);
  uint64_t fits[ALLOCATIONS];

  if (!outside(c->element) ||
      gc_model_true_fits(court->model, c->space, c->level, 1, fits, ALLOCATIONS))
    return (struct range){all, all};
  return (struct range){(1 - BOUND_SHARE) *
                          (2.0 * (double)fits[0] - (double)fits[ALLOCATIONS / 2]),
                        fmin(all, (double)fits[CAN_COUNT_ON])};
}

static void print_range(struct court_case *c, struct range range)
{
  if (range.least < range.most)
    snprintf(c->truth, sizeof(c->truth), "%.0f to %.0f", range.least, range.most);
  else
    snprintf(c->truth, sizeof(c->truth), "%.0f", range.most);
}

bool judge_capacity(const struct court *court, struct court_case *c)
{
  const enum gc_kind kind = c->element->kind;
  const struct range right = true_capacity(court, c);
  const double truth = right.most;
  const double step = kind == GC_L2              ? (double)court->profile.facts.l2_bytes / 512
                      : kind == GC_L3            ? truth / 256
                      : kind == GC_CONSTANT_L15  ? 64
                      : kind == GC_INSTRUCTION_CACHE
                        ? INSTRUCTION_SHARE * truth + 2 * GPU_JUMPS_BYTES
                                                 : 32;

  /* The last module of code is executed in parts that have gaps, which not all sets have space for. */
  const double gaps =
    kind == GC_INSTRUCTION_CACHE && fmod(truth, GPU_JUMPS_MODULE * GPU_JUMPS_BYTES) > 0
      ? GPU_JUMPS_MODULE * GPU_JUMPS_BYTES
      : 0;

  const bool found = near_to(c, truth, truth - right.least + fmax(step, CAPACITY_SHARE * truth) + gaps,
                             fmax(step, CAPACITY_SHARE * truth));

  /* a level that need not be found may be found */
  if (court->gpu->class != DRAWN_NOISE && (found || !hidden(court, c)) && c->cache &&
      truth < search_end(court, kind))
    print_range(c, right);
  return found;
}

/* A census may differ by what agree.c allows plus four standard errors. A cache outside the SMs may
 * keep a sixteenth more or less when it overflows. Under scattered pages it keeps at least what an
 * allocation can count on, and at most all that fits in. */
bool judge_census(const struct court *court, struct court_case *c)
{
  const double truth = (double)gc_model_true_level(court->model, c->space, c->level);
  const double slack = outside(c->element) ? truth / 16 : 0;
  const double chance =
    4 * number(court_info(c->element, HWLOC_GPUCACHE_CENSUS_ERROR_BYTES)) + slack;

  const struct range range = {true_capacity(court, c).least, truth};

  if (c->cache)
    print_range(c, range);
  return near_to(c, truth,
                 truth - range.least + 0.01 * truth + fmin(1152, 0.04 * truth) + chance,
                 0.005 * truth + chance);
}

/* Everything that fits in, within 3 % (hwloc/gpucache.h). */
bool judge_total(const struct court *court, struct court_case *c)
{
  const double truth = (double)gc_model_true_level(court->model, c->space, c->level);

  if (!c->cache || court->gpu->class == DRAWN_NOISE)
    return false;
  snprintf(c->truth, sizeof(c->truth), "%.0f", truth);
  return near_to(c, truth, TOTAL_SHARE * truth, TOTAL_SHARE * truth);
}

/* The noise of a level. offsets: where those of the SMs fit. */
static struct tail noise_of(const struct court *court, const struct court_case *c,
                            double offsets[COURT_SMS_MAX])
{
  const uint32_t sms = court->profile.sm_spread ? court->profile.facts.sms : 0;

  for (uint32_t sm = 0; sm < sms; sm++)
    offsets[sm] = gc_model_true_offset(court->model, c->space, c->level, sm);
  return (struct tail){.jitter = court->profile.paths[c->space].levels[c->level].jitter,
                       .sms = sms,
                       .offsets = offsets};
}

double court_spread(const struct court *court, const struct court_case *c, unsigned level)
{
  double most = 0;

  for (uint32_t sm = 0; sm < court->profile.facts.sms; sm++)
    most = fmax(most, abs(gc_model_true_offset(court->model, c->space, level, sm)));
  return most;
}

bool court_cycles(const struct court *court, struct court_case *c, double truth, double near)
{
  const struct gc_disturbance *noise = &court->profile.disturbance;
  struct gc_disturbance quiet = *noise;
  double offsets[COURT_SMS_MAX];
  const struct tail tail = noise_of(court, c, offsets);
  double least = truth, most;

  quiet.outlier_rate = 0;
  if (tail.sms)
    least += tail_of(&quiet, &tail, 0.5);
  most = noise->outlier_rate > 0 ? truth + tail_of(noise, &tail, 0.5) : least;
  snprintf(c->truth, sizeof(c->truth), "%.0f", least);
  return near_to(c, least, near, near + most - least + court->gpu->drift);
}

#define BESIDE_SHARE 0.05 /* allowed error of both latencies */

/* Loads are faster beside others: both latencies. Others read between a fifth and half of the
 * bandwidth; of an L3, a fifth of that of memory, or more. So little may not raise a clock all the
 * way, or loads may wait. */
static bool judge_both(const struct court *court, struct court_case *c, double idle)
{
  const double spread = court_spread(court, c, c->level) + court->gpu->drift;
  const double mhz = court->profile.facts.running_clock_khz / 1e3 * court_clock_share(court);
  const double alone = court_latency(court, c->space, c->level), rate = court_rate(court, c);
  const double from =
      c->element->kind == GC_L3 ? fmin(rate, court->profile.memory_read_gbps) : rate;
  double least = alone, most = 0;

  for (double gbps = from / 5; gbps < rate / 2; gbps += rate / 1000) {
    const double cycles = alone + court_waits(court, c, gbps);

    least = fmin(least, cycles);
    most = fmax(most, cycles);
  }
  snprintf(c->truth, sizeof(c->truth), "%.0f, alone %.0f", least, alone);
  return least < alone && fabs(idle * mhz / 1e3 - alone) <= BESIDE_SHARE * alone + spread &&
         near_to(c, least, BESIDE_SHARE * least + spread,
                 most * (1 + BESIDE_SHARE) - least + spread);
}

bool judge_latency(const struct court *court, struct court_case *c)
{
  const double truth = court_latency(court, c->space, c->level);
  const double idle = number(court_info(c->element, HWLOC_GPUCACHE_IDLE_LATENCY_NS));

  if (hidden(court, c))
    return false;
  if (idle > 0)
    return judge_both(court, c, idle);
  return court_cycles(court, c, truth,
                      (outside(c->element) ? OFF_SM_SHARE * truth : ON_SM_CYCLES) +
                          (c->element->kind == GC_L3 ? court_spread(court, c, c->level) : 0));
}

/* The 95th percentile of single loads is right within 2 cycles or 4 %, and a step of the clock. Where
 * lines have one place, the other partitions have their share of them. Where the near partition gets
 * copies, it depends on earlier loads how many are there. */
#define TAIL_CYCLES 2.0
#define TAIL_SHARE 0.04

bool judge_latency_p95(const struct court *court, struct court_case *c)
{
  const struct gc_disturbance *noise = &court->profile.disturbance;
  const double latency = court_latency(court, c->space, c->level);
  double offsets[COURT_SMS_MAX];
  struct tail tail = noise_of(court, c, offsets);
  const double more = c->cache && c->cache->partitions > 1 ? c->cache->far_cycles : 0;
  const double others = more > 0 ? 1 - 1.0 / c->cache->partitions : 0;
  double least, most, near;
  const uint32_t step = court->profile.latency_step;

  if (hidden(court, c))
    return false;
  tail.slow = others;
  tail.more = more;
  least = most = latency + tail_of(noise, &tail, 0.95);
  if (more > 0 && c->cache->replicate) {
    tail.slow = 0;
    least = latency + tail_of(noise, &tail, 0.95);
  }
  near = fmax(TAIL_CYCLES, TAIL_SHARE * most) + (step > 1 ? step : 0) +
         (c->element->kind == GC_L3 ? court_spread(court, c, c->level) : 0);
  snprintf(c->truth, sizeof(c->truth), "%.1f", most);
  return near_to(c, most, near + most - least, near + court->gpu->drift);
}

bool judge_near(const struct court *court, struct court_case *c)
{
  const double truth = court_latency(court, c->space, c->level);

  return court_cycles(court, c, truth, OFF_SM_SHARE * truth + court_spread(court, c, c->level));
}

bool judge_far(const struct court *court, struct court_case *c)
{
  const double truth =
      court_latency(court, c->space, c->level) + (c->cache ? c->cache->far_cycles : 0);

  return court_cycles(court, c, truth, OFF_SM_SHARE * truth + court_spread(court, c, c->level));
}

/* The miss penalty is the difference to the latency of the next level. The error allowed is that
 * of the latter. Drift changes both. */
bool judge_penalty(const struct court *court, struct court_case *c)
{
  const double hit = court_latency(court, c->space, c->level);
  const double miss = court_latency(court, c->space, c->level + 1);
  const double near = fmax(ON_SM_CYCLES, OFF_SM_SHARE * miss) + court->gpu->drift +
                      court_spread(court, c, c->level + 1);

  if (!hidden(court, c) && miss > 0)
    snprintf(c->truth, sizeof(c->truth), "%.0f", miss - hit);
  return near_to(c, miss - hit, near, near);
}

/* The same tolerance for the fastest SM, the median and the slowest one. */
bool judge_by_sm(const struct court *court, struct court_case *c)
{
  const double truth = court_latency(court, c->space, c->level);
  const double own = truth / gc_model_true_latency(court->model, c->space, c->level);
  const uint32_t sms = court->profile.facts.sms;
  double of[COURT_SMS_MAX], found[3] = {NAN, NAN, NAN}, right[3];

  if (!court->profile.sm_spread)
    return false;
  for (uint32_t sm = 0; sm < sms; sm++)
    of[sm] = truth + own * gc_chip_offset(court->model, sm);
  gc_sort(of, sms);
  right[0] = of[0];
  right[1] = (of[(sms - 1) / 2] + of[sms / 2]) / 2;
  right[2] = of[sms - 1];
  snprintf(c->truth, sizeof(c->truth), "%.0f,%.1f,%.0f", right[0], right[1], right[2]);
  if (sscanf(c->reported, "%lf,%lf,%lf", &found[0], &found[1], &found[2]) != 3)
    return false;
  for (int i = 0; i < 3; i++)
    if (found[i] < (1 - OFF_SM_SHARE) * right[i] ||
        found[i] > (1 + OFF_SM_SHARE) * right[i] + court->gpu->drift)
      return false;
  return true;
}

/* The bandwidth in the unit of the element: per SM, or for the chip. Without an L1.5, the level
 * behind the constant L1 belongs to the chip. */
static double rate_of(const struct court *court, const struct court_case *c, unsigned level, bool write)
{
  const double rate = gc_model_true_bandwidth(court->model, c->space, level, write);
  const int cache = court->profile.paths[c->space].levels[level].cache;

  if (outside(c->element))
    return own_clock(court, &court->profile.paths[c->space], level) ? rate
                                                                     : rate * court_clock_share(court);
  if (cache == GC_PROFILE_MEMORY || court->profile.caches[cache].scope < GC_SCOPE_XCD)
    return rate;
  return rate * 1e6 / court->profile.facts.clock_khz / court->profile.facts.sms;
}

/* GB/s that the lines for which SMs can wait at the same time allow (Little's law), whatever the
 * number of warps. */
static double limit_of_sms(const struct court *court, const struct court_case *c)
{
  const struct gc_profile *profile = &court->profile;
  const struct gc_profile_path *path = &profile->paths[c->space];
  const double line = profile->caches[path->levels[0].cache].shape.line;

  if (!profile->outstanding_per_sm)
    return INFINITY;
  return profile->outstanding_per_sm * line /
         (court_latency(court, c->space, c->level) -
          gc_model_true_idle(court->model, c->space, c->level)) *
         profile->facts.sms * profile->facts.running_clock_khz * court_clock_share(court) / 1e6;
}

static double true_rate(const struct court *court, const struct court_case *c, bool write)
{
  double truth = INFINITY;

  for (unsigned level = 0; level <= c->level; level++)
    truth = fmin(truth, rate_of(court, c, level, write));
  if (write && c->cache && c->cache->write == GC_STORE_THROUGH && outside(c->element))
    truth = fmin(truth, rate_of(court, c, c->level + 1, true));
  if (outside(c->element))
    truth = fmin(truth, limit_of_sms(court, c));
  return truth;
}

double court_own_rate(const struct court *court, const struct court_case *c, unsigned level)
{
  return rate_of(court, c, level, false);
}

double court_rate(const struct court *court, const struct court_case *c)
{
  return true_rate(court, c, false);
}

static bool judge_rate(const struct court *court, struct court_case *c, bool write)
{
  double truth;

  if (hidden(court, c))
    return false;
  truth = true_rate(court, c, write);
  snprintf(c->truth, sizeof(c->truth), "%.2f", truth);
  return near_to(c, truth, RATE_SHARE * truth, RATE_SHARE * truth);
}

bool judge_read(const struct court *court, struct court_case *c)
{
  return judge_rate(court, c, false);
}

bool judge_write(const struct court *court, struct court_case *c)
{
  return judge_rate(court, c, true);
}

/* The bytes that a miss fetches: at least what the level before asks for. */
bool judge_fetch(const struct court *court, struct court_case *c)
{
  const struct gc_profile_path *path = &court->profile.paths[c->space];
  uint32_t truth = 0;

  for (unsigned level = 0; level <= c->level && c->cache; level++) {
    const struct gc_cache_shape *shape = &court->profile.caches[path->levels[level].cache].shape;

    truth = shape->sector > truth ? shape->sector : truth;
  }
  if (c->cache && court->gpu->class != DRAWN_NOISE)
    snprintf(c->truth, sizeof(c->truth), "%u", truth);
  return near_to(c, truth, 0, 0);
}

bool judge_line(const struct court *court, struct court_case *c)
{
  if (!c->cache || court->gpu->class == DRAWN_NOISE)
    return false;
  snprintf(c->truth, sizeof(c->truth), "%u", c->cache->shape.line);
  return near_to(c, c->cache->shape.line, 0, 0);
}

/* The lines that a warp or an SM can wait for; 0: any number. A warp has no more than its SM. */
static uint32_t true_outstanding(const struct court *court, enum gc_property property)
{
  const uint32_t sm = court->profile.outstanding_per_sm, warp = court->profile.outstanding_per_warp;

  return property == GC_OUTSTANDING_PER_WARP && warp && (!sm || warp < sm) ? warp : sm;
}

static bool judge_outstanding(const struct court *court, struct court_case *c,
                              enum gc_property property)
{
  const uint32_t truth = true_outstanding(court, property);

  if (truth)
    snprintf(c->truth, sizeof(c->truth), "%u", truth);
  else
    snprintf(c->truth, sizeof(c->truth), "no limit");
  return truth && near_to(c, truth, 0, 0);
}

bool judge_outstanding_sm(const struct court *court, struct court_case *c)
{
  return judge_outstanding(court, c, GC_OUTSTANDING_PER_SM);
}

bool judge_outstanding_warp(const struct court *court, struct court_case *c)
{
  return judge_outstanding(court, c, GC_OUTSTANDING_PER_WARP);
}

/* --- the whole record ------------------------------------------------------------------------ */

#define judge_none NULL
static bool (*const judges[GC_PROPERTY_COUNT])(const struct court *court, struct court_case *c) = {
#define PROPERTY(id, name, judge, section, sentence) [GC_##id] = judge_##judge,
#include "record/property_table.h"
};

bool is_judged(int property) { return judges[property]; }

/* The first value of a property that the element has; "" if it has none. */
static const char *value_of(const struct gc_element *element, enum gc_property property)
{
  static const struct {
    enum gc_property property;
    const char *key;
  } keys[] = {
#define NUMBER(id, key, format, least, member, words) {GC_##id, key},
#define TEXT(id, key, pattern, between, write, words) {GC_##id, key},
#include "record/property_table.h"
  };
  const char *value = "";

  for (size_t i = 0; i < sizeof(keys) / sizeof(*keys) && !*value; i++)
    if (keys[i].property == property)
      value = court_info(element, keys[i].key);
  return value;
}

static void set_place(const struct court *court, const struct gc_element *element,
                      struct court_case *c)
{
  const struct gc_profile_path *path;
  int cache;

  *c = (struct court_case){.element = element, .space = places[element->kind].space};
  path = &court->profile.paths[c->space];
  c->level = path->count && places[element->kind].level >= path->count ? path->count - 1
                                                                       : places[element->kind].level;
  cache = path->count ? path->levels[c->level].cache : GC_PROFILE_MEMORY;
  c->cache = cache == GC_PROFILE_MEMORY ? NULL : &court->profile.caches[cache];
}

/* A lower bound instead of a value. */
static void judge_fewest(const struct court *court, const struct court_case *c, const char *key,
                         struct verdict *v)
{
  const double at_least = number(court_info(c->element, key));
  const uint32_t truth = true_outstanding(court, v->property);

  if (v->claim == CLAIM_VALUE || !(at_least > 0))
    return;
  v->claim = CLAIM_AT_LEAST;
  v->right = !truth || at_least <= truth;
}

static void judge_bound(const struct court *court, const struct court_case *c, struct verdict *v)
{
  const double at_least = number(court_info(c->element, HWLOC_GPUCACHE_CAPACITY_AT_LEAST_BYTES));

  if (v->property != GC_CAPACITY || v->claim == CLAIM_VALUE || !(at_least > 0))
    return;
  v->claim = CLAIM_AT_LEAST;
  v->right = true_capacity(court, c).most >= at_least * (1 - CAPACITY_SHARE);
}

static void judge(const struct court *court, const struct gc_element *element,
                  enum gc_property property, const char *source, struct verdict *v)
{
  const size_t prefix = strlen(HWLOC_GPUCACHE_SOURCE_ABSENT);
  static struct court_case c;
  char name[80];

  set_place(court, element, &c);
  court_launch(court, 0);
  snprintf(c.reported, sizeof(c.reported), "%s", value_of(element, property));
  v->kind = element->kind;
  v->property = property;
  v->right = court_tlb(court, &c) ? judge_tlb(court, &c, property)
                                  : judges[property](court, &c);
  v->nothing_there = !*c.truth;
  v->right &= !v->nothing_there;
  if (!strncmp(source, HWLOC_GPUCACHE_SOURCE_ABSENT, prefix)) {
    v->right = false;
    snprintf(v->why, sizeof(v->why), "%.111s", source + prefix);
    v->false_reason = reason_is_false(court, &c, v->why);
  } else {
    v->claim = CLAIM_VALUE;
  }
  judge_bound(court, &c, v);
  if (property == GC_OUTSTANDING_PER_SM)
    judge_fewest(court, &c, HWLOC_GPUCACHE_OUTSTANDING_PER_SM_AT_LEAST, v);
  if (property == GC_OUTSTANDING_PER_WARP)
    judge_fewest(court, &c, HWLOC_GPUCACHE_OUTSTANDING_PER_WARP_AT_LEAST, v);
  snprintf(name, sizeof(name), "%s" HWLOC_GPUCACHE_CONFIDENCE_SUFFIX,
           gc_properties_names[property]);
  v->confidence = number(court_info(element, name));
  snprintf(v->value, sizeof(v->value), "%.55s", c.reported);
  snprintf(v->truth, sizeof(v->truth), "%.55s", c.truth);
}

/* The property that this info states the source of. GC_PROPERTY_COUNT: there is nothing to check.
 * -1: the property is measured, and no function checks it. */
static int find_property(const struct gc_info *info)
{
  const size_t suffix = strlen(HWLOC_GPUCACHE_SOURCE_SUFFIX);
  const size_t length = info->length > suffix ? info->length - suffix : 0;
  int property = 0;

  if (!length || strcmp(info->name + length, HWLOC_GPUCACHE_SOURCE_SUFFIX))
    return GC_PROPERTY_COUNT;
  while (property < GC_PROPERTY_COUNT &&
         (!is_judged(property) || strlen(gc_properties_names[property]) != length ||
          strncmp(gc_properties_names[property], info->name, length)))
    property++;
  if (property == GC_PROPERTY_COUNT)
    return strcmp(info->value, HWLOC_GPUCACHE_SOURCE_MEASURED) ? property : -1;
  return strcmp(info->value, HWLOC_GPUCACHE_SOURCE_API) &&
             strcmp(info->value, HWLOC_GPUCACHE_SOURCE_SYSFS)
           ? property
           : GC_PROPERTY_COUNT; /* stated by the vendor's interface or the driver */
}

static int judge_record(const struct court *court, const struct judged_gpu *judged,
                        struct verdict verdicts[VERDICTS_MAX], struct gc_error *err)
{
  const struct gc_element gpu = {.kind = GC_WHOLE_GPU, .infos = court->record->infos};
  int n = 0;

  for (int kind = 0; kind <= GC_WHOLE_GPU; kind++) {
    const struct gc_element *element =
      kind == GC_WHOLE_GPU ? &gpu : gc_record_find(court->record, (enum gc_kind)kind);

    for (size_t i = 0; element && i < element->infos.count; i++) {
      const struct gc_info *info = &element->infos.array[i];
      const int property = find_property(info);

      if (property < 0 || n == VERDICTS_MAX)
        return gc_fail(err, -1, "no function judges %s of %s", info->name,
                       gc_kind_name((enum gc_kind)kind));
      if (property == GC_PROPERTY_COUNT)
        continue;
      verdicts[n] = 
        (struct verdict){.gpu = judged->index, .group = judged->group, .class = court->gpu->class};
      judge(court, element, (enum gc_property)property, info->value, &verdicts[n++]);
    }
  }
  return n;
}

/* Gives the simulator the profile as a file in memory, which needs no directory and no removal. */
static int put_profile(const char *text, char path[32])
{
  const int fd = memfd_create("profile", MFD_CLOEXEC);

  snprintf(path, 32, "/proc/self/fd/%d", fd);
  if (fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text))
    return fd;
  if (fd >= 0)
    close(fd);
  return -1;
}

/* As the tool measures, without storing. */
static int measure(const struct gc_gpu *gpu, const struct judged_gpu *judged,
                   struct gc_record **record, struct gc_error *err)
{
  const struct gc_measure_options options = {.tables = gpu->tables,
                                             .only = judged->only,
                                             .unlimited = judged->unlimited,
                                             .earned = judged->earned};
  struct gc_device *device = NULL;
  int status = gc_device_open(gpu, &device, err);

  if (!status && !(*record = gc_record_new(&gpu->identity)))
    status = gc_fail(err, -1, "out of memory");
  if (!status)
    status = gc_measure(device, &options, *record, err);
  if (device)
    gc_ops(device)->close(device);
  return status;
}

int judge_gpu(const struct drawn_gpu *gpu, const struct judged_gpu *judged,
              struct verdict verdicts[VERDICTS_MAX])
{
  struct gc_error err = {""};
  struct gc_gpus gpus = {.count = 0};
  struct gc_record *record = NULL;
  struct court court = {.gpu = gpu};
  char path[32];
  const int fd = put_profile(gpu->text, path);
  int n = -1;

  if (fd >= 0 && !gc_gpus_list("/nonexistent", path, &gpus) && gpus.count == 1 &&
      !gc_model_new("drawn", gpu->text, strlen(gpu->text), &court.model, &err) &&
      !gc_profile_parse("drawn", gpu->text, strlen(gpu->text), &court.profile, &err) &&
      !gc_profile_check("drawn", &court.profile, &err) &&
      !measure(&gpus.array[0], judged, &record, &err)) {
    court.record = record;
    n = judge_record(&court, judged, verdicts, &err);
  }
  if (n < 0)
    fprintf(stderr, "drawn GPU %llu: %s\n", (unsigned long long)judged->index, err.text);
  gc_record_free(record);
  gc_model_free(court.model);
  gc_gpus_free(&gpus);
  if (fd >= 0)
    close(fd);
  return n;
}
