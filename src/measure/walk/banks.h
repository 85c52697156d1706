/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * More constants than one module can have. The kernels are loaded several times, each copy is a
 * module with its own bank of constants (kernels/banks.c), and blocks of all modules on one SM walk
 * their banks one after the other. Only SMs that share no cache with each other take part.
 * doc/methods.md, "Constant L1.5 over several modules".
 */
#ifndef GC_MEASURE_WALK_BANKS_H
#define GC_MEASURE_WALK_BANKS_H

#include "measure/core/measurement.h"
#include "measure/raw/run.h"
#include "measure/walk/participants.h"
#include "measure/walk/vote.h"

#define GC_BANKS_MAX 3 /* banks that can be walked; the other copies are for eviction */
#define GC_BANKS_BYTES_MAX ((uint64_t)GC_BANKS_MAX * GPU_CONSTANT_BYTES)
#define GC_BANKS_STRIDE 64
#define GC_BANKS_BLOCKS_MAX (GC_COPIES_MAX * GPU_CONSTANT_BYTES / GC_BANKS_STRIDE)

struct gc_banks {
  struct gc_measurement *m;
  struct gc_participants participants;
  uint32_t half; /* layout of the rings: see gc_banks_lay */
  /* set before gc_banks_lay: which blocks have their load in their second half */
  bool second[GC_BANKS_BLOCKS_MAX];
  bool failed;   /* launches did not run at the same time: the results do not count */
  uint64_t device;
  struct gpu_banks_job *jobs;       /* [turns][participants.sms] */
  struct gpu_banks_result *results; /* [turns][participants.sms] */
};

/* Finds the participants and fills all banks. 0 and *banks NULL: this GPU cannot run several
 * launches at the same time, or no participants were found. */
int gc_banks_open(struct gc_measurement *m, struct gc_banks **banks);
void gc_banks_close(struct gc_banks *banks); /* NULL is fine */

/* Finds only the participants. 0 and *participants NULL: as above. They stay valid until the memos
 * are dropped. */
int gc_find_participants(struct gc_measurement *m, const struct gc_participants **participants);

/* Lays the rings anew. half 0: one load in every GC_BANKS_STRIDE bytes. Otherwise one load in every
 * block of 2 * half bytes, in the half that banks->second states. half is 0, or 32 or more. */
int gc_banks_lay(struct gc_banks *banks, uint32_t half);

/* Asks all participants several times: do `bytes` of constants not stay in the cache? If `code` is
 * true, straight-line code (GPU_FILLER_BYTES) is executed in between. GC_YES: most of the lines
 * that were brought in missed again. */
int gc_banks_ask(struct gc_banks *banks, uint64_t bytes, bool code, struct gc_vote *vote);

enum {
  GC_BANKS_CODE = 1,  /* execute the code filler in between */
  GC_BANKS_SPARSE = 2 /* time only one load per `flush` bytes */
};
/* How constants are walked. */
struct gc_banks_mode {
  uint32_t threshold; /* raw cycles */
  unsigned how;       /* GC_BANKS_… */
  uint64_t *cold;     /* out: slow loads while the arrays were brought in, all runs together; may be
                         NULL */
};
/* Walks runs[i].bytes of constants on participant i, n <= participants.count, twice: untimed to
 * bring them in, then timed. -EINVAL: more constants than GC_BANKS_BYTES_MAX. */
int gc_banks_walk(struct gc_banks *banks, const struct gc_banks_mode *walk,
                  const struct gc_binning *binning, struct gc_run *runs, size_t n);

#endif
