/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The order of a census: which slots a block probes, and where each pass begins. The kernel and the
 * host compute the same order, so that results need not name their slots. Pure functions.
 *
 * A census selects slots by rank, that is by when they were read. It divides the ranks into as many
 * parts as all blocks of all launches have probes, and probes each part once. The parts of one
 * round are spread evenly, so that SMs whose caches are in the same state cover the whole region
 * together. The parts of one block and round are far apart.
 */
#ifndef GPU_CENSUS_ORDER_H
#define GPU_CENSUS_ORDER_H

#include <stdint.h>

static inline uint32_t gpu_census_hash(uint32_t x)
{
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

/* The part that a block probes as the k-th one of this round, of `all` rounds. All parts are
 * divided into ranges of blocks * all parts, and probe k is in range k. Within a range the order
 * begins anywhere. */
static inline uint32_t gpu_census_part(uint32_t block, uint32_t blocks, uint32_t k, uint32_t round,
                                       uint32_t all)
{
  const uint32_t parts = blocks * all;
  const uint32_t rotated =
      block * all + round + (uint32_t)((uint64_t)gpu_census_hash(k) * parts >> 32);

  return k * parts + (rotated < parts ? rotated : rotated - parts);
}

/* A rank in this part: the number of slots that were read before it. scale: 2^24 * slots / (all *
 * probes * blocks), rounded down. */
static inline uint32_t gpu_census_rank(uint32_t part, uint64_t scale)
{
  return (uint32_t)((((uint64_t)part << 8 | gpu_census_hash(part) >> 24) * scale) >> 32);
}

/* The slot with which this pass begins: the first slot of a line. */
static inline uint32_t gpu_census_start(uint32_t pass, uint32_t grain, uint32_t grains)
{
  return (uint32_t)((uint64_t)gpu_census_hash(pass + 1) * grains >> 32) * grain;
}

/* The bank that comes first in this pass. */
static inline uint32_t gpu_banks_census_lead(uint32_t pass, uint32_t banks)
{
  return (uint32_t)((uint64_t)gpu_census_hash(~pass) * banks >> 32);
}

/* The number of banks that come before this one when bank `lead` comes first. */
static inline uint32_t gpu_banks_census_rank(uint32_t bank, uint32_t lead, uint32_t banks)
{
  return bank < lead ? bank + banks - lead : bank - lead;
}

#endif
