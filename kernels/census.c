/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A census of a cache: the kernel reads far more than the cache can hold, probes a few slots, reads
 * everything again, and so on. A full cache holds as many lines as it has, whichever lines these
 * are. So the share of probes that hit, times the bytes that were read, is its capacity, whatever
 * its replacement policy and its sets (doc/methods.md, "Census"). Each block is one warp, so that
 * all of its loads go through one cache even if an SM has several.
 */
#include "census_order.h"
#include "ticket.h"

/* Loads of a lane that are in flight at the same time. */
#define FLIGHT 8

struct region {
  uint64_t first, step, texture;
  uint32_t slots, shift;
};

/* The slot of this rank in a pass that begins with slot `start`. */
static inline uint64_t place(const struct region *r, uint32_t start, uint32_t rank)
{
  const uint32_t slot = start + (rank < r->slots ? rank : r->slots - 1);

  return r->first + (slot < r->slots ? slot : slot - r->slots) * r->step;
}

/* The same for a region that begins `shift` bytes behind the start of a constant bank and continues
 * at the start of the bank behind its end. So the regions of all banks, one behind the other, use
 * all sets of a cache equally. */
static inline uint64_t place_in_bank(const struct region *r, uint32_t start, uint32_t rank)
{
  const uint32_t at = (uint32_t)(place(r, start, rank) - r->first) + r->shift;

  return r->first + at % GPU_CONSTANT_BYTES;
}

/* Reads the region once and waits for all of it. Neighbouring lanes read neighbouring slots. */
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
    /* slots hold multiples of 8 in every address space, so this is never all ones */              \
    gpu_await(all);                                                                                \
  }

/* The same for a region that is not in a constant bank: up to its end, from its begin, and then the
 * last slot of the pass again, until all lanes have made the same number of loads. */
#define READ_REGION(path, r, start, lane, lanes)                                                   \
  if (GPU_LOADS_SLOTS) {                                                                           \
    const uint32_t more = (FLIGHT - (r).slots % FLIGHT) % FLIGHT;                                  \
                                                                                                   \
    GPU_LOAD_SLOTS(path, (r).first + (start) * (r).step, (r).step, (r).slots - (start),            \
                   (r).texture);                                                                   \
    if (start)                                                                                     \
      GPU_LOAD_SLOTS(path, (r).first, (r).step, start, (r).texture);                               \
    if (more)                                                                                      \
      GPU_LOAD_SLOTS(path, place(&(r), start, (r).slots - 1), 0, more, (r).texture);               \
  } else                                                                                           \
    READ_ALL(path, place, r, start, lane, lanes)

/* ptxas would load arguments again in each round, through the constant cache; gpu_vary prevents
 * that. One kernel per path needs no jump table, which would be in constant memory, too. */
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
    const uint32_t probes = gpu_vary(gpu_keep(a.probes)), limit = gpu_vary(gpu_keep(a.limit));     \
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
        READ_REGION(path, region, start, lane, apart)                                              \
      } while (++pass < passes);                                                                   \
      GPU_NO_UNROLL                                                                                \
      for (uint32_t k = 0; k < 2 * probes; k++) {                                                  \
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

#if !defined(GPU_BANKS_ONLY)
/* On paths where a warp loads one address, all lanes read the same slot. */
CENSUS(ca, gpu_thread(), gpu_threads())
#if GPU_NVIDIA_PATHS
CENSUS(nc, gpu_thread(), gpu_threads())
CENSUS(texture, gpu_thread(), gpu_threads())
CENSUS(constant, 0, 1)
#endif
#endif
#if GPU_NVIDIA_PATHS

/* The first rounds also bring the code into the caches; their results are overwritten. */
GPU_KERNEL(banks_census, gpu_banks_census_args)
{
  const struct gpu_ticket ticket = keep_ticket(&a.ticket);
  const struct region bank = {.first = gpu_keep(a.first),
                              .step = gpu_keep(a.step),
                              .shift = gpu_vary((uint32_t)a.step * a.slots * ticket.launch),
                              .slots = gpu_vary(gpu_keep(a.slots))};
  const uint64_t scale = gpu_keep(a.scale);
  const uint32_t sm = gpu_sm(), count = gpu_vary(gpu_keep(a.count)), one = gpu_vary(1u);
  const uint32_t banks = gpu_vary(gpu_keep(a.banks)), number = gpu_vary(ticket.launch);
  const uint32_t probes = gpu_vary(gpu_keep(a.probes)), limit = gpu_vary(gpu_keep(a.limit));
  const uint32_t warm = gpu_vary(gpu_keep(a.warm)), rounds = gpu_vary(gpu_keep(a.rounds));
  const uint32_t from = gpu_vary(gpu_keep(a.from)), all = gpu_vary(gpu_keep(a.all));
  const uint32_t grain = gpu_vary(gpu_keep(a.grain)), grains = gpu_vary(gpu_keep(a.grains));
  const uint32_t polls_max = gpu_vary(GPU_CONCURRENT ? ticket.polls_max : 1);
  const uint64_t participant = gpu_keep(a.participants) + 4ull * sm, results = gpu_keep(a.results);
  const uint64_t next = gpu_vary(ticket.next) + 4ull * sm;
  uint32_t index;

  if (sm >= ticket.sms)
    return;
  index = gpu_get32(participant);
  if (!all_arrived(&ticket) || index >= count)
    return;
  /* even halves read, odd halves probe */
  GPU_NO_UNROLL
  for (uint32_t half = GPU_TICKETS_DONE(next) / banks; half < 2 * (warm + rounds); half++) {
    const uint32_t pass = half / 2, round = pass < warm ? pass : pass - warm;
    const uint32_t start = gpu_census_start(pass, grain, grains);
    const uint32_t before =
        gpu_banks_census_rank(number, gpu_banks_census_lead(pass, banks), banks);
    uint32_t seen = 0;

    if (!wait_for(next, half * banks + before, polls_max)) {
      GPU_RESUME_LATER();
      return;
    }
    if (half % 2 == 0) {
      READ_ALL(constant, place_in_bank, bank, start, 0, one)
    } else {
      GPU_NO_UNROLL
      for (uint32_t k = 0; k < 2 * probes; k++) {
        const uint32_t part =
            gpu_census_part(index, count, before * probes + k / 2, from + round, all);
        const uint32_t rank = gpu_census_rank(part, scale) - before * bank.slots;
        uint32_t t;

        gpu_timed_load_constant(gpu_vary(place_in_bank(&bank, start, rank < bank.slots ? rank : 0)),
                                0, &t);
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
