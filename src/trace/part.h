/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What this process writes into the directory of the trace: N.part with its launches, and the
 * machine code of each module as N-NUMBER.cubin. N is PID-K: K programs of this process, or of a
 * process with this number in another container, came before.
 *
 * The lines of a launch are the header of version 2 of the trace format and its chunks, with three
 * lines of its own: "module NUMBER" (or, if its machine code was not saved, "module WHY") and
 * "microseconds" (not of a kernel of a graph) in the header, and "complete" at the end. The number
 * of "launches" has leading zeros, so that it can grow. Before the launches are blanks. When the
 * process ends, these lines replace them, so that they need no space on a disk that is full:
 * "failed WHY" (nothing is traced), or "left-out NUMBER", "because WHY" (the first of them),
 * "in-graphs NUMBER" and "ended". The process holds a lock on the file until then.
 */
#ifndef GC_TRACE_PART_H
#define GC_TRACE_PART_H

#include "util/error.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

struct gc_part {
  FILE *file;
  char name[4200]; /* path without the suffix */
  int process;     /* the one that may write */
  long good;       /* bytes up to the last complete launch */
};

#define GC_PART_END 4096 /* bytes for the lines of the end */

/* 0, or a negative errno with a sentence. */
int gc_part_open(struct gc_part *part, const char *directory, struct gc_error *err);

/* Makes what was written since the last call permanent (status 0), or removes it. Returns status,
 * or -EIO with a sentence if the file cannot be written, or nobody will read it any more. */
int gc_part_end_launch(struct gc_part *part, int status, struct gc_error *err);

/* A number that can be replaced later, at a place before the end of a complete launch. */
#define GC_PART_NUMBER "%020" PRIu64
void gc_part_renew(const struct gc_part *part, long place, uint64_t number);

/* Writes the lines of the end. */
void gc_part_write_end(const struct gc_part *part, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes a file with this suffix. 0, or a negative errno; then there is no file. */
int gc_part_write(const struct gc_part *part, const char *suffix, const void *bytes, size_t size);

#endif
