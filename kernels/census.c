/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A census of a cache: far more is read than it can hold, then a few slots are looked up, then all
 * is read again, and so on. A cache that is full holds as many lines as it has, whichever these are:
 * so the share of slots that are found, times all that was read, is its capacity, whatever the
 * replacement policy and whatever its sets (methods.md of the project; the host's side is
 * src/measure/census.c). Each block is one warp, so that all of it goes through one and the same
 * cache also where an SM has several.
 */
#include "turn.h"

/* Loads of a lane that are under way at the same time. */
#define FLIGHT 8

struct region {
  uint64_t first, step, texture;
  uint32_t slots, shift;
};

/* The slot so many behind the one that a reading begins with. */
static inline uint64_t place(const struct region *r, uint32_t start, uint32_t rank)
{
  const uint32_t slot = start + (rank < r->slots ? rank : r->slots - 1);

  return r->first + (slot < r->slots ? slot : slot - r->slots) * r->step;
}

/* The same of a region that begins `shift` bytes behind the start of a constant bank and goes on there after
 * its end: regions of banks one behind the other meet all sets of a cache alike. */
static inline uint64_t place_in_bank(const struct region *r, uint32_t start, uint32_t rank)
{
  const uint32_t at = (uint32_t)(place(r, start, rank) - r->first) + r->shift;

  return r->first + at % GPU_CONSTANT_BYTES;
}

/* Once through the region, until all of it has arrived. Lanes read neighbours. */
#define READ_ALL(path, place, r, start, lane, lanes)                                               \
  {                                                                                                \
    uint64_t all = 0;                                                                              \
                                                                                                   \
    GPU_NO_UNROLL                                                                                  \
    for (uint32_t i = (lane); i < (r).slots; i += FLIGHT * (lanes)) {                              \
      uint64_t values[FLIGHT];                                                                     \
                                                                                                   \
      GPU_UNROLL                                                                                   \
      for (uint32_t k = 0; k < FLIGHT; k++)                                                        \
        values[k] = gpu_load_##path(place(&(r), start, i + k * (lanes)), (r).texture);             \
      GPU_UNROLL                                                                                   \
      for (uint32_t k = 0; k < FLIGHT; k++)                                                        \
        all |= values[k];                                                                          \
    }                                                                                              \
    /* slots hold multiples of 8 in every form, so this is never all ones */                       \
    gpu_await(all);                                                                                \
  }

/* What is varied ptxas would read again in each round, through the constant cache: a kernel for each path
 * has no jump table there either. */
#define CENSUS(path, lane, lanes)                                                                  \
  GPU_KERNEL(census_##path, gpu_census_args)                                                       \
  {                                                                                                \
    const struct region region = {.first = gpu_keep(a.first),                                      \
                                  .step = gpu_keep(a.step),                                        \
                                  .texture = gpu_keep(a.texture),                                  \
                                  .slots = gpu_vary(gpu_keep(a.slots))};                           \
    const uint64_t result = a.results + gpu_block() * sizeof(struct gpu_census_result);            \
    const uint64_t scale = gpu_keep(a.scale);                                                      \
    const uint32_t block = gpu_block(), blocks = gpu_vary(gpu_blocks());                           \
    const uint32_t each = gpu_vary(gpu_keep(a.each)), limit = gpu_vary(gpu_keep(a.limit));         \
    const uint32_t passes = gpu_vary(gpu_keep(a.passes)), apart = gpu_vary(lanes);                 \
    const uint32_t all = gpu_vary(gpu_keep(a.all)), end = gpu_vary(gpu_keep(a.from + a.rounds));   \
    const uint32_t grain = gpu_vary(gpu_keep(a.grain)), grains = gpu_vary(gpu_keep(a.grains));     \
    uint64_t high = 0, low = 0;                                                                    \
    uint32_t pass = 0, start;                                                                      \
                                                                                                   \
    GPU_NO_UNROLL                                                                                  \
    for (uint32_t round = gpu_keep(a.from); round < end; round++) {                                \
      do {                                                                                         \
        start = gpu_census_start(pass, grain, grains);                                             \
        READ_ALL(path, place, region, start, lane, apart)                                          \
      } while (++pass < passes);                                                                   \
      GPU_NO_UNROLL                                                                                \
      for (uint32_t k = 0; k < 2 * each; k++) {                                                    \
        const uint32_t part = gpu_census_part(block, blocks, k / 2, round, all);                   \
        uint32_t t;                                                                                \
                                                                                                   \
        gpu_timed_load_##path(gpu_vary(place(&region, start, gpu_census_rank(part, scale))),       \
                              region.texture, &t);                                                 \
        high = high << 1 | low >> 63;                                                              \
        low = low << 1 | (t <= limit);                                                             \
      }                                                                                            \
    }                                                                                              \
    if (gpu_thread() == 0) {                                                                       \
      gpu_store64(result + offsetof(struct gpu_census_result, low), low);                          \
      gpu_store64(result + offsetof(struct gpu_census_result, high), high);                        \
    }                                                                                              \
  }

