/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The bench that measurements stand on: an open device with its buffers, and the few things one does
 * with it: lay out a ring, run chases of many sizes at once, time a plain dependent chain. The files
 * of this room that each find one property include this.
 */
#ifndef GC_MEASURE_BENCH_H
#define GC_MEASURE_BENCH_H

#include "device/device.h"
#include "measure/measure.h"
#include "measure/raw.h"

/* Device memory that measuring holds at its peak, all of it together; and no more than a 20th of what is free. */
#define GC_DEVICE_BYTES_MAX ((uint64_t)1 << 30)
#define GC_DEVICE_BYTES_REST ((uint64_t)32 << 20) /* of it for scratch, and what single steps need */

/* In which form a path's ring stores "where to go next" (kernels/args.h). */
enum gc_form { GC_FORM_GLOBAL, GC_FORM_TEXTURE, GC_FORM_CONSTANT, GC_FORM_SHARED };

struct gc_bench;
struct gc_run;
struct gc_window;

/* A way through which a kernel can load, and how the element behind it is searched. */
struct gc_path {
  enum gc_kind kind;
  enum gc_form form;
  enum gc_kernel chase, latency;
  uint32_t stride;     /* bytes between slots in a capacity search; at most the element's sector */
  uint32_t wide_stride; /* the same far from the answer: fewer loads where lines are as large; 0: none */
  uint32_t warm_loads; /* untimed loads before the timed ones, at least; and two passes */
  uint32_t loads_max;  /* timed loads of an array, at most; 0: all of it */
  uint32_t step;       /* capacities are told in multiples of this, bytes */
  uint64_t min, max;   /* range searched; at min everything is sure to fit */
  /* Walks arrays of runs[i].bytes and tells what the last pass of each saw. */
  int (*walk)(struct gc_bench *bench, const struct gc_path *path, const struct gc_window *window,
              struct gc_run *runs, size_t n);
  unsigned sizes, repeats; /* in one sweep of the bracket */
  unsigned confirm;        /* runs that confirm the answer, at most */
  double outliers;         /* share of slow loads that is no miss, at least */
  uint32_t latency_stride;
  uint64_t latency_bytes; /* ring for latency: fits, and misses whatever lies before this element */
  uint64_t before;        /* bytes that fit the element before this one; 0: there is none */
  bool alone; /* SMs share one in a way that is not known: walk one array at a time */
  bool (*present)(const struct gc_properties *properties);
};
/* NULL for elements that no path leads to (device memory). */
const struct gc_path *gc_path_of(enum gc_kind kind);

struct gc_bench {
  struct gc_device *device;
  const struct gc_device_ops *ops;
  struct gc_properties properties;
  const struct gc_record *known; /* what the kernel driver's tables say (known.h); NULL: nothing */
  struct gc_record *record;
  struct gc_error *err;
  struct gc_raw *raw;            /* where data goes that was asked for; NULL: nowhere */

  uint64_t memory_bytes;         /* of the device, as its allocator counts them */
  uint64_t arena, arena_bytes;   /* rings live here */
  uint64_t walk_bytes;           /* from there on, for walks of device memory: as many, or more */
  uint64_t texture, texture_bytes; /* texture object over the start of the arena; 0: none */
  uint64_t constant_base;
  uint64_t scratch;              /* device: jobs, results, small results */
  uint32_t *sm_numbers;          /* sms.c: what SMs are called, ascending */
  uint32_t sm_count;
  struct gpu_chase_job *jobs;    /* host copies, one per block */
  struct gpu_chase_result *results;

  double mhz;                    /* SM clock while measuring; 0: not known */
  double window_cycles;          /* what timing a load alone adds to it: clock reads and wait */
  double window_confidence;      /* how sure that is within 2 cycles */

  struct gc_level {
    double hit, miss;            /* raw cycles, medians; 0: not known */
    double usual;                /* nearly all hits take no longer */
    uint32_t stride;             /* bytes: loads so far apart meet every line */
  } levels[GC_KIND_COUNT];       /* capacity.c: what it saw of each element */
  char complaints[2048];         /* agree.c: what was withheld, a line each */

  double patience_ms, lost_ms;   /* busy.c: time that disturbances may cost, and did */
  unsigned repeats;              /* steps that had to be done again */
  unsigned failures;             /* steps that failed, in the processes before this one too */
  double peace_at;               /* when the GPU was last seen to be ours alone */
  uint64_t watch;                /* device, a struct gpu_clock_result of busy.c; 0: not yet */
  bool trouble;                  /* it saw another program since */

