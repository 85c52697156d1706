/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/queue.h"

#include "model/chip.h"

#include <math.h>

#define HALVINGS 50
#define BUSY_MOST 0.98 /* as on an H100: more loads than that wait inside the SMs */

static const struct gc_profile_idle *idle_of(const struct gc_model *model, enum gc_space space,
                                             unsigned level)
{
  const struct gc_profile *profile = &model->profile;
  const int cache = profile->paths[space].levels[level].cache;

  return cache == GC_PROFILE_MEMORY ? &profile->memory_idle : &profile->caches[cache].idle;
}

uint32_t gc_queue_idle(const struct gc_model *model, enum gc_space space, unsigned level)
{
  uint32_t cycles = 0;

  for (unsigned nearer = 0; nearer <= level; nearer++)
    cycles += idle_of(model, space, nearer)->cycles;
  return cycles;
}

double gc_queue_at(const struct gc_model *model, enum gc_space space, unsigned level, double share)
{
  const struct gc_profile *profile = &model->profile;
  const int cache = profile->paths[space].levels[level].cache;
  const uint32_t queue =
      cache == GC_PROFILE_MEMORY ? profile->memory_queue : profile->caches[cache].queue;
  const struct gc_profile_idle *idle = idle_of(model, space, level);
  const double sooner = idle->cycles ? idle->cycles * fmin(1, share / idle->share) : 0;

  share = fmin(share, BUSY_MOST);
  return queue * share / (1 - share) - sooner;
}

/* The bytes per cycle that each of the readers gets at most from this level. */
static double most_of(const struct gc_model *model, const struct gc_rows *rows, unsigned level)
{
  return (double)model->profile.facts.sms / rows->readers /
         model->byte_cycles[rows->write][rows->space][level];
}

/* How long a load waits at all levels up to this one if each reader gets so many bytes per cycle.
 */
static double wait_at(const struct gc_model *model, const struct gc_rows *rows, unsigned level,
                      double rate)
{
  double cycles = 0;

  for (unsigned nearer = 0; nearer <= level; nearer++)
    cycles += gc_queue_at(model, rows->space, nearer, rate / most_of(model, rows, nearer));
  return cycles;
}

double gc_queue_rows(struct gc_model *model, const struct gc_rows *rows, unsigned level)
{
  const double flight = (double)rows->bytes * rows->count * (rows->flight ? rows->flight : 1);
  const uint32_t cycles =
    gc_chip_rounded(model, model->profile.paths[rows->space].levels[level].cycles);
  double most = INFINITY, low = 0, high;

  for (unsigned nearer = 0; nearer <= level; nearer++)
    most = fmin(most, BUSY_MOST * most_of(model, rows, nearer));
  high = most;
  for (int i = 0; i < HALVINGS; i++) {
    const double rate = (low + high) / 2;

    if (rate * (cycles + wait_at(model, rows, level, rate)) < flight)
      low = rate;
    else
      high = rate;
  }
  /* the blocks run one after another; some may hit another level than others: the mean */
  model->queued_rows++;
  for (unsigned at = 0; at < GC_PROFILE_LEVELS_MAX; at++) {
    const double now =
        at > level ? 0 : gc_queue_at(model, rows->space, at, low / most_of(model, rows, at));

    model->queued[at] += (now - model->queued[at]) / (double)model->queued_rows;
  }
  return (double)rows->bytes * rows->count * (rows->more + 1) / low;
}
