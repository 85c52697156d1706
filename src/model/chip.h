/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A simulated GPU as the model keeps it: the caches of a profile with all their instances. For the
 * files of the model.
 */
#ifndef GC_MODEL_CHIP_H
#define GC_MODEL_CHIP_H

#include "model/compete.h"
#include "model/profile.h"

/* All instances of one cache of the profile, ordered by SM or by partition. */
struct gc_cache_array {
  const struct gc_profile_cache *profile;
  struct gc_cache *instances;
  uint32_t count;
  bool outside;    /* of the SMs: scope xcd or chip; it is indexed by physical addresses */
  bool per_launch; /* emptied when a kernel starts */
  uint32_t line_shift;
  uint64_t side_mask; /* the parity of these address bits is the partition; 0: gc_chip_home */
  uint64_t side_and;  /* where all these bits are 1, it is the other one; 0: nowhere */
  unsigned window_most; /* window.h; gc_model_new sets it */
  /* A TLB whose sets have different sizes has an instance for each set, one behind the other. Entry
   * n is in the set set_of[n modulo entries]. NULL: other TLBs, and caches. */
  uint8_t *set_of;
  uint32_t entries;
  struct gc_cache_shape *shapes; /* of these sets */
  uint16_t *places; /* [SMs]: index of the SM's first instance, or of the partition near to it */
  struct gc_compete compete; /* loads of other SMs; without any unless the profile says so */
};

/* The times at which loads under way arrive, as a heap: the first to arrive is times[0]. */
#define GC_PLACES_MAX 2048
struct gc_places {
  uint32_t count, most; /* most: how many there are */
  uint64_t times[GC_PLACES_MAX];
};

/* Independent loads of an SM: what is under way, in all and of each warp (outstanding.c). */
#define GC_UNDER_WAY_WARPS 64
struct gc_under_way {
  struct gc_places sm, warps[GC_UNDER_WAY_WARPS];
  uint64_t ready[GC_UNDER_WAY_WARPS]; /* when each warp can begin its next load */
  uint32_t next[GC_UNDER_WAY_WARPS];  /* the load that it makes */
  uint32_t lane[GC_UNDER_WAY_WARPS];  /* the first lane whose line is not requested yet */
  uint64_t port, end; /* the SM can request a line; the last one so far has arrived */
};

struct gc_model {
  struct gc_profile profile;
  struct gc_cache_array arrays[GC_PROFILE_CACHES_MAX];
  struct gc_cache_array tlbs[GC_PROFILE_TLBS_MAX];
  struct gc_cache_array host_tlb; /* no instances: translating pages of the host takes no time */
  struct gc_jitter jitters[GC_SPACE_COUNT][GC_PROFILE_LEVELS_MAX];
  struct gc_random traffic;     /* source of traffic_share */
  double traffic_share;         /* of the bandwidth of L2 and memory, what this launch gets */
  /* Cycles that a byte keeps a level busy, as one SM sees it; [1]: a byte that is written. */
  double byte_cycles[2][GC_SPACE_COUNT][GC_PROFILE_LEVELS_MAX];
  struct gc_random replacement; /* not shared with the noise: timed and untimed loads act alike */
  struct gc_noise noise;
  struct gc_pages pages;
  struct gc_clock clock;
  /* The present SM clock as a share of the usual one, and the levels whose time does not depend on
   * it: they take this share of their cycles. */
  double clock_share;
  bool own_clock[GC_SPACE_COUNT][GC_PROFILE_LEVELS_MAX];
  /* For how many cycles loads through cg wait at each level, because other SMs read; negative: they
   * wait less than at an idle level. */
  double queued[GC_PROFILE_LEVELS_MAX];
  uint32_t memory_delay; /* cycles, of loads of device memory */
  uint64_t queued_rows; /* how often other SMs have read; 0: no load waits */
  uint64_t carveout;
  uint32_t unit;
  uint32_t occupying, occupied; /* gc_model_occupy: operations, 0: none; and the slice */
  /* Cycles for which all SMs together have kept busy each level of a path by sweeps, and each slice
   * by reads of lines, since the launch began. */
  double swept[GC_PROFILE_LEVELS_MAX];
  double swept_host;  /* the same for the way to the host */
  double *slice_busy; /* [slices] */
  uint32_t slice_count;
  struct gc_under_way under_way; /* last, because it is large */
};

