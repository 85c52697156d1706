/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The data that values are told from, as files for people and plotting programs (measure --raw DIR):
 * text with tabs, one file per step of the plan and form of data, <gpu>-<element>-<property>.tsv.
 * Lines of "# name: value" say what it is and what was found; then come names of columns, then rows.
 *
 * The plan says which step it is (gc_raw_begin), the bench notes traces and latencies by itself, and who
 * walks arrays adds one line:  gc_raw_runs(bench->raw, "sweep", window, runs, n);
 * Whatever else there is to see:  gc_raw_row(bench->raw, "blocks\tGBps", (double[]){blocks, gbps});
 *
 * Nothing here touches the device, and nothing is written before the end. All calls but open and close do
 * nothing when raw is NULL; the first failure is kept and told by gc_raw_close.
 */
#ifndef GC_MEASURE_RAW_H
#define GC_MEASURE_RAW_H

#include "record/record.h"

#include <stdint.h>

struct gc_raw;
struct gc_run;
struct gc_window;

/* What is measured, and by what. */
struct gc_raw_source {
  const char *gpu;            /* starts the names of files */
  const char *id;             /* of the GPU, whatever it is called */
  const char *model, *command; /* for people */
  bool resumed;               /* another process has begun, and its files belong to these */
};

/* The directory is made if it is not there. 0, or a negative errno and a sentence: -EEXIST if it has data of
 * another GPU that was called the same. */
int gc_raw_open(const char *dir, const struct gc_raw_source *source, struct gc_raw **raw,
                struct gc_error *err);

/* What comes next belongs to this property ("capacity") of this element. What did before is forgotten: a
 * step that was disturbed begins anew. */
void gc_raw_begin(struct gc_raw *raw, enum gc_kind kind, const char *property);

/* "# name: value" in the files of this property; before the first gc_raw_begin: in all. The last of a
 * name counts. */
void gc_raw_note(struct gc_raw *raw, const char *name, double value);

/* Form "curve": runs over arrays of many sizes. phase is any word. A window without threshold
 * (UINT32_MAX): slow loads are counted from the histograms, by the threshold of later runs. */
void gc_raw_runs(struct gc_raw *raw, const char *phase, const struct gc_window *window,
                 const struct gc_run *runs, size_t n);

/* Runs of this property that come from now on belong to this carve-out, in a column of their own. -1: the
 * kernel has no preference. */
void gc_raw_carveout(struct gc_raw *raw, int percent);

/* Form "trace": blocks x loads values, raw cycles. Each call is another repetition, from 0. */
void gc_raw_trace(struct gc_raw *raw, const uint32_t *cycles, size_t blocks, size_t loads);

/* Form "repeats": what repetitions of one and the same measurement say, cycles. */
void gc_raw_repeats(struct gc_raw *raw, const double *cycles, size_t n);

/* Form "table": a row with a value for each of the columns, whose names are separated by tabs. The first
 * column is the x of a plot. */
void gc_raw_row(struct gc_raw *raw, const char *columns, const double *values);

/* Form "list": the same of what is not all numbers, and no picture. row: with the tabs. */
void gc_raw_words(struct gc_raw *raw, const char *columns, const char *row);

/* Writes the files, removes what earlier runs left of this GPU (if there is anything to write), and releases
 * everything. record (may be NULL) has what was found. raw may be NULL. A file that stands in the way, and was not
 * written by this, stays, and so fails; the others are written.
 * 0, or a negative errno and a sentence. */
int gc_raw_close(struct gc_raw *raw, const struct gc_record *record, struct gc_error *err);

#endif
