/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sets, ways, the hash of addresses and the replacement policy, from overfull sets (overfull.h).
 * doc/methods.md, "Sets and replacement".
 */
#include "measure/structure/structure.h"

#include "measure/core/step_memory.h"
#include "measure/structure/index.h"
#include "measure/structure/cache_lines.h"
#include "measure/structure/overfull.h"
#include "measure/structure/policy.h"
#include "measure/structure/same_sets.h"
#include "measure/walk/marks.h"
#include "measure/walk/ring.h"
#include "measure/walk/vote.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LINES_MOST 16384  /* that can be walked one by one in a short time */
#define CONFLICTS_LEAST 3 /* overfull sets that must be found */
#define ALIKE 0.9         /* share of them that must have the same number of lines, */
#define ALIKE_SPARE 0.7   /* or that number less the other data in their set, if lines are spared */
#define FULL 0.8      /* share of further lines that must meet a full set, if no line is spared */
#define SPARE 64      /* at the first try, the array has this share of its lines less */
#define HELD_OUT 4    /* one in so many conflicts is not used to find the hash, but to check it */
#define POLICY_SMS 32 /* blocks that load the lines of a set */
#define POLICY_SMS_ALONE 4
#define POLICY_LOADS GPU_MARKS /* most loads of a block */
#define LOADS_LEAST 512        /* least loads of a block */
#define LOADS_PASSES 96        /* passes over the lines of a set, if these limits allow */
#define AGREES 0.75      /* of the misses that a policy predicts or that were seen: those in both */
#define AHEAD 0.1        /* by which the best policy must exceed the others */
#define SLOWEST 1.5      /* loads that take this many times as long as most misses are disturbed */
#define POLICY_ROUNDS 96 /* launches, if one does not decide */
#define VICTIM_PASSES 48 /* over the lines of a set, from which victims are counted */
#define VICTIMS 5000     /* replacements for each way, on average: so many are enough, */
#define VICTIMS_LEAST 200 /* and so many are necessary */
#define NOISE_MOST 0.01   /* share of disturbed loads with which victims are no evidence */

/* --- sets and ways --------------------------------------------------------------------------- */

/* How many conflicts there are, and how many have the most frequent number of lines. */
struct sizes {
  size_t found, alike;
  uint32_t lines;
};

static struct sizes sizes_of(const struct gc_overfull *o)
{
  size_t counts[GC_CONFLICT_MAX + 1] = {0};
  struct sizes sizes = {0};

  for (size_t i = 0; i < o->n; i++)
    if (o->conflict[i].count > 1) {
      sizes.found++;
      if (o->conflict[i].count <= GC_CONFLICT_MAX && !o->conflict[i].unclear)
        counts[o->conflict[i].count]++;
    }
  for (uint32_t lines = 2; lines <= GC_CONFLICT_MAX; lines++)
    if (counts[lines] > sizes.alike) {
      sizes.alike = counts[lines];
      sizes.lines = lines;
    }
  return sizes;
}

static bool clear(const struct gc_overfull *o, const struct sizes *sizes)
{
  return !o->misses && sizes->alike >= CONFLICTS_LEAST &&
         (double)sizes->alike >= (o->spare ? ALIKE_SPARE : ALIKE) * (double)sizes->found &&
         (o->spare || (double)sizes->found >= FULL * (double)o->n);
}

/* Whether this conflict counts. */
static bool counts(const struct gc_conflict *conflict, const struct sizes *sizes)
{
  return conflict->count == sizes->lines && !conflict->unclear;
}

/* Are the numbers of all lines of each set the same, modulo `sets`? */
static bool is_modulo(const struct gc_overfull *o, const struct sizes *sizes, uint64_t sets)
{
  for (size_t i = 0; i < o->n; i++)
    for (uint32_t k = 1; counts(&o->conflict[i], sizes) && k < sizes->lines; k++)
      if (o->conflict[i].line[k] % sets != o->conflict[i].line[0] % sets)
        return false;
  return true;
}

static uint64_t address_of(const struct gc_overfull *o, uint32_t line)
{
  return (uint64_t)line * o->line;
}

