/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The experiment of the search for L2 slices: SMs time single atomic operations on many lines,
 * while other SMs keep one line busy, or none. doc/methods.md, "L2 slices and sides".
 */
#ifndef GC_MEASURE_STRUCTURE_SLICE_PROBE_H
#define GC_MEASURE_STRUCTURE_SLICE_PROBE_H

#include "measure/core/measurement.h"
#include "measure/structure/side_fit.h"

#define GC_SLICE_SIDES_MAX 4
#define GC_SLICE_LINES 16384 /* that a launch times, at most */
#define GC_SLICE_REPEATS 3

struct gc_slice_probe {
  struct gc_bench *bench;
  uint32_t sides, sms;
  uint32_t side_sms[GC_SLICE_SIDES_MAX];
  uint64_t lines, results, roles, done; /* on the device */
  uint32_t launches, finished;          /* finished: probers so far */
  uint32_t repeats;                     /* operations on a line, of which the fastest counts */
  uint32_t *seen;    /* [GC_SLICE_LINES], by line */
  uint32_t *fetched; /* the same, as downloaded */
};

/* Prepares launches in which the SMs near to one side take part. -ENOTSUP: there are too many SMs
 * or sides, or too few SMs on a side. */
int gc_slice_probe_open(struct gc_slice_probe *probe, struct gc_measurement *m);

/* Sets the lines that later launches can time. */
int gc_slice_probe_lines(struct gc_slice_probe *probe, const uint64_t *address, uint32_t count);

/* The work of the SMs of a side in a launch: they time `count` lines from `first` on. */
struct gc_slice_job {
  uint32_t side;
  uint64_t busy; /* the line that every other SM keeps busy, or the rest of them; 0: all SMs time */
  uint32_t first, count;
};

/* Runs up to GPU_SLICES_JOBS jobs of different sides at the same time. p->seen[line]: raw cycles.
 * Each line is timed, or kept busy, by other SMs in each `half`. -EAGAIN: blocks of the launch met
 * on one SM. */
int gc_slice_probe_run(struct gc_slice_probe *probe, const struct gc_slice_job *jobs, size_t n,
                       uint32_t half);

#endif
