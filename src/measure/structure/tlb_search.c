/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How many pages does a TLB hold? Pages at equal distances are walked in order; a TLB that replaces
 * the oldest entry misses as soon as there is one page too many. The number of pages grows until
 * loads become slower, and is then bisected.
 *
 * How much does an entry cover? If it covers more than the distance of the pages, the distance does
 * not matter for the bytes that the TLB reaches. So pages twice as far apart, over a little more
 * than these bytes, are too many if an entry covers their distance, and half as many as fit if it
 * covers half of it. The distance is a little more, so that the pages drift through all sets of the
 * TLB.
 */
#include "measure/structure/tlb_search.h"

#include "measure/walk/vote.h"
#include "stats/stats.h"

#include <math.h>
#include <string.h>

#define COVERED_MAX ((uint64_t)1 << 30) /* bytes of an entry */
#define FIRST_PAGES 8                   /* a first TLB has at least so many entries */
#define ABOVE_POWER 9                   /* times a power of two: an eighth more than one */
#define SPACING_STEP 8                  /* to the next larger spacing */
#define SPACING_MIN 65536u              /* bytes */
#define EXCESS 1.125                    /* of the reach: pages that are too many for every set */
#define VOTES 3                         /* regions of addresses */
#define FEW 4                           /* slow pages that may be noise or the kernel's own */
#define EXCESS_ROWS 3                   /* walks of the pages that are too many */
#define CONFIRMATIONS 2                 /* until all regions of addresses agree */
#define KNEE_PARTS 32                   /* the knee is exact to one in so many pages, */
#define KNEE_MOST 8                     /* and to so many */
#define GUESS_PARTS 128                 /* misses begin so near to a power of two, most often */
#define PENALTIES 96                    /* pages whose miss is timed, at most */
#define PENALTY_SHARE 0.05              /* tolerance of the penalty */
#define MARGIN_MAX 16                   /* entries by which the search may be wrong */
#define REACH_SHARE 0.01                /* by which regions may differ */
#define OWN_MAX 32                      /* pages that the kernel itself may evict */

struct search {
  struct gc_tlb_walk *walk;
  const struct gc_tlb_start *start;
  double between; /* cycles: half of what a miss costs */
  double penalties[PENALTIES];
  uint32_t count; /* of them */
  uint64_t tried; /* bytes that pages without misses extend over */
  uint32_t votes[CONFIRMATIONS * VOTES], voted; /* what all regions of all confirmations have shown */
};

uint32_t gc_tlb_beyond(const struct gc_measured *tlb, uint64_t stride)
{
  const uint64_t fit = tlb ? tlb->reach_bytes / stride : 0;

  if (!tlb)
    return 0;
  return (uint32_t)((double)(fit > tlb->entries ? fit : tlb->entries) * 1.25) + 2;
}

/* Pages of a baseline: beyond the nearer TLB. */
static uint32_t first_pages(const struct search *s, uint64_t stride)
{
  const uint32_t beyond = gc_tlb_beyond(s->start->nearer, stride);

  return beyond > FIRST_PAGES ? beyond : FIRST_PAGES;
}

/* Pages of a baseline if `held` pages are known to be held. */
static uint32_t baseline_pages(const struct search *s, uint64_t stride, uint64_t held)
{
  const uint32_t first = first_pages(s, stride);
  const uint64_t most = held < GC_TLB_TIMED ? held : GC_TLB_TIMED;

  return most > first && !s->walk->way.chained ? (uint32_t)most : first;
}

/* Whether so few slow pages may be noise. If each is the median of many walks, they are not. */
static bool may_be_noise(const struct search *s, uint32_t own, uint32_t slow)
{
  return !s->walk->way.chained && slow > own && slow <= own + FEW;
}