  uint8_t *l2_side;              /* partition.c: whose lines each SM is near to, [sms]; NULL: not known */
  uint32_t l2_groups;            /* partition.c: AMD: how many L2 there are; 0: not known */
  struct gc_turns *turns;        /* constant15.c: while it is at work */
  struct gc_takers *takers;      /* turns.c: who takes turns; NULL: not known */
  struct gc_quarters *quarters;  /* amount.c: the same */
  struct gc_sharing *sharing;    /* sharing.c: what was found at once for several elements */
};

/* err stays in use until the close. Properties, buffers, texture, constant bank. */
int gc_bench_open(struct gc_bench *bench, struct gc_device *device, struct gc_record *record,
                  struct gc_error *err);
/* The same of a GPU of which something is known. known stays in use until the close. */
int gc_bench_open_known(struct gc_bench *bench, struct gc_device *device,
                        const struct gc_record *known, struct gc_record *record,
                        struct gc_error *err);
void gc_bench_close(struct gc_bench *bench);

/* sms.c: finds out what the SMs are called, once: bench->sm_numbers. Fewer than there are, if some never
 * answered. */
int gc_call_sms(struct gc_bench *bench);
/* Which of them this is; UINT32_MAX: none. */
uint32_t gc_sm_index(const struct gc_bench *bench, uint32_t sm);
/* A launch that does nothing, of a block for each SM: bench->results[].sm say where they were. */
int gc_bench_call(struct gc_bench *bench);

/* Lays a ring of bytes/stride slots at the start of the arena, in order (multiplier 1) or scattered
 * (multiplier coprime to the count). For GC_FORM_SHARED there is nothing to do: kernels lay it. */
int gc_bench_ring(struct gc_bench *bench, enum gc_form form, uint64_t bytes, uint32_t stride,
                  uint64_t multiplier);

/* Address of the start of a path's ring, and of the slot `offset` bytes on, in the path's own form. */
uint64_t gc_bench_address(const struct gc_bench *bench, enum gc_form form, uint64_t offset);

/* How raw cycles become bins and slow loads. */
struct gc_window {
  uint32_t low, shift, threshold;
};

/* One array size on one SM. */
struct gc_run {
  uint64_t bytes;              /* in */
  struct gpu_chase_result seen; /* out */
};

/* Runs p-chases of runs[i].bytes over the ring in place (laid with at least the largest size), each on
 * an SM of its own, as many at a time as there are SMs: two untimed passes, then a timed one. */
int gc_bench_chase(struct gc_bench *bench, const struct gc_path *path, const struct gc_window *window,
                   struct gc_run *runs, size_t n);

/* One block follows the ring from start: `warm` loads untimed, `loads` timed. */
int gc_bench_sample(struct gc_bench *bench, const struct gc_path *path, const struct gc_window *window,
                    uint64_t start, uint32_t warm, uint32_t loads, struct gpu_chase_result *seen);

/* All SMs together, in two launches with nothing in between that goes through L2: SM i runs jobs[i], then
 * jobs[SMs + i]. Untimed loads are warm_step bytes apart, see struct gpu_chase_args. *sum: of the timed
 * loads, their number, that of slow ones, the cycles and the histogram. Needs SMs that are numbered
 * without gaps. */
int gc_bench_together(struct gc_bench *bench, const struct gc_path *path,
                      const struct gc_window *window, uint32_t warm_step,
                      const struct gpu_chase_job *jobs, struct gpu_chase_result *sum);

/* Dependent-load latency over a closed ring that is in place: median over repetitions of the slope
 * between n and 2n loads, cycles; and how sure it is within +-tolerance (stats.h). warm: loads first. */
struct gc_latency {
  double cycles, confidence;
};
int gc_bench_latency(struct gc_bench *bench, const struct gc_path *path, uint32_t warm, uint32_t n,
                     double tolerance, struct gc_latency *latency);

/* What that is made of: `repeats` times the cycles of n and of 2n loads. */
int gc_bench_chain(struct gc_bench *bench, const struct gc_path *path, uint32_t warm, uint32_t n,
                   uint32_t repeats, struct gpu_latency_result *seen);

/* n blocks, each on an SM of its own: follow the ring from starts[i], `warm` loads untimed, then
 * `loads` each timed alone. trace: loads values for each block, raw cycles. n <= SMs, and
 * n * loads <= GC_TRACE_MAX. */