/* Does the hash say which lines of the array are in the set of a further line? sets: of the lines
 * of the array. If fewer lines than ways are in it, it has space left, and nothing may have missed,
 * unless other data are in it, too: then all of these lines missed. */
static bool predicts(const struct gc_overfull *o, const struct gc_set_masks *index,
                     const uint32_t *sets, const struct gc_conflict *conflict,
                     const struct sizes *sizes)
{
  const uint32_t set = gc_index_set(index, address_of(o, conflict->extra));
  uint32_t same = 0;

  for (uint32_t line = 0; line < o->lines - o->spare; line++)
    if (sets[line] == set) {
      if (conflict->count && conflict->line[same < conflict->count ? same : 0] != line)
        return false;
      same++;
    }
  return conflict->count ? same + 1 == conflict->count && conflict->count <= sizes->lines
                         : same + 1 < sizes->lines;
}

/* sets[lines]: space. *agree: the conflicts that it predicts. */
static bool predicts_all(const struct gc_overfull *o, const struct gc_set_masks *index,
                         const struct sizes *sizes, uint32_t *sets, size_t *agree)
{
  size_t right = 0, n = 0;

  *agree = 0;
  for (uint32_t line = 0; line < o->lines; line++)
    sets[line] = gc_index_set(index, address_of(o, line));
  for (size_t i = 0; i < o->n; i++) {
    const struct gc_conflict *conflict = &o->conflict[i];

    if (conflict->count != 1 && !conflict->unclear) {
      const bool is_right = predicts(o, index, sets, conflict, sizes);

      n++;
      right += is_right;
      *agree += is_right && conflict->count;
    }
  }
  return n && (double)right >= ALIKE * (double)n &&
         (double)*agree >= ALIKE * (double)sizes->found;
}

static unsigned log2_of(uint64_t n)
{
  return 63u - (unsigned)__builtin_clzll(n);
}

/* The linear hash under which the conflicts share a set. Every few conflicts are not used. */
static void find_index(const struct gc_overfull *o, const struct sizes *sizes,
                       struct gc_set_masks *index)
{
  struct gc_span kernel = {0};
  unsigned used = 0;

  for (size_t i = 0; i < o->n; i++) {
    const struct gc_conflict *conflict = &o->conflict[i];

    if (!counts(conflict, sizes) || ++used % HELD_OUT == 0)
      continue;
    for (uint32_t k = 1; k < sizes->lines; k++)
      gc_span_add(&kernel, address_of(o, conflict->line[0]) ^ address_of(o, conflict->line[k]));
  }
  gc_index_find(&kernel, log2_of(o->line), log2_of(o->layout.bytes), index);
}

static int put_masks(struct gc_measured *element, const struct gc_set_masks *index,
                     double confidence)
{
  element->mask_count = index->count;
  memcpy(element->masks, index->masks, index->count * sizeof(*index->masks));
  gc_set_measured(element, GC_SET_INDEX_MASKS, confidence);
  return gc_set_measured(element, GC_SET_INDEX_ADDRESS, confidence);
}

static int put_no_masks(struct gc_measured *element, const char *why)
{
  gc_set_absent(element, GC_SET_INDEX_MASKS, why);
  return gc_set_absent(element, GC_SET_INDEX_ADDRESS, why);
}

/* The sets of a linear hash, or else what follows from ways and capacity. */
struct geometry {
  uint64_t ways, sets;
  bool linear, modulo;
  struct gc_set_masks index;  /* if linear */
  size_t agree;              /* conflicts that show this */
};

/* A cache may have sets for more lines than the carve-out leaves it. */
static int find_geometry(const struct gc_overfull *o, const struct sizes *sizes,
                         struct geometry *found)
{
  uint32_t *sets = gc_step_alloc(o->bench, o->lines, sizeof(*sets));

  if (!sets)
    return -ENOMEM;
  found->ways = sizes->lines - 1;
  found->sets = o->lines % found->ways ? 0 : o->lines / found->ways;
  find_index(o, sizes, &found->index);
  found->linear = found->index.count <= GC_MASKS_MAX &&
                  found->ways << found->index.count >= o->lines &&
                  predicts_all(o, &found->index, sizes, sets, &found->agree);
  if (found->linear)
    found->sets = 1ull << found->index.count;
  else
    found->agree = sizes->alike;
  found->modulo = !found->linear && found->sets &&
                  (double)sizes->alike >= ALIKE * (double)sizes->found &&
                  is_modulo(o, sizes, found->sets);
  return 0;
}

