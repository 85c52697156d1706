/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Warps of one SM whose loads pile up in front of L1. Loads that hit wait in a queue, first in,
 * first out, and leave it at one line a cycle. If the queue is full, the other loads wait in their
 * warps; the order of the profile says which warp may enter next.
 */
#include "model/chip.h"
#include "model/model.h"

#define LOOP_CYCLES 20 /* from the last data of a warp to its next load */

struct warp {
  uint64_t ready;          /* when its data were there */
  uint64_t arrives;        /* when the data of its last load will be there */
  uint32_t left, in_queue; /* loads of this iteration */
};

struct queue {
  const struct gc_shares *shares;
  const struct gc_profile_path *path;
  struct gc_noise noise;
  struct gc_jitter *jitter;
  struct warp warps[GC_SHARES_WARPS_MAX];
  uint8_t waiting[GC_SHARES_QUEUE_MAX]; /* a ring: the warp of each load */
  uint32_t first, count, most;
};

/* Does warp a go before warp b? Both have their data. Older blocks have lower numbers. */
static bool goes_before(const struct queue *q, uint32_t a, uint32_t b)
{
  const uint32_t block_a = a / q->shares->warps, block_b = b / q->shares->warps;
  const uint64_t ready_a = q->warps[a].ready, ready_b = q->warps[b].ready;

  if (q->path->order == GC_ORDER_READY)
    return ready_a > ready_b;
  if (q->path->order == GC_ORDER_OLDEST && block_a != block_b)
    return block_a < block_b;
  if (q->path->order == GC_ORDER_YOUNGEST && block_a != block_b)
    return block_a > block_b;
  return ready_a < ready_b;
}

/* The warp that may enter next; UINT32_MAX: none has its data. *soon: when one will. */
static uint32_t next_warp(const struct queue *q, uint64_t now, uint64_t *soon)
{
  const uint32_t warps = q->shares->blocks * q->shares->warps;
  uint32_t next = UINT32_MAX;

  *soon = UINT64_MAX;
  for (uint32_t w = 0; w < warps; w++) {
    const struct warp *warp = &q->warps[w];

    if (!warp->left)
      continue;
    if (warp->ready > now)
      *soon = warp->ready < *soon ? warp->ready : *soon;
    else if (next == UINT32_MAX || goes_before(q, w, next))
      next = w;
  }
  return next;
}

/* Fills the queue. A warp enters as many loads as there is room for. */
static void fill(struct queue *q, uint64_t *now)
{
  while (q->count < q->most) {
    uint64_t soon;
    const uint32_t next = next_warp(q, *now, &soon);

    if (next == UINT32_MAX && (q->count || soon == UINT64_MAX))
      return;
    if (next == UINT32_MAX) {
      *now = soon; /* nothing to do until then */
      continue;
    }
    q->waiting[(q->first + q->count++) % GC_SHARES_QUEUE_MAX] = (uint8_t)next;
    q->warps[next].in_queue++;
    q->warps[next].left--;
    q->warps[next].ready = *now;
  }
}

/* The first load leaves the queue at this time. */
static void leave(struct queue *q, uint64_t now)
{
  const struct gc_shares *s = q->shares;
  const uint32_t index = q->waiting[q->first];
  struct warp *warp = &q->warps[index];
  const uint64_t arrives = now + gc_noise_add(&q->noise, q->path->levels[0].cycles, q->jitter);

  q->first = (q->first + 1) % GC_SHARES_QUEUE_MAX;
  q->count--;
  warp->arrives = arrives > warp->arrives ? arrives : warp->arrives;
  if (--warp->in_queue || warp->left)
    return;
  s->counts[index / s->warps] += warp->arrives >= s->from && warp->arrives < s->until;
  warp->ready = warp->arrives + LOOP_CYCLES;
  warp->left = s->loads;
}

/* Nothing piles up: each warp waits for its own loads only. */
static void without_queue(struct queue *q, uint32_t lines)
{
  const struct gc_shares *s = q->shares;

  for (uint32_t w = 0; w < s->blocks * s->warps; w++)
    for (uint64_t at = s->begin[w / s->warps]; at < s->until; at += LOOP_CYCLES) {
      at += s->loads * lines + gc_noise_add(&q->noise, q->path->levels[0].cycles, q->jitter);
      s->counts[w / s->warps] += at >= s->from && at < s->until;
    }
}

/* So that later loads do not depend on these, they have noise of their own. */
void gc_model_shares(struct gc_model *model, const struct gc_shares *shares)
{
  const struct gc_profile *profile = &model->profile;
  const struct gc_profile_path *path = &profile->paths[GC_SPACE_CA];
  const int cache = path->levels[0].cache;
  const uint64_t line =
      cache == GC_PROFILE_MEMORY ? GC_MODEL_LINE : profile->caches[cache].shape.line;
  const uint64_t bytes = profile->facts.warp * shares->lane_stride;
  const uint32_t lines = bytes > line ? (uint32_t)(bytes / line) : 1;
  struct queue q = {.shares = shares,
                    .path = path,
                    .noise = model->noise,
                    .jitter = &model->jitters[GC_SPACE_CA][0],
                    .most = path->waiting};
  uint64_t now = 0;

  gc_random_seed(&q.noise.random, model->noise.random.s[0] ^ (uint64_t)shares->sm << 32);
  for (uint32_t b = 0; b < shares->blocks; b++)
    shares->counts[b] = 0;
  for (uint32_t w = 0; w < shares->blocks * shares->warps; w++)
    q.warps[w] = (struct warp){.ready = shares->begin[w / shares->warps], .left = shares->loads};
  if (!q.most)
    without_queue(&q, lines);
  while (q.most && now < shares->until) {
    fill(&q, &now);
    if (!q.count)
      break;
    now += lines;
    leave(&q, now);
  }
}