#define GC_TRACE_MAX 65536u
int gc_bench_trace(struct gc_bench *bench, const struct gc_path *path, const uint64_t *starts, size_t n,
                   uint32_t warm, uint32_t loads, uint32_t *trace);

/* A step width coprime to count, about golden: visits a ring of count slots in scattered order. And others
 * like it, from a quarter to three quarters of count; 0 is the golden one. */
uint64_t gc_bench_scatter(uint64_t count);
uint64_t gc_bench_scatter_otherwise(uint64_t count, uint64_t which);

/* Reads bytes of the arena from offset through L2, passes times: all SMs together, or one, or (GPU_EACH_SM)
 * some of every L2's SMs, each all of it. */
int gc_bench_touch(struct gc_bench *bench, uint64_t offset, uint64_t bytes, uint32_t passes, uint32_t only_sm);

/* The same, one load every stride bytes (gc_bench_touch: 32). */
int gc_bench_read(struct gc_bench *bench, uint64_t offset, uint64_t bytes, uint32_t stride,
                  uint32_t passes, uint32_t only_sm);

/* Launches a kernel and waits; args by kernel. */
int gc_bench_launch(struct gc_bench *bench, enum gc_kernel kernel, uint32_t blocks, uint32_t threads,
                    uint32_t shared_bytes, const void *args, size_t args_bytes);

/* --- what the files of this room find (one file each) ----------------------------------------- */

struct gc_capacity {
  uint64_t bytes;       /* largest size whose loads all hit; 0: not found, see absent */
  uint64_t at_least;    /* not found because the search ended here without a miss; else 0 */
  uint64_t changed;     /* smallest size from which the K-S test sees another distribution */
  double confidence;
  double hit, miss;     /* median raw cycles on both sides */
  double usual;         /* 97 % of hits take no longer */
  uint32_t stride;      /* bytes between loads at the end: every line was met */
  char absent[160];
};
/* capacity.c: searches the element behind a path; the ring it walks must be in place. */
int gc_find_capacity(struct gc_bench *bench, const struct gc_path *path, struct gc_capacity *found);
/* The same, written into the element: the capacity, or why there is none. */
int gc_put_capacity(struct gc_bench *bench, const struct gc_path *path, struct gc_element *element);
/* l2.c: gc_path.walk for L2. */
int gc_walk_l2(struct gc_bench *bench, const struct gc_path *path, const struct gc_window *window,
               struct gc_run *runs, size_t n);

/* l2sample.c: SMs near to one partition read run->bytes at read_stride through L2 and then time a scattered
 * sample of them, of slots `stride` bytes apart. which: another sample for each number; the same one could
 * leave the few lines that do not fit out each time. Of run->seen, sums and histogram are told. -ENOTSUP: AMD,
 * and how many L2 there are is not known: GC_NOT_SAMPLED. */
#define GC_NOT_SAMPLED "how many L2 there are is not known, and so not which of them a lone block gets"
int gc_l2_sample(struct gc_bench *bench, const struct gc_path *path, const struct gc_window *window,
                 struct gc_run *run, uint32_t stride, uint32_t read_stride, uint32_t sample,
                 uint64_t which);

/* Plan steps: write into the element, return an error only when the device failed. */
int gc_step_capacity(struct gc_bench *bench, struct gc_element *element); /* capacity.c */
int gc_step_latency(struct gc_bench *bench, struct gc_element *element);  /* latency.c */
int gc_step_l2_latency(struct gc_bench *bench, struct gc_element *element);  /* l2.c */
int gc_step_l2_capacity(struct gc_bench *bench, struct gc_element *element); /* l2.c */
/* census.c: after the capacity, which it confirms or withholds. */
int gc_step_census(struct gc_bench *bench, struct gc_element *element);
int gc_step_l2_census(struct gc_bench *bench, struct gc_element *element);
int gc_walk_l3(struct gc_bench *bench, const struct gc_path *path, const struct gc_window *window,
               struct gc_run *runs, size_t n); /* l3.c */