static int put_geometry(struct gc_measured *element, const struct sizes *sizes,
                        const struct geometry *found)
{
  const double confidence = gc_vote_confidence(found->agree, sizes->found);
  char modulo[96];

  element->ways = found->ways;
  gc_set_measured(element, GC_WAYS, confidence);
  gc_set_absent(element, GC_SET_WAYS, "all sets that were tried have the same number of ways");
  element->sets = found->sets;
  if (!found->sets) {
    gc_set_absent(element, GC_SETS, "the capacity is no multiple of the lines of a set");
    return put_no_masks(element, "the number of sets is not known");
  }
  gc_set_measured(element, GC_SETS, confidence);
  if (found->linear && found->index.count)
    return put_masks(element, &found->index, confidence);
  snprintf(modulo, sizeof(modulo), "the set is the number of the line modulo %llu",
           (unsigned long long)found->sets);
  return put_no_masks(element, found->sets == 1 ? "there is only one set"
                               : found->modulo  ? modulo
                                                : "the hash of addresses is not linear, or too few "
                                                  "lines of each set were found");
}

/* --- replacement ----------------------------------------------------------------------------- */

/* Loads of the lines of some sets in an order that repeats: each line once for each variant. */
struct trial {
  struct gc_overfull *o;
  uint32_t ways;
  size_t sets, blocks;
  uint32_t loads; /* of each block */
  uint32_t period;
  uint64_t starts[GC_OVERFULL_MAX];
  uint8_t order[GC_OVERFULL_MAX][GC_VARIANTS_MAX * GC_CONFLICT_MAX];
  uint8_t *seen; /* [blocks][POLICY_LOADS]: enum gc_load_outcome */
};

/* A random order of the lines, again and again, without two loads of one line in succession. */
static void choose_order(struct trial *t, uint8_t *order)
{
  const uint32_t lines = t->ways + 1;
  uint32_t shuffled[GC_CONFLICT_MAX];

  for (uint32_t v = 0; v < t->o->variants; v++) {
    gc_layout_shuffle(&t->o->layout, shuffled, lines);
    if (v && shuffled[0] == order[v * lines - 1]) {
      shuffled[0] = shuffled[lines - 1];
      shuffled[lines - 1] = order[v * lines - 1];
    }
    for (uint32_t i = 0; i < lines; i++)
      order[v * lines + i] = (uint8_t)shuffled[i];
  }
}

static void lay_set(struct trial *t, const struct gc_conflict *conflict)
{
  const uint32_t lines = t->ways + 1;
  uint8_t *order = t->order[t->sets];
  uint64_t slots[GC_VARIANTS_MAX * GC_CONFLICT_MAX];

  choose_order(t, order);
  for (uint32_t i = 0; i < t->period; i++)
    slots[i] = address_of(t->o, conflict->line[order[i]]) + (uint64_t)(i / lines) * GC_SLOT;
  for (uint32_t i = 0; i < t->period; i++)
    gc_layout_link(&t->o->layout, slots[i], slots[(i + 1) % t->period]);
  t->starts[t->sets++] = gc_ring_address(t->o->bench, t->o->path->space, slots[0]);
}

/* Sets that have no line in common. */
static int lay_sets(struct trial *t, const struct sizes *sizes)
{
  struct gc_overfull *o = t->o;
  bool *used = gc_step_alloc(o->bench, o->layout.bytes / o->line, sizeof(*used));

  if (!used)
    return -ENOMEM;
  memset(o->layout.image, 0, o->layout.bytes);
  for (size_t i = 0; i < o->n && t->sets < t->blocks; i++) {
    const struct gc_conflict *conflict = &o->conflict[i];
    bool taken = !counts(conflict, sizes);

    for (uint32_t k = 0; !taken && k < sizes->lines; k++)
      taken = used[conflict->line[k]];
    if (taken)
      continue;
    for (uint32_t k = 0; k < sizes->lines; k++)
      used[conflict->line[k]] = true;
    lay_set(t, conflict);
  }
  return gc_layout_upload(&o->layout);
}

