/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sweeps that narrow the bracket of a capacity search.
 */
#include "measure/capacity/bracket.h"

#include "measure/core/step_memory.h"

#include <errno.h>
#include <string.h>

#define WALKS 4 /* of one bracket, at most, until it can be narrowed */
#define CHOSEN_MAX 48 /* walks of sizes that are chosen by the posterior, at most, in one bracket */
#define SURE 0.9999   /* no confidence is stated above this, so more runs cannot raise it */
/* So many of search->sizes lie beside the range of the next bracket. */
#define BESIDE 4
#define LOST_MAX 1e-5 /* probability that a bracket loses the answer, so that it can still be sure */

static double outlier_rate(const struct gc_search_state *s)
{
  const double rate = (s->fitting_slow + 0.5) / (s->fitting_loads + 1);

  return rate > s->search->outliers ? rate : s->search->outliers;
}

static void count_runs(const struct gc_search_state *s, struct gc_sizes *sizes,
                       const struct gc_run *runs, size_t n)
{
  const double rate = outlier_rate(s);

  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < sizes->n; k++)
      if (sizes->bytes[k] == runs[i].bytes) {
        gc_evidence_add(&sizes->evidence[k], runs[i].seen.slow, runs[i].seen.loads, rate);
        gc_histogram_add(sizes->histogram[k], runs[i].seen.histogram);
      }
}

/* Walks the sizes of the runs, and counts their loads. */
static int walk_runs(struct gc_search_state *s, const char *phase, struct gc_sizes *sizes,
                     struct gc_run *runs, size_t n)
{
  const int status = s->search->walk(s->search->data, &s->now->path, &s->binning, runs, n);

  if (status)
    return status;
  gc_raw_runs(s->m->bench.raw, phase, &s->binning, runs, n);
  count_runs(s, sizes, runs, n);
  return 0;
}

/* Walks every size of the bracket, several times. */
static int walk_bracket(struct gc_search_state *s, struct gc_sizes *sizes)
{
  const size_t n = sizes->n * s->search->repeats;
  struct gc_run *runs = gc_step_alloc(&s->m->bench, n, sizeof(*runs));
  int status;

  if (!runs)
    return -ENOMEM;
  /* repetitions of a size are far apart, so that they run on different SMs and at different
   * times */
  for (size_t i = 0; i < n; i++)
    runs[i].bytes = sizes->bytes[i % sizes->n];
  status = walk_runs(s, "sweep", sizes, runs, n);
  gc_step_free(&s->m->bench, runs);
  return status;
}

/* Walks both sides of the answer alternately; in several launches if the GPU has few SMs. */
static int confirm(struct gc_search_state *s, struct gc_sizes *sizes, size_t beyond)
{
  const size_t n = s->search->confirm;
  struct gc_run runs[GC_CONFIRM_MAX];

  memset(runs, 0, sizeof(runs));
  for (size_t i = 0; i < n; i++)
    runs[i].bytes = sizes->bytes[i % 2 ? beyond : beyond - 1];
  return walk_runs(s, "confirm", sizes, runs, n);
}

/* Whether the answer is exactly this size, after gc_decide(). */
static bool is_sure(const struct gc_search_state *s, const struct gc_sizes *sizes,
                    const struct gc_verdict *verdict)
{
  return verdict->beyond && sizes->scratch[verdict->beyond] * s->kept >= SURE;
}

/* Chooses n sizes that divide the posterior probability into equal parts, as well as they can. Where
 * one answer has more than a part of it, they are the sizes on its two sides, several times. */
static void choose(const struct gc_sizes *sizes, const double *posterior, size_t *chosen, size_t n)
{
  double all = 0, below = 0;
  size_t c = 0;

  for (size_t i = 0; i <= sizes->n; i++)
    all += posterior[i];
  for (size_t k = 0; k < n; k++) {
    const double part = all * (double)(k + 1) / (double)(n + 1);

    while (c < sizes->n && below + posterior[c] < part)
      below += posterior[c++];
    /* size i separates the answers up to i from the larger ones */
    chosen[k] = c && (c == sizes->n || 2 * below + posterior[c] > 2 * part) ? c - 1 : c;
  }
}

/* Walks as many sizes as can be walked at the same time. They change places from walk to walk, so
 * that no SM sees only one side of the answer. */
static int walk_chosen(struct gc_search_state *s, struct gc_sizes *sizes, bool *walked,
                       bool descending)
{
  const size_t n = s->search->at_a_time;
  size_t *chosen = gc_step_alloc(&s->m->bench, n, sizeof(*chosen));
  struct gc_run *runs = gc_step_alloc(&s->m->bench, n, sizeof(*runs));
  int status = chosen && runs ? 0 : -ENOMEM;

  if (!status)
    choose(sizes, sizes->scratch, chosen, n);
  for (size_t i = 0; i < n && !status; i++) {
    const size_t k = chosen[descending ? n - 1 - i : i];

    runs[i].bytes = sizes->bytes[k];
    walked[k] = true;
  }
  if (!status)
    status = walk_runs(s, "sweep", sizes, runs, n);
  gc_step_free(&s->m->bench, chosen);
  return status;
}

/* The smallest size from which on the latencies of all sizes that were walked differ from hits. The
 * largest one differs: the coarse search has seen that. */