/* Counts those that may be noise again. */
static int count_again(const struct search *s, const struct gc_tlb_pages *pages, uint32_t count,
                       uint32_t own, struct gc_tlb_answer *seen)
{
  const struct gc_tlb_question question = {.n = 1, .counts = {count}};
  struct gc_tlb_answer again;
  int status;

  if (!may_be_noise(s, own, seen->slow) ||
      (status = gc_tlb_compare(s->walk, pages, &question, &again)))
    return may_be_noise(s, own, seen->slow) ? status : 0;
  seen->slow = again.slow < seen->slow ? again.slow : seen->slow;
  seen->cycles = again.cycles;
  return 0;
}

/* Compares with `pages`, after a new baseline of `first` pages; 0: with the old one. */
static int misses(const struct search *s, const struct gc_tlb_pages *pages, uint32_t first,
                  bool *missed, double *cycles)
{
  const struct gc_tlb_question question = {.first = first, .n = 1, .counts = {pages->count}};
  const uint32_t least = s->walk->way.least;
  struct gc_tlb_answer seen;
  int status = gc_tlb_compare(s->walk, pages, &question, &seen);

  if (!status)
    status = count_again(s, pages, pages->count, least - 1, &seen);
  *missed = !status && seen.slow >= least;
  if (cycles)
    *cycles = seen.cycles;
  return status;
}

/* The number of pages to try next. It doubles, because mapping far more addresses than the TLB
 * reaches takes long; and it is a little more than a power of two, because most TLBs have as many
 * entries as a power of two. */
static uint32_t next_count(const struct search *s, const struct gc_tlb_pages *pages)
{
  const uint64_t all = s->walk->range->span / pages->stride - 1, most = s->start->pages_max;
  const uint64_t fit = all < most ? all : most;
  uint64_t next = ABOVE_POWER;

  while (next <= pages->count)
    next *= 2;
  return (uint32_t)(next > fit && pages->count < fit ? fit : next);
}

/* The bisection need not find the knee exactly, because the entries are counted later. */
static uint32_t knee_error(uint32_t held)
{
  const uint32_t error = held / KNEE_PARTS;

  return error < 1 ? 1 : error > KNEE_MOST ? KNEE_MOST : error;
}

/* The number of pages to try next: on both sides of a power of two, or in the middle. */
static uint32_t middle_of(uint32_t held, uint32_t lost)
{
  uint32_t power = 1, near;

  while (2 * power < lost)
    power *= 2;
  near = power / GUESS_PARTS + 1;
  if (lost - held > 4 * near && power + near < lost && power + near > held)
    return power + near;
  if (lost - held > 4 * near && power - near > held)
    return power - near;
  return held + (lost - held) / 2;
}

/* The most pages without misses, up to `most`; 0: even that many are held. Before that, the
 * baseline; afterwards, a threshold between hits and misses. */
static int find_knee(struct search *s, struct gc_tlb_pages *pages, uint32_t most, uint32_t *knee)
{
  const uint32_t first = first_pages(s, pages->stride);
  uint32_t held = first, lost = 0;
  double cycles = 0;
  int status;

  *knee = 0;
  pages->count = held;
  pages->count = next_count(s, pages);
  if (most < pages->count || !gc_tlb_range_fits(s->walk->range, pages))
    return 0;
  if ((status = gc_tlb_baseline(s->walk, pages, first)))
    return status;
  while (!lost && pages->count <= most && gc_tlb_range_fits(s->walk->range, pages)) {
    bool missed;

    if ((status = misses(s, pages, 0, &missed, &cycles)))
      return status;
    if (missed) {
      lost = pages->count;
      break;
    }
    held = pages->count;
    /* more pages can be timed */
    if (s->walk->near.timed < GC_TLB_TIMED && !s->walk->way.chained &&
        (status = gc_tlb_baseline(s->walk, pages, held)))
      return status;
    pages->count = next_count(s, pages);
  }
  if (!lost) {
    s->tried = held * pages->stride > s->tried ? held * pages->stride : s->tried;
    return 0;
  }
  s->walk->threshold = s->between = fmax(s->walk->threshold, cycles / 2);
  while (lost - held > knee_error(held)) {
    bool missed;

    pages->count = middle_of(held, lost);
    if ((status = misses(s, pages, 0, &missed, NULL)))
      return status;
    if (missed)
      lost = pages->count;
    else
      held = pages->count;
  }
  *knee = held;
  return 0;
}