int gc_step_l3_capacity(struct gc_bench *bench, struct gc_element *element);
int gc_step_l3_census(struct gc_bench *bench, struct gc_element *element);
int gc_step_l3_latency(struct gc_bench *bench, struct gc_element *element);
int gc_step_l3_penalty(struct gc_bench *bench, struct gc_element *element);
int gc_step_partition(struct gc_bench *bench, struct gc_element *element); /* partition.c */
int gc_step_memory(struct gc_bench *bench, struct gc_element *element);   /* memory.c */
int gc_step_fetch(struct gc_bench *bench, struct gc_element *element);    /* fetch.c */
int gc_step_line(struct gc_bench *bench, struct gc_element *element);     /* line.c */
int gc_step_l2_line(struct gc_bench *bench, struct gc_element *element);  /* l2line.c */
int gc_step_miss_penalty(struct gc_bench *bench, struct gc_element *element); /* penalty.c */
int gc_step_sharing(struct gc_bench *bench, struct gc_element *element);  /* sharing.c */
int gc_step_code_sharing(struct gc_bench *bench, struct gc_element *element); /* constant15.c */
int gc_step_constant15(struct gc_bench *bench, struct gc_element *element);
int gc_step_constant15_census(struct gc_bench *bench, struct gc_element *element); /* constant15census.c */
int gc_step_constant15_line(struct gc_bench *bench, struct gc_element *element); /* constant15line.c */
int gc_step_amount(struct gc_bench *bench, struct gc_element *element);   /* amount.c */
int gc_step_mates(struct gc_bench *bench, struct gc_element *element);    /* mates.c */
int gc_step_api(struct gc_bench *bench, struct gc_element *element);      /* api.c */
int gc_step_carveout(struct gc_bench *bench, struct gc_element *element); /* carveout.c */
int gc_step_bandwidth(struct gc_bench *bench, struct gc_element *element); /* bandwidth.c */
/* bandwidth_chip.c */
int gc_step_l2_bandwidth(struct gc_bench *bench, struct gc_element *element);
int gc_step_l3_bandwidth(struct gc_bench *bench, struct gc_element *element);
int gc_step_memory_bandwidth(struct gc_bench *bench, struct gc_element *element);
/* clock.c: warms the GPU up until its clock is steady; sets bench->mhz. */
int gc_warm_up(struct gc_bench *bench);
#define GC_OTHER_CLOCK_SHARE 0.03 /* clocks that differ by more are not the same */
/* busy.c: waits until the GPU is ours alone and its clock runs as in bench->mhz, and tells what was the
 * matter since it was called last. -EBUSY with a sentence when that takes too long. */
enum gc_peace {
  GC_PEACE,       /* nothing */
  GC_DISTURBED,   /* what was measured since may be wrong */
  GC_OTHER_CLOCK, /* the clock settled at another rate, now in bench->mhz: so may be all before */
};
int gc_await_peace(struct gc_bench *bench, enum gc_peace *peace);
/* For gc_bench_launch: looks whether the launch, which took so long, may have waited for another program. */
int gc_watch_launch(struct gc_bench *bench, double milliseconds);
double gc_milliseconds(void);
/* latency.c: what timing a load alone adds to its latency; sets bench->window_cycles. */
int gc_calibrate_window(struct gc_bench *bench);

void gc_sharing_free(struct gc_sharing *sharing); /* sharing.c; NULL is fine */
void gc_quarters_free(struct gc_quarters *quarters); /* amount.c; NULL is fine */

/* api.c: facts of the whole GPU. */
int gc_record_facts(struct gc_bench *bench);
/* The same file, when all elements are there: says of which the interface tells no nominal capacity. */
int gc_record_nominal(struct gc_bench *bench);

/* Writing values with their source (plan.c). -ENOMEM or 0. */
int gc_put_measured(struct gc_element *element, const char *key, const char *property, uint64_t value,
                    double confidence);
/* A bandwidth: with as many decimals as say something. */
int gc_put_rate(struct gc_element *element, const char *key, const char *property, double value,
                double confidence);
/* Source and confidence of a property whose value the caller has set. */
int gc_put_known(struct gc_element *element, const char *property, double confidence);
int gc_put_source(struct gc_element *element, const char *property, const char *source);
int gc_put_absent(struct gc_element *element, const char *property, const char *why);
int gc_put_latency(struct gc_bench *bench, struct gc_element *element, const struct gc_latency *latency);
/* The same of a latency of its own: prefix "Near" writes NearLatencyCycles … */
int gc_put_latency_as(struct gc_bench *bench, struct gc_element *element, const char *prefix,
                      const struct gc_latency *latency);
/* A measured value that is no number; its key is its property. */
int gc_put_text(struct gc_element *element, const char *key, const char *value, double confidence);

#endif