static int find_changed(struct gc_search_state *s, const struct gc_sizes *sizes,
                        const bool *walked)
{
  struct gc_sizes some;
  size_t n = 0, changed;
  int status = gc_search_sizes(s, &some, sizes->n);

  if (status)
    return status;
  for (size_t i = 0; i < sizes->n; i++)
    if (walked[i]) {
      some.bytes[n] = sizes->bytes[i];
      memcpy(some.histogram[n++], sizes->histogram[i], sizeof(*some.histogram));
    }
  some.n = n;
  changed = gc_lasting_change(&some, s->hits, GC_SEARCH_SPREAD);
  s->found->changed = changed < n ? some.bytes[changed] : s->high;
  gc_sizes_free(&some);
  return 0;
}

/* Walks sizes that are chosen by the posterior so far, until the range is small enough for the next
 * bracket, or, if it is the last one, until the answer is sure. The posterior does not depend on
 * why one stops. */
static int divide(struct gc_search_state *s, struct gc_sizes *sizes, bool first, bool last,
                  struct gc_verdict *verdict)
{
  bool *walked = gc_step_alloc(&s->m->bench, sizes->n, sizeof(*walked));
  int status = walked ? 0 : -ENOMEM;

  for (int k = 0; k < CHOSEN_MAX && !status; k++) {
    gc_decide(sizes, UINT64_MAX, verdict);
    if (last ? is_sure(s, sizes, verdict)
             : verdict->kept >= 1 - LOST_MAX &&
                   verdict->most - verdict->least + BESIDE <= s->search->sizes)
      break;
    status = walk_chosen(s, sizes, walked, k % 2);
  }
  if (!status && first)
    status = find_changed(s, sizes, walked);
  gc_decide(sizes, s->found->changed, verdict);
  return status;
}

/* Decides on the sizes of one sweep. They are walked again while too many answers remain. */
static int decide(struct gc_search_state *s, struct gc_sizes *sizes, bool first, bool last,
                  struct gc_verdict *verdict)
{
  int status = 0;

  if (s->search->at_a_time)
    return divide(s, sizes, first, last, verdict);
  for (int walk = 0; walk < WALKS; walk++) {
    if ((status = walk_bracket(s, sizes)))
      break;
    if (first && !walk) {
      const size_t changed = gc_lasting_change(sizes, s->hits, GC_SEARCH_SPREAD);

      *verdict = (struct gc_verdict){.absent = "the K-S test sees no lasting change of latencies"};
      if (changed == sizes->n && !s->found->changed)
        break;
      if (changed < sizes->n)
        s->found->changed = sizes->bytes[changed];
    }
    gc_decide(sizes, s->found->changed, verdict);
    if (!verdict->beyond || last || verdict->most - verdict->least <= sizes->n / 2)
      break;
  }
  return status;
}

/* The next bracket: all possible answers, and one more size on each side. */
static void narrow(struct gc_search_state *s, const struct gc_sizes *sizes,
                   const struct gc_verdict *verdict)
{
  const size_t low = verdict->least < verdict->beyond ? verdict->least : verdict->beyond - 1;
  const size_t high = verdict->most > verdict->beyond ? verdict->most : verdict->beyond;

  for (size_t i = 0; i < verdict->least && i + 1 < verdict->beyond; i++)
    gc_search_add_fitting(s, sizes->histogram[i]);
  s->low = sizes->bytes[low > 1 ? low - 1 : 0];
  s->high = sizes->bytes[high < sizes->n ? high : sizes->n - 1];
  s->kept *= verdict->kept;
}

/* Ends the search (*done), or narrows the bracket. last: the sizes are single steps apart. */
static int conclude(struct gc_search_state *s, struct gc_sizes *sizes, bool last,
                    struct gc_verdict *verdict, bool *done)
{
  int status;

  *done = true;
  if (verdict->beyond && last) {
    if ((status = confirm(s, sizes, verdict->beyond)))
      return status;
    gc_decide(sizes, s->found->changed, verdict);
  } else if (verdict->beyond && verdict->most - verdict->least > sizes->n / 2) {
    verdict->absent = "repetitions disagree on where misses begin";
  } else if (verdict->beyond) {
    narrow(s, sizes, verdict);
    *done = false;
    return 0;
  }
  if (verdict->absent) {
    gc_search_withhold(s, verdict->absent);
  } else {
    s->found->bytes = sizes->bytes[verdict->beyond - 1];
    s->found->confidence = verdict->confidence * s->kept;
  }
  return 0;
}

int gc_bracket_sweep(struct gc_search_state *s, bool first, bool *done)
{
  const uint64_t apart = (s->high - s->low + s->search->sizes - 1) / s->search->sizes;
  const bool near = s->now == &s->wide && apart <= s->wide.step;
  int status = near ? gc_search_use(s, &s->fine) : 0;
  const uint64_t sparse = (apart + s->now->step - 1) / s->now->step * s->now->step;
  const uint64_t step = s->search->at_a_time ? s->now->step : sparse;
  const bool last = step == s->now->step && s->now != &s->wide;
  struct gc_verdict verdict;
  struct gc_sizes sizes;

  *done = true;
  if (status || (status = gc_search_sizes(s, &sizes, (s->high - s->low) / step + 1)))
    return status;
  for (size_t i = 0; i < sizes.n; i++)
    sizes.bytes[i] = s->low + i * step;
  if (!(status = decide(s, &sizes, first, last, &verdict)))
    status = conclude(s, &sizes, last, &verdict, done);
  gc_sizes_free(&sizes);
  return status;
}