/* Pages that fit, to compare with pages that are too many by an eighth: half as many; if these are
 * not beyond the nearer TLB, up to three quarters. */
static uint32_t fitting_pages(const struct search *s, const struct gc_tlb_pages *pages)
{
  const uint32_t half = pages->count / 2;
  const uint32_t first = baseline_pages(s, pages->stride, half);
  const bool enough = half >= gc_tlb_beyond(s->start->nearer, pages->stride);
  const uint32_t most = enough ? half : pages->count * 3 / 4;

  return first < most ? first : most;
}

/* Whether an entry covers `bytes` bytes or more, if the reach is about `reach`. Pages are that far
 * apart. GC_UNCLEAR: the pages that fit are hardly more than the nearer TLB holds, or there are too
 * few addresses. */
static int covers(struct search *s, uint64_t reach, uint64_t bytes, enum gc_answer *answer)
{
  const uint64_t fit = reach / bytes;
  struct gc_tlb_pages pages = {.count = (uint32_t)((double)fit * EXCESS) + 1};
  uint32_t first;
  bool missed;
  int status;

  pages.stride = gc_tlb_stride(bytes, bytes / pages.count);
  if (pages.count > fit + 1 && !gc_tlb_range_fits(s->walk->range, &pages))
    pages.count = (uint32_t)fit + 1; /* the least that is too much */
  first = fitting_pages(s, &pages);
  *answer = first < 2 ? GC_NO : GC_UNCLEAR;
  if (first < 2 || first < gc_tlb_beyond(s->start->nearer, pages.stride) ||
      !gc_tlb_range_fits(s->walk->range, &pages))
    return 0;
  s->walk->threshold = s->between;
  if ((status = misses(s, &pages, first, &missed, NULL)))
    return status;
  *answer = missed ? GC_YES : GC_NO;
  return 0;
}

/* Whether pages are further apart than an entry covers, of which the TLB holds `held`. If it has no
 * sets, as many at half of the distance are too many as well; if it has sets, these pages use only
 * some of them, and more pages fit that use all. */
static int are_too_far(struct search *s, uint64_t spacing, uint32_t held, bool *yes)
{
  struct gc_tlb_pages pages = {.count = (uint32_t)(held * EXCESS) + 1,
                               .stride = gc_tlb_stride(spacing / 2, 0)};
  enum gc_answer answer;
  int status = covers(s, held * spacing, spacing, &answer);

  *yes = answer != GC_YES;
  if (status || *yes || first_pages(s, pages.stride) >= pages.count)
    return status;
  s->walk->threshold = s->between;
  return misses(s, &pages, baseline_pages(s, pages.stride, held / 2), yes, NULL);
}

/* The number of entries of this size that pages use. */
static uint64_t entries_of(const struct gc_tlb_pages *pages, uint64_t entry)
{
  const uint64_t last = pages->offset + (pages->count - 1) * pages->stride;

  return last / entry - pages->offset / entry + 1;
}

/* The search for one spacing. *too_far: pages are further apart than an entry covers, so that
 * another spacing is needed. */
static int search_spacing(struct search *s, struct gc_tlb_pages *pages, uint64_t spacing,
                          struct gc_tlb_found *found, bool *too_far)
{
  uint64_t reach, entry = spacing;
  enum gc_answer answer = GC_YES;
  uint32_t knee;
  int status = find_knee(s, pages, s->start->pages_max, &knee);

  *too_far = false;
  found->tried_bytes = s->tried;
  if (status || !knee)
    return status;
  pages->count = knee;
  reach = knee * spacing;
  if ((status = are_too_far(s, spacing, knee, too_far)) || *too_far)
    return status;
  while (answer == GC_YES && !status && reach / entry >= 2 && entry < COVERED_MAX) {
    status = covers(s, reach, 2 * entry, &answer);
    entry *= answer == GC_YES ? 2 : 1;
  }
  found->blind = answer == GC_UNCLEAR;
  if (status || found->blind)
    return status;
  found->entries = entries_of(pages, entry);
  found->entry_bytes = entry;
  found->reach_bytes = found->entries * entry;
  return 0;
}

