/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Independent loads: how many can be under way at the same time, and how long all of them take.
 */
#include "model/model.h"

#include "model/noise.h"
#include "model/walk.h"

static void add(struct gc_places *places, uint64_t time)
{
  uint32_t at = places->count++;

  while (at && places->times[(at - 1) / 2] > time) {
    places->times[at] = places->times[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  places->times[at] = time;
}

static void remove_first(struct gc_places *places)
{
  const uint64_t last = places->times[--places->count];
  uint32_t at = 0;

  for (;;) {
    uint32_t child = 2 * at + 1;

    if (child >= places->count)
      break;
    if (child + 1 < places->count && places->times[child + 1] < places->times[child])
      child++;
    if (places->times[child] >= last)
      break;
    places->times[at] = places->times[child];
    at = child;
  }
  places->times[at] = last;
}

/* Frees the places of loads that have arrived at this time. Returns the time at which a place is
 * free. */
static uint64_t wait_for_place(struct gc_places *places, uint64_t now)
{
  while (places->count && places->times[0] <= now)
    remove_first(places);
  return places->count < places->most ? now : places->times[0];
}

/* A limit that these loads cannot reach counts as none. */
static uint32_t limit(uint32_t most)
{
  return most && most < GC_PLACES_MAX ? most : GC_PLACES_MAX;
}

#define MEMORY_LINE 32 /* bytes that memory without a cache moves at once */

/* A line of a load. */
struct line {
  uint32_t lane; /* the first lane that wants it; then the first one that wants another line */
  uint32_t latency;
  uint64_t bytes; /* of whole sectors that come from outside the SM */
};

/* Loads the line that this lane wants, for all lanes that want it, too. first: the address of lane
 * 0. */
static void load_line(struct gc_model *model, const struct gc_independent *loads, uint64_t first,
                      struct line *line)
{
  static const struct gc_cache_shape memory = {.line = MEMORY_LINE, .sector = MEMORY_LINE};
  const int cache = model->profile.paths[loads->space].levels[0].cache;
  const struct gc_cache_shape *shape =
      cache == GC_PROFILE_MEMORY ? &memory : &model->profile.caches[cache].shape;
  const uint32_t lanes = loads->lane_stride ? model->profile.facts.warp : 0;
  const uint64_t address = first + line->lane * loads->lane_stride;
  uint64_t sector = address / shape->sector, sectors = 1;
  uint32_t cycles;
  const unsigned level = gc_walk_from(model, loads->sm, loads->space, 0,
                                      gc_walk_address(loads->space, address), &cycles);

  while (++line->lane < lanes) {
    const uint64_t next = first + line->lane * loads->lane_stride;

    if (next / shape->line != address / shape->line)
      break;
    if (next / shape->sector == sector)
      continue;
    sector = next / shape->sector;
    sectors++;
    gc_walk_touch(model, loads->sm, loads->space, next);
  }
  line->latency = gc_noise_add(&model->noise, cycles, &model->jitters[loads->space][level]);
  line->bytes = gc_walk_outside(model, loads->space, level) ? sectors * shape->sector : 0;
}

/* The cycles in which the SM requests so many bytes of a line. */
static uint64_t port_cycles(const struct gc_profile *profile, uint64_t bytes)
{
  const uint64_t cycles =
      profile->miss_bytes ? (bytes + profile->miss_bytes - 1) / profile->miss_bytes : 0;

  return cycles > profile->miss_cycles ? cycles : profile->miss_cycles;
}

/* The next line of a warp. */
static void request_line(struct gc_model *model, const struct gc_independent *loads,
                         struct gc_under_way *state, uint32_t warp)
{
  const struct gc_profile *profile = &model->profile;
  uint64_t begin = state->ready[warp];
  struct line line = {.lane = state->lane[warp]};

  load_line(model, loads, loads->address + state->next[warp] * loads->stride, &line);
  if (line.bytes) {
    begin = begin > state->port ? begin : state->port;
    begin = wait_for_place(&state->sm, begin);
    wait_for_place(&state->sm, begin); /* now it is free */
    wait_for_place(&state->warps[warp], begin);
    add(&state->sm, begin + line.latency);
    add(&state->warps[warp], begin + line.latency);
    state->port = begin + port_cycles(profile, line.bytes);
  }
  state->ready[warp] = begin;
  state->end = begin + line.latency > state->end ? begin + line.latency : state->end;
  state->lane[warp] = line.lane;
  if (!loads->lane_stride || line.lane == profile->facts.warp) {
    state->ready[warp] += profile->load_cycles;
    state->next[warp] += loads->warps;
    state->lane[warp] = 0;
  }
  if (state->next[warp] < loads->loads)
    state->ready[warp] = wait_for_place(&state->warps[warp], state->ready[warp]);
}

uint64_t gc_model_independent(struct gc_model *model, const struct gc_independent *loads)
{
  const struct gc_profile *profile = &model->profile;
  const uint32_t warps = loads->warps < GC_UNDER_WAY_WARPS ? loads->warps : GC_UNDER_WAY_WARPS;
  struct gc_under_way *state = &model->under_way;

  state->sm.count = 0;
  state->sm.most = limit(profile->outstanding_per_sm);
  state->port = state->end = 0;
  for (uint32_t w = 0; w < warps; w++) {
    state->warps[w].count = 0;
    state->warps[w].most = limit(profile->outstanding_per_warp);
    state->ready[w] = 0;
    state->next[w] = w;
    state->lane[w] = 0;
  }
  for (;;) {
    uint32_t first = UINT32_MAX;

    for (uint32_t w = 0; w < warps; w++)
      if (state->next[w] < loads->loads &&
          (first == UINT32_MAX || state->ready[w] < state->ready[first]))
        first = w;
    if (first == UINT32_MAX)
      break;
    request_line(model, loads, state, first);
  }
  return gc_chip_rounded(model, (uint32_t)state->end);
}