/* What the loads of a block show. A load that takes much longer than a miss is disturbed: it may
 * have hit. The first load of each line misses in any case, and may come from memory. */
static void judge_loads(struct trial *t, size_t block, const struct gpu_marks_result *seen)
{
  uint8_t *outcome = t->seen + block * POLICY_LOADS;

  for (uint32_t i = 0; i < t->loads; i++)
    outcome[i] = !gc_mark(seen->slow, i)                 ? GC_HIT
                 : gc_mark(seen->late, i) && i > t->ways ? GC_EITHER
                                                         : GC_MISS;
}

static int walk_sets(struct trial *t)
{
  const size_t at_once = gc_walks_alone(t->o->bench, t->o->path) ? 1 : t->blocks;
  struct gpu_marks_result seen[POLICY_SMS];
  uint64_t starts[POLICY_SMS];
  int status = 0;

  for (size_t i = 0; i < t->blocks; i++)
    starts[i] = t->starts[i % t->sets];
  for (size_t from = 0; from < t->blocks && !status; from += at_once) {
    const struct gc_marked marked = {.starts = starts + from,
                                     .n = at_once,
                                     .loads = t->loads,
                                     .threshold = (uint32_t)t->o->threshold,
                                     .late = (uint32_t)(SLOWEST * t->o->miss)};

    if (!(status = gc_marks_walk(t->o->bench, t->o->path, &marked, seen)))
      for (size_t i = 0; i < at_once; i++)
        judge_loads(t, from + i, &seen[i]);
  }
  return status;
}

static struct gc_set_loads loads_of(const struct trial *t, size_t block)
{
  return (struct gc_set_loads){.ways = t->ways,
                               .order = t->order[block % t->sets],
                               .period = t->period,
                               .seen = t->seen + block * POLICY_LOADS,
                               .loads = t->loads};
}

/* The mean agreement of all blocks, and how many of them agree. */
static double agreement(const struct trial *t, enum gc_replaces policy, uint64_t *agree)
{
  double sum = 0;

  *agree = 0;
  for (size_t i = 0; i < t->blocks; i++) {
    const struct gc_set_loads loads = loads_of(t, i);
    const double share = gc_policy_agrees(policy, &loads);

    sum += share;
    *agree += share >= AGREES;
  }
  return sum / (double)t->blocks;
}

/* A disturbed load that looks like a miss exchanges two ways from there on. So only few loads of a
 * block count. */
static void add_victims(const struct trial *t, struct gc_victims *victims)
{
  for (size_t i = 0; i < t->blocks; i++) {
    struct gc_set_loads loads = loads_of(t, i);

    if (loads.loads > VICTIM_PASSES * (t->ways + 1))
      loads.loads = VICTIM_PASSES * (t->ways + 1);
    gc_victims_add(victims, &loads);
  }
}

static int put_victims(struct gc_measured *element, struct trial *t)
{
  struct gc_victims victims = {.n = 0};
  int status = 0;

  add_victims(t, &victims);
  if (t->loads > VICTIM_PASSES * (t->ways + 1))
    t->loads = VICTIM_PASSES * (t->ways + 1);
  for (unsigned i = 1; i < POLICY_ROUNDS && victims.n < (uint64_t)VICTIMS * t->ways; i++) {
    if ((status = walk_sets(t)))
      return status;
    add_victims(t, &victims);
  }
  gc_raw_note(t->o->bench->raw, "replacements seen", (double)victims.n);
  if (victims.n < (uint64_t)VICTIMS_LEAST * t->ways || t->o->noise > NOISE_MOST)
    return gc_no_value(t->o->bench, "too few undisturbed replacements were seen");
  element->replaces =
      gc_counts_alike(victims.by_way, t->ways) && gc_counts_alike(victims.by_age, t->ways)
          ? GC_REPLACES_RANDOM
          : GC_REPLACES_OTHER;
  gc_set_measured(element, GC_REPLACEMENT, 0.999);
  if (t->ways > GC_VICTIM_WAYS_MAX)
    return gc_set_absent(element, GC_VICTIM_SHARES, "a set has too many ways to list them");
  element->shares = t->ways;
  for (uint32_t way = 0; way < t->ways; way++)
    element->victim_share[way] = (double)victims.by_way[way] / (double)victims.n;
  return gc_set_measured(element, GC_VICTIM_SHARES, 0.999);
}