/* A region of addresses, in which pages are one entry apart. */
struct region {
  struct gc_tlb_pages pages;
  uint32_t low, high; /* the TLB has at least `low` entries, and fewer than `high` */
  uint32_t expected;  /* the most likely number; 0: none */
  uint32_t own;       /* pages that are slow in any case */
};

/* What the slow pages of `count` pages show. */
static int note_count(const struct search *s, struct region *region, uint32_t count,
                      struct gc_tlb_answer *seen, bool *too_many)
{
  const int status = count_again(s, &region->pages, count, region->own, seen);

  *too_many = seen->slow > region->own;
  if (*too_many && count < region->high)
    region->high = count;
  if (!*too_many && count > region->low)
    region->low = count;
  return status;
}

/* Whether `count` pages are too many. */
static int are_too_many(struct search *s, struct region *region, uint32_t count, bool *yes)
{
  const struct gc_tlb_question question = {.n = 1, .counts = {count}};
  struct gc_tlb_answer seen;
  const int status = gc_tlb_compare(s->walk, &region->pages, &question, &seen);

  return status ? status : note_count(s, region, count, &seen, yes);
}

/* A new baseline. Then how many of `low` pages are slow: what the kernel itself uses takes entries,
 * too, and evicts pages from their sets. And in the same launch, what the expected number shows.
 * *any: it is shown that a larger number is too many. */
static int look(struct search *s, struct region *region, bool *any)
{
  const uint32_t tries[] = {region->expected + 1, region->expected};
  struct gc_tlb_question question = {
      .first = baseline_pages(s, region->pages.stride, region->low / 2),
      .first_rows = s->walk->way.chained ? 1 : EXCESS_ROWS,
      .n = 1,
      .counts = {region->low}};
  struct gc_tlb_answer seen[GC_TLB_COUNTS];
  int status;

  for (size_t i = 0; i < 2 && region->expected; i++)
    if (tries[i] > region->low && tries[i] < region->high)
      question.counts[question.n++] = tries[i];
  s->walk->threshold = s->between;
  if ((status = gc_tlb_compare(s->walk, &region->pages, &question, seen)) ||
      (status = count_again(s, &region->pages, region->low, 0, seen)))
    return status;
  region->own = seen->slow;
  *any = false;
  for (uint32_t i = 1; i < question.n && region->own <= OWN_MAX && !status; i++) {
    bool yes;

    status = note_count(s, region, question.counts[i], &seen[i], &yes);
    *any |= yes;
  }
  return status;
}

/* How many entries the TLB has in a region of addresses. *entries 0: not between low and high. */
static int count_entries(struct search *s, struct region *region, uint32_t *entries)
{
  struct gc_tlb_pages last = region->pages;
  bool any;
  int status;

  *entries = 0;
  last.count = region->high;
  if (!gc_tlb_range_fits(s->walk->range, &last) || region->low < 2)
    return 0;
  if ((status = look(s, region, &any)) || region->own > OWN_MAX)
    return status;
  if (!any && ((status = are_too_many(s, region, region->high, &any)) || !any))
    return status;
  if (region->low >= region->high) /* noise: pages that should fit were slow, or the reverse */
    return 0;
  while (region->high - region->low > 1) {
    status = are_too_many(s, region, region->low + (region->high - region->low) / 2, &any);
    if (status)
      return status;
  }
  *entries = region->low;
  return 0;
}

/* How much longer the slow pages of the last comparison take, of one region. */
static void note_penalties(struct search *s)
{
  const uint32_t most = s->count + PENALTIES / VOTES;

  for (uint32_t k = 0; k < s->walk->near.timed && s->count < most && s->count < PENALTIES; k++)
    if (s->walk->extra[k] > s->walk->threshold)
      s->penalties[s->count++] = s->walk->extra[k];
}