/* 0, or a negative status and a message. gc_chip_fini releases what gc_chip_init made, also after a
 * failure. name: of the profile, for messages. */
int gc_chip_init(struct gc_model *model, const char *name, const char *text, size_t length,
                 struct gc_error *err);
void gc_chip_fini(struct gc_model *model);

/* At the present carve-out: the usable bytes of a cache, all partitions together, and the sets of
 * each partition. */
uint64_t gc_chip_usable(const struct gc_model *model, const struct gc_profile_cache *cache);
uint32_t gc_chip_sets(const struct gc_model *model, const struct gc_profile_cache *cache);

/* Empties an instance of a cache, and gives it the sets and the lines of the present carve-out. */
void gc_chip_resize(const struct gc_model *model, const struct gc_profile_cache *profile,
                    struct gc_cache *cache);

/* The partition, of this number of them, that owns a line (its number), if all address bits count.
 */
static inline uint32_t gc_chip_mixed_home(uint64_t line, uint32_t count)
{
  uint64_t mixed = line * 0x9e3779b97f4a7c15;

  mixed = (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93;
  return (uint32_t)((mixed >> 32) * count >> 32);
}

/* The partition that owns a line. Unless the profile states the bits that determine it, all address
 * bits count, so that every stride uses all partitions. */
static inline uint32_t gc_chip_home(const struct gc_cache_array *array, uint64_t address)
{
  if (array->side_mask)
    return (uint32_t)__builtin_parityll(address & array->side_mask) ^
           (array->side_and && (address & array->side_and) == array->side_and);
  return gc_chip_mixed_home(address >> array->line_shift, array->count);
}

/* The slice of a line, a number below the number of slices of the chip: those of partition 0 come
 * first. The profile must state slices. */
static inline uint32_t gc_chip_slice(const struct gc_cache_array *array, uint64_t address)
{
  const uint32_t each = array->profile->slices / array->profile->partitions;
  uint64_t mixed = (address >> array->line_shift) * 0xc4ceb9fe1a85ec53;

  mixed = (mixed ^ mixed >> 33) * 0xff51afd7ed558ccd;
  return gc_chip_home(array, address) * each + (uint32_t)((mixed >> 32) * each >> 32);
}

/* The index of the range of sm_ids that an SM is in; *id: the number of the SM. */
uint32_t gc_chip_range(const struct gc_profile *profile, uint32_t sm, uint32_t *id);

/* The partition of a cache of the chip that an SM is near to. */
uint16_t gc_chip_near(const struct gc_profile *profile, const struct gc_profile_cache *cache,
                      uint32_t sm);

/* The latency of a load from the shared memory of another SM of a cluster, without noise. */
uint32_t gc_chip_remote(const struct gc_model *model, uint32_t sm, uint32_t other);

/* The cycles that this SM adds to the latency of loads from outside the SM, from -sm_spread to
 * sm_spread; always the same for one SM. */
int32_t gc_chip_offset(const struct gc_model *model, uint32_t sm);

/* Bandwidth of a level of a path: bytes per cycle and SM inside the SM, 10^9 bytes per second of
 * the whole chip outside. 0: there is no such level. */
double gc_chip_rate(const struct gc_model *model, enum gc_space space, unsigned level, bool write);

/* A latency as the chip's clock shows it: a multiple of latency_step. */
uint32_t gc_chip_rounded(const struct gc_model *model, uint32_t cycles);

/* Computes byte_cycles, which depend on traffic_share. */
void gc_chip_tabulate_rates(struct gc_model *model);

/* By how many cycles a load that hits this level takes longer, because other SMs read. */
int32_t gc_chip_queued(const struct gc_model *model, unsigned level);

/* Draws the share of the bandwidth of L2, memory or the host that a launch or a copy gets: about
 * Gaussian around 1. */
double gc_chip_traffic_share(struct gc_model *model);

#endif