/* Does the order of loads decide which line is replaced, in most blocks? */
static bool repeats(const struct trial *t)
{
  size_t n = 0;

  for (size_t i = 0; i < t->blocks; i++) {
    const struct gc_set_loads loads = loads_of(t, i);

    n += gc_policy_repeats(&loads);
  }
  return 2 * n > t->blocks;
}

static int conclude(struct gc_measured *element, struct trial *t)
{
  enum gc_replaces best = GC_REPLACES_LRU;
  double most = 0, second = 0;
  uint64_t agree, votes = 0;

  for (int policy = GC_REPLACES_LRU; policy <= GC_REPLACES_PLRU; policy++) {
    const double share = agreement(t, (enum gc_replaces)policy, &agree);

    if (policy == GC_REPLACES_PLRU && t->ways == 2)
      continue; /* that is LRU */
    if (share > most) {
      second = most;
      most = share;
      best = (enum gc_replaces)policy;
      votes = agree;
    } else if (share > second) {
      second = share;
    }
  }
  if (most < AGREES || most < second + AHEAD) {
    if (!repeats(t))
      return put_victims(element, t);
    best = GC_REPLACES_OTHER;
    votes = t->blocks;
  }
  element->replaces = best;
  gc_set_absent(element, GC_VICTIM_SHARES, "the order of loads decides which line is replaced");
  return gc_set_measured(element, GC_REPLACEMENT, gc_vote_confidence(votes, t->blocks));
}

static int find_policy(struct gc_measured *element, struct gc_overfull *o,
                       const struct sizes *sizes)
{
  const uint32_t ways = sizes->lines - 1, sms = o->bench->properties.sms;
  const bool alone = gc_walks_alone(o->bench, o->path);
  struct trial *t;
  int status;

  if (ways == 1)
    return gc_no_value(o->bench, "a set has one line, so there is no choice");
  if (o->variants < 2)
    return gc_no_value(o->bench, "a miss fetches too little to tell orders of loads apart");
  if (!(t = gc_step_alloc(o->bench, 1, sizeof(*t))))
    return -ENOMEM;
  t->o = o;
  t->ways = ways;
  t->period = o->variants * sizes->lines;
  t->blocks = alone || sms < POLICY_SMS ? POLICY_SMS_ALONE : POLICY_SMS;
  t->blocks = t->blocks > sms && !alone ? sms : t->blocks;
  t->loads = LOADS_PASSES * sizes->lines > LOADS_LEAST ? LOADS_PASSES * sizes->lines : LOADS_LEAST;
  t->loads = t->loads < POLICY_LOADS ? t->loads : POLICY_LOADS;
  t->seen = gc_step_alloc(o->bench, 1, t->blocks * POLICY_LOADS);
  status = t->seen ? lay_sets(t, sizes) : -ENOMEM;
  return status || (status = walk_sets(t)) ? status : conclude(element, t);
}

/* --- the step -------------------------------------------------------------------------------- */

/* For --raw: the lines of each overfull set. */
static void note(const struct gc_overfull *o)
{
  for (size_t i = 0; i < o->n; i++) {
    const struct gc_conflict *conflict = &o->conflict[i];
    char row[16 * (GC_CONFLICT_MAX + 2)];
    int length = snprintf(row, sizeof(row), "%u\t%u\t%u\t", o->lines - o->spare, conflict->extra,
                          conflict->count);

    for (uint32_t k = 0; k < conflict->count && k < GC_CONFLICT_MAX; k++)
      length += snprintf(row + length, sizeof(row) - (size_t)length, "%s%u", k ? "," : "",
                         conflict->line[k]);
    gc_raw_words(o->bench->raw, "lines in the array\tfurther line\tlines that miss\twhich", row);
  }
}