/* Walks twice as many pages of a region as the TLB holds; or, if these do not fit, a few too many.
 */
static int take_penalties(struct search *s, const struct gc_tlb_pages *region, uint32_t entries)
{
  struct gc_tlb_question question = {.n = 1, .counts = {2 * entries}};
  struct gc_tlb_pages pages = *region;
  struct gc_tlb_answer seen;
  int status;

  pages.count = 2 * entries;
  if (!gc_tlb_range_fits(s->walk->range, &pages))
    question.counts[0] = pages.count = entries + entries / 8 + 1;
  if (!entries || !gc_tlb_range_fits(s->walk->range, &pages))
    return 0;
  if (!(status = gc_tlb_compare(s->walk, &pages, &question, &seen)))
    note_penalties(s);
  return status;
}

/* Another count: if there are some pages too many, each of them makes one more slow, unless so few
 * sets are there that all are (*entries 0). A page of the kernel itself makes one more slow if it
 * is in a set without a page too many. So many more are walked that three quarters of the timed
 * pages are slow if each makes one more slow. Medians of several walks, so that noise has no part
 * in it. */
static int count_excess(struct search *s, const struct gc_tlb_pages *region, uint32_t about,
                        uint32_t *entries)
{
  struct gc_tlb_walk *walk = s->walk;
  const uint32_t timed = walk->near.timed, rows = walk->rows;
  struct gc_tlb_pages pages = *region;
  struct gc_tlb_question question = {.n = 1};
  struct gc_tlb_answer seen;
  int status;

  *entries = 0;
  pages.count = about + timed * 3 / 4 + timed / 16; /* the latter: `about` may be too small */
  if (walk->way.chained || !about || !gc_tlb_range_fits(walk->range, &pages))
    return 0;
  question.counts[0] = pages.count;
  walk->rows = EXCESS_ROWS;
  status = gc_tlb_compare(walk, &pages, &question, &seen);
  walk->rows = rows;
  if (!status)
    note_penalties(s);
  if (!status && seen.slow >= walk->way.least && seen.slow <= timed * 7 / 8)
    *entries = pages.count - seen.slow;
  return status;
}

/* The counts of the regions. */
struct counts {
  uint32_t knee[VOTES], excess[VOTES];
};

/* The power of two that is about this number. Most TLBs have as many entries. */
static uint32_t power_near(uint32_t number)
{
  uint32_t power = 1;

  while (4 * power < 3 * number)
    power *= 2;
  return power;
}

static int count_regions(struct search *s, const struct gc_tlb_found *found, struct counts *counts)
{
  const uint32_t about = (uint32_t)found->entries;
  const uint32_t margin = about / 8 < MARGIN_MAX ? about / 8 + 1 : MARGIN_MAX;
  /* By as much as count_excess leaves sets without a page too many. So a page of the kernel is in
   * such a set in one region at most, if the TLB has as many sets as pages are timed. */
  const uint32_t shift = s->walk->way.chained || !s->walk->range->aliased ? 1 : GC_TLB_TIMED / 4;
  int status = 0;

  for (uint32_t vote = 0; vote < VOTES && !status; vote++) {
    struct region region = {.pages = {.offset = (vote + 1) * shift * found->entry_bytes,
                                      .stride = gc_tlb_stride(found->entry_bytes, 0)},
                            .low = about - margin,
                            .high = about + margin,
                            .expected = vote ? counts->knee[vote - 1] : power_near(about)};
    const uint32_t before = s->count;

    status = count_entries(s, &region, &counts->knee[vote]);
    if (!status)
      status = count_excess(s, &region.pages, counts->knee[vote], &counts->excess[vote]);
    if (!status && s->count == before)
      status = take_penalties(s, &region.pages, counts->knee[vote]);
  }
  return status;
}