/* Where a load is one for the whole warp, all lanes read the same. */
CENSUS(ca, gpu_thread(), gpu_threads())
#if GPU_NVIDIA_PATHS
CENSUS(nc, gpu_thread(), gpu_threads())
CENSUS(texture, gpu_thread(), gpu_threads())
CENSUS(constant, 0, 1)

/* The first rounds bring the code in, too: what they saw is overwritten. */
GPU_KERNEL(turn_census, gpu_turn_census_args)
{
  const struct gpu_turn turn = keep_turn(&a.turn);
  const struct region bank = {.first = gpu_keep(a.first),
                              .step = gpu_keep(a.step),
                              .shift = gpu_vary((uint32_t)a.step * a.slots * turn.launch),
                              .slots = gpu_vary(gpu_keep(a.slots))};
  const uint64_t scale = gpu_keep(a.scale);
  const uint32_t sm = gpu_sm(), count = gpu_vary(gpu_keep(a.count)), one = gpu_vary(1u);
  const uint32_t banks = gpu_vary(gpu_keep(a.banks)), number = gpu_vary(turn.launch);
  const uint32_t each = gpu_vary(gpu_keep(a.each)), limit = gpu_vary(gpu_keep(a.limit));
  const uint32_t warm = gpu_vary(gpu_keep(a.warm)), rounds = gpu_vary(gpu_keep(a.rounds));
  const uint32_t from = gpu_vary(gpu_keep(a.from)), all = gpu_vary(gpu_keep(a.all));
  const uint32_t grain = gpu_vary(gpu_keep(a.grain)), grains = gpu_vary(gpu_keep(a.grains));
  const uint32_t patience = gpu_vary(GPU_TOGETHER ? turn.patience : 1);
  const uint64_t who = gpu_keep(a.who) + 4ull * sm, results = gpu_keep(a.results);
  const uint64_t next = gpu_vary(turn.next) + 4ull * sm;
  uint32_t index;

  if (sm >= turn.sms)
    return;
  index = gpu_get32(who);
  if (!all_have_come(&turn) || index >= count)
    return;
  /* even halves read, odd ones look */
  GPU_NO_UNROLL
  for (uint32_t half = GPU_TURNS_DONE(next) / banks; half < 2 * (warm + rounds); half++) {
    const uint32_t pass = half / 2, round = pass < warm ? pass : pass - warm;
    const uint32_t start = gpu_census_start(pass, grain, grains);
    const uint32_t before = gpu_turn_census_rank(number, gpu_turn_census_lead(pass, banks), banks);
    uint32_t seen = 0;

    if (!wait_for(next, half * banks + before, patience)) {
      GPU_COME_AGAIN();
      return;
    }
    if (half % 2 == 0) {
      READ_ALL(constant, place_in_bank, bank, start, 0, one)
    } else {
      GPU_NO_UNROLL
      for (uint32_t k = 0; k < 2 * each; k++) {
        const uint32_t part = gpu_census_part(index, count, before * each + k / 2, from + round, all);
        const uint32_t rank = gpu_census_rank(part, scale) - before * bank.slots;
        uint32_t t;

        gpu_timed_load_constant(gpu_vary(place_in_bank(&bank, start, rank < bank.slots ? rank : 0)), 0, &t);
        seen = seen << 1 | (t <= limit);
      }
      if (gpu_thread() == 0)
        gpu_store32(results + 4ull * ((number * count + index) * rounds + round), seen);
    }
    if (gpu_thread() == 0)
      gpu_store32(next, half * banks + before + 1);
  }
}
#endif
#if GPU_AMD_PATHS
CENSUS(scalar, 0, 1)
#endif