/* First an array with a few lines less, in ascending order: other data may occupy a line or two,
 * and the L1 of an H200 holds less in other orders. If sets have few lines less than that, they are
 * full only in an array without spare lines. */
static int find(struct gc_measurement *m, struct gc_measured *element, struct gc_overfull *o)
{
  struct geometry found = {0};
  struct sizes sizes;
  int status = gc_overfull_find(o, o->lines / SPARE, true);

  if (status)
    return status;
  note(o);
  sizes = sizes_of(o);
  if (clear(o, &sizes) && (status = find_geometry(o, &sizes, &found)))
    return status;
  if (!found.linear && !found.modulo) {
    if ((status = gc_overfull_find(o, 0, false)))
      return status;
    note(o);
    sizes = sizes_of(o);
    if (!clear(o, &sizes))
      return gc_no_value(o->bench,
                         o->misses ? "an array as large as the capacity has misses here"
                         : sizes.found
                             ? "the numbers of lines that conflict are not the same: the sets are "
                               "unequal, or a set has more than 192 lines"
                             : "too few lines conflict with others");
    if ((status = find_geometry(o, &sizes, &found)))
      return status;
  }
  if (element->kind == GC_L1 && (status = gc_same_sets_keep(m, o, sizes.lines)))
    return status;
  status = put_geometry(element, &sizes, &found);
  return status ? status : find_policy(element, o, &sizes);
}

/* Whatever the hash is, the storage has the same sets. */
static bool agrees(const struct gc_measured *element, const struct gc_measured *l1)
{
  const bool sets = gc_found(element, GC_SETS) && gc_found(l1, GC_SETS);
  const bool ways = gc_found(element, GC_WAYS) && gc_found(l1, GC_WAYS);

  return (!sets || element->sets == l1->sets) && (!ways || element->ways == l1->ways);
}

/* For another path into the storage of L1: finds its sets if they are not those of L1. */
static int find_others(struct gc_measurement *m, struct gc_measured *element, struct gc_overfull *o)
{
  const union gc_property_set all = GC_SET_PROPERTIES;
  enum gc_answer same;
  int status = gc_same_sets_ask(m, o, &same);

  if (status)
    return status;
  if (same != GC_NO)
    return gc_no_value(o->bench,
                       same == GC_YES ? GC_LINES_OF_L1 ", and the same sets" : GC_LINES_OF_L1);
  status = find(m, element, o);
  if (status && status != GC_NO_VALUE)
    return status;
  if (!agrees(element, &m->results->element[GC_L1]))
    for (int property = 0; property < GC_PROPERTY_COUNT; property++)
      if (all.has[property])
        gc_set_absent(element, (enum gc_property)property,
                      "the sets are not those of L1Cache, but their number must be the same");
  return status ? gc_fail_in(o->bench->err, status, "the sets are not those of L1Cache") : 0;
}

int gc_step_sets(struct gc_measurement *m, struct gc_measured *element)
{
  struct gc_overfull *o;
  struct gc_cache_lines lines;
  const char *why = gc_cache_lines_of_path(element, &lines);
  int status;

  if (why)
    return gc_no_value(&m->bench, why);
  if (element->kind == GC_CONSTANT_L15)
    return gc_no_value(&m->bench, "the constant L1 in front of it hides its sets");
  if (lines.lines < 2 || lines.lines > LINES_MOST)
    return gc_no_value(&m->bench, "it has too few or too many lines to walk them one by one");
  if (!(o = gc_step_alloc(&m->bench, 1, sizeof(*o))))
    return -ENOMEM;
  o->bench = &m->bench;
  o->path = gc_path_of(element->kind);
  o->threshold = lines.threshold;
  o->miss = lines.miss;
  o->line = lines.line;
  o->lines = lines.lines;
  if (!(status = gc_cache_lines_prepare(o->bench, o->path)) &&
      !(status = gc_overfull_open(o, lines.sector)))
    status = (uint64_t)o->lines * o->line * 2 <= o->layout.bytes
                 ? (gc_cache_lines_of_l1(element) ? find_others : find)(m, element, o)
                 : gc_no_value(&m->bench, "there are too few addresses for lines that do not fit");
  return status;
}
