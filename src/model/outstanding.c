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

static void make_load(struct gc_model *model, const struct gc_independent *loads,
                      struct gc_under_way *state, uint32_t warp)
{
  const struct gc_profile *profile = &model->profile;
  const uint64_t address = loads->address + state->next[warp] * loads->stride;
  uint32_t cycles, latency;
  const unsigned level = gc_walk_from(model, loads->sm, loads->space, 0,
                                      gc_walk_address(loads->space, address), &cycles);
  uint64_t begin = state->ready[warp];

  latency = gc_noise_add(&model->noise, cycles, &model->jitters[loads->space][level]);
  if (gc_walk_outside(model, loads->space, level)) {
    begin = begin > state->port ? begin : state->port;
    begin = wait_for_place(&state->sm, begin);
    wait_for_place(&state->sm, begin); /* now it is free */
    wait_for_place(&state->warps[warp], begin);
    add(&state->sm, begin + latency);
    add(&state->warps[warp], begin + latency);
    state->port = begin + profile->miss_cycles;
  }
  state->ready[warp] = begin + profile->load_cycles;
  state->end = begin + latency > state->end ? begin + latency : state->end;
  state->next[warp] += loads->warps;
  if (state->next[warp] < loads->lines)
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
  }
  for (uint32_t i = 0; i < loads->lines; i++) {
    uint32_t first = UINT32_MAX;

    for (uint32_t w = 0; w < warps; w++)
      if (state->next[w] < loads->lines &&
          (first == UINT32_MAX || state->ready[w] < state->ready[first]))
        first = w;
    make_load(model, loads, state, first);
  }
  return gc_chip_rounded(model, (uint32_t)state->end);
}