/* The most frequent count, and how many regions have it. */
static uint32_t most_frequent(const uint32_t count[VOTES], uint32_t *agreed)
{
  uint32_t best = 0;

  *agreed = 0;
  for (uint32_t vote = 0; vote < VOTES; vote++) {
    uint32_t same = 0;

    for (uint32_t other = 0; other < VOTES; other++)
      same += count[vote] && count[other] == count[vote];
    if (same > *agreed) {
      *agreed = same;
      best = count[vote];
    }
  }
  return best;
}

/* Pages of the kernel make more pages slow, never fewer; so the largest of these counts is right.
 * 0: they differ by too much. */
static uint32_t largest(const uint32_t count[VOTES])
{
  uint32_t most = count[0], least = count[0];

  for (uint32_t vote = 1; vote < VOTES; vote++) {
    most = count[vote] > most ? count[vote] : most;
    least = count[vote] < least ? count[vote] : least;
  }
  return least && most - least <= FEW ? most : 0;
}

static bool is_near(uint32_t a, uint64_t b)
{
  return a && fabs((double)a - (double)b) <= REACH_SHARE * (double)b;
}

/* All votes count, also those of confirmations that failed. */
static double confidence_of(const struct search *s, uint64_t entries)
{
  uint32_t near = 0;

  for (uint32_t i = 0; i < s->voted; i++)
    near += is_near(s->votes[i], entries);
  return gc_vote_confidence(2 * near, 2 * s->voted);
}

/* Counts the entries again, with pages one entry apart, so that each uses an entry of its own.
 * Other regions of addresses must agree. Misses may begin early, because the kernel's own pages
 * take entries. They may seem to begin a few pages late, because so few slow pages count as noise.
 * Then the second count is right. */
static int confirm(struct search *s, struct gc_tlb_found *found)
{
  struct counts counts = {0};
  uint32_t agreed, excess, most, near = 0;
  int status = count_regions(s, found, &counts);

  if (status)
    return status;
  memcpy(s->votes + s->voted, counts.knee, sizeof(counts.knee));
  s->voted += VOTES;
  if (!(most = most_frequent(counts.knee, &agreed)))
    return 0; /* no region has a count: without confidence */
  found->entries = most;
  excess = largest(counts.excess);
  found->counted = agreed == VOTES && !excess;
  if (excess + FEW >= found->entries && is_near(excess, found->entries)) {
    found->entries = excess;
    found->counted = true;
  }
  found->reach_bytes = found->entries * found->entry_bytes;
  for (uint32_t vote = 0; vote < VOTES; vote++)
    near += is_near(counts.knee[vote], found->entries);
  if (near == VOTES)
    found->confidence = confidence_of(s, found->entries);
  found->penalty = 2 * s->between;
  if (s->count) {
    double sorted[PENALTIES];

    memcpy(sorted, s->penalties, s->count * sizeof(*sorted));
    found->penalty = gc_median(sorted, s->count);
    found->penalty_confidence = gc_median_confidence(s->penalties, s->count, found->penalty,
                                                     fmax(1, PENALTY_SHARE * found->penalty));
  }
  return 0;
}

static bool sure(const struct gc_tlb_found *found)
{
  return found->confidence >= GC_CONFIDENCE_LEAST;
}

int gc_tlb_search(struct gc_tlb_walk *walk, const struct gc_tlb_start *start,
                  struct gc_tlb_found *found)
{
  struct search s = {.walk = walk, .start = start};
  uint64_t spacing = start->spacing;
  bool smaller = false;
  int status;

  *found = (struct gc_tlb_found){0};
  for (;;) {
    struct gc_tlb_pages pages = {.stride = gc_tlb_stride(spacing, 0)};
    bool too_far;

    status = search_spacing(&s, &pages, spacing, found, &too_far);
    if (status || found->entries)
      break;
    if (found->blind)
      return 0;
    if (too_far && spacing > SPACING_MIN) {
      smaller = true;
      spacing /= 2;
      continue;
    }
    found->noise = too_far;
    if (too_far || smaller || spacing >= start->spacing_max)
      return 0;
    spacing *= SPACING_STEP;
  }
  for (int i = 0; i < CONFIRMATIONS && !status && !sure(found); i++)
    status = confirm(&s, found);
  return status;
}
